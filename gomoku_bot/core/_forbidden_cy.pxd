from gomoku_bot.core._board_cy cimport Board

cpdef bint is_forbidden(Board board, int square) noexcept nogil
