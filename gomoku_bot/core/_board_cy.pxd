# C types of _board_cy.py, so that the solver and the sums reach its fields without Python.
ctypedef unsigned char uint8
ctypedef unsigned short uint16
ctypedef unsigned int uint32
ctypedef unsigned long long uint64

cdef class Board:
    cdef readonly int width, height, rule
    cdef readonly int count
    cdef readonly uint64 key
    cdef readonly int forbids
    cdef readonly int blockable
    cdef uint8 cell[1764]
    cdef uint64 code[1764][4]
    cdef uint32 pattern[1764]
    cdef uint8 point[2][1764]
    cdef int total[2][16]
    cdef uint32 row[2][4][32]
    cdef uint32 stone_row[32]
    cdef int step[4]
    cdef uint16 move[1025]
    cdef uint8 mover[1025]
    cdef int change_end[1025]
    cdef uint64 left_weight[3][6]
    cdef uint64 right_weight[3][6]
    cdef uint8 group[32]
    cdef uint8 row_of[1764]
    cdef uint32 bit_of[1764]
    cdef uint64 first_code[6]
    cdef uint8[::1] line_black, line_white, point_black, point_white
    cdef uint64[:, ::1] zobrist
    cdef uint16[::1] changed
    cdef uint32[::1] was

    cpdef void make(self, int square, int color) noexcept nogil
    cpdef void unmake(self) noexcept nogil
    cdef void _set_point(self, int square, int color, int kind) noexcept nogil
    cdef void _set_pattern(self, int square, uint32 pattern) noexcept nogil
    cdef void _look(self, int square, int line) noexcept nogil
    cdef int first(self, int color, int group) noexcept nogil
    cdef int list_points(self, int color, int group, uint16[::1] found, int at) noexcept nogil
