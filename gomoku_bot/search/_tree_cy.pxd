from gomoku_bot.core._board_cy cimport Board

cdef class Tree:
    cdef unsigned short[::1] square
    cdef float[::1] prior
    cdef int[::1] visits
    cdef int[::1] pending
    cdef double[::1] value_sum
    cdef int[::1] first
    cdef int[::1] children
    cdef unsigned char[::1] complete
    cdef unsigned char[::1] proof
    cdef int[::1] length
    cdef int[:, ::1] path
    cdef int[::1] depth
    cdef int count
    cdef int slot
    cdef readonly int root
    cdef double c_base, c_log, fpu

    cdef int _new(self, int square, float prior) noexcept nogil
    cdef int _select(self, int node) noexcept nogil
    cdef int descend(self, Board board, int mover) noexcept nogil
    cdef void settle_last(self, int proof, int length) noexcept nogil
    cdef void back_up_leaf(self, int slot, double value) noexcept nogil
    cdef void _compact(self) noexcept nogil
    cdef int _longest(self, int node) noexcept nogil
    cdef void _settle(self, int slot, int proof, int length) noexcept nogil
    cdef void _back_up(self, int slot, double value) noexcept nogil
