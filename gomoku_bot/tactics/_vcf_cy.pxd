from gomoku_bot.core._board_cy cimport Board

cdef class FourSolver:
    cdef unsigned long long[::1] keys
    cdef unsigned int[::1] proof
    cdef unsigned int[::1] disproof
    cdef unsigned short[::1] stack
    cdef unsigned short[::1] line
    cdef unsigned long long mask
    cdef readonly long long nodes
    cdef long long node_limit
    cdef int length
    cdef public bint stopped

    cdef int _vcf(self, Board board, int attacker, int ply, int base) noexcept nogil
    cdef int _vcf_answers(self, Board board, int attacker, int ply, int base) noexcept nogil
    cdef void _finish_line(self, Board board, int attacker, int square, int ply, int base) noexcept nogil
