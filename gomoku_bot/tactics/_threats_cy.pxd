from gomoku_bot.core._board_cy cimport Board

cdef bint allowed(Board board, int square, int color) noexcept nogil
cdef int winning_point(Board board, int color) noexcept nogil
cdef int answers(Board board, int attacker, unsigned short[::1] found, int at) noexcept nogil
