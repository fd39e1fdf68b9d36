"""
Stones with their line codes and patterns, kept up to date by make and unmake. Compiled.

Squares are numbered on a grid with a margin: ``(y + 5) * 42 + x + 5``. Colours are 0 black, 1 white,
2 neutral (a stone that blocks both). Line codes of both colours' views share one 64-bit word: black's
in the low half, white's in the high half, so that a stone changes both by one addition. Patterns and
point kinds (`_patterns_cy`) are kept for empty squares only; what a stone changed is kept on a stack,
and taking it back restores it.
"""

from __future__ import annotations

from functools import cache

import cython
import numpy as np

from gomoku_bot.core import grid
from gomoku_bot.core._patterns_cy import line_table, point_table
from gomoku_bot.rules import Color, Rule

STRIDE = cython.declare(cython.int, grid.STRIDE)
MARGIN = cython.declare(cython.int, grid.MARGIN)
SQUARES = cython.declare(cython.int, grid.SQUARES)
EMPTY = cython.declare(cython.int, 0)
WALL = cython.declare(cython.int, 4)
SIDE_CODES = cython.declare(cython.int, 364)
FIRST = (0, 1, 4, 13, 40, 121)
LOW_HALF = cython.declare(cython.ulonglong, 0xFFFFFFFF)
HIGH_ONE = cython.declare(cython.ulonglong, 0x100000000)

# Point kinds by group: 1 open threes, 2 fours, 3 five (see POINT_* in _patterns_cy).
GROUPS = (0, 0, 0, 1, 1, 2, 2, 2, 3) + (0,) * 7


def is_compiled() -> bool:
    """Whether this module runs as machine code."""
    return cython.compiled


@cache
def _line_table(exact: bool, blockable: bool, straight_only: bool) -> object:
    return line_table(exact, blockable, straight_only)


@cache
def _point_table(forbids: bool) -> object:
    return point_table(forbids)


@cache
def _zobrist() -> object:
    return np.random.default_rng(2017).integers(0, 2**63, (3, SQUARES), dtype=np.uint64)


@cython.final
@cython.cclass
class Board:
    """Stones of one game; `make` and `unmake` change it, everything else asks."""

    def __init__(self, width: cython.int, height: cython.int, rule: cython.int) -> None:
        i: cython.int
        j: cython.int
        x: cython.int
        y: cython.int
        line: cython.int
        square: cython.int
        left: cython.int
        right: cython.int
        both: cython.ulonglong
        if not cython.compiled:
            self.row_of = [0] * SQUARES
            self.bit_of = [0] * SQUARES
            self.first_code = [0] * 6
            self.cell = [0] * SQUARES
            self.code = [[0] * 4 for _ in range(SQUARES)]
            self.pattern = [0] * SQUARES
            self.point = [[0] * SQUARES for _ in range(2)]
            self.total = [[0] * 16 for _ in range(2)]
            self.row = [[[0] * 32 for _ in range(4)] for _ in range(2)]
            self.stone_row = [0] * 32
            self.step = [0] * 4
            self.move = [0] * 1025
            self.mover = [0] * 1025
            self.change_end = [0] * 1025
            self.left_weight = [[0] * 6 for _ in range(3)]
            self.right_weight = [[0] * 6 for _ in range(3)]
            self.group = [0] * 32
        self.width = width
        self.height = height
        self.rule = rule
        self.count = 0
        self.key = 0
        rules = Rule(rule)
        self.forbids = rules.has_forbidden_points(Color.BLACK)
        self.blockable = rules.blocked_five_fails
        self.line_black = _line_table(rules.exact_five(Color.BLACK), rules.blocked_five_fails, bool(self.forbids))
        self.line_white = _line_table(rules.exact_five(Color.WHITE), rules.blocked_five_fails, False)
        self.point_black = _point_table(bool(self.forbids))
        self.point_white = _point_table(False)
        self.zobrist = _zobrist()
        self.changed = np.zeros(1025 * 41, np.uint16)
        self.was = np.zeros(1025 * 41, np.uint32)
        for i in range(16):
            self.group[i] = self.group[i + 16] = GROUPS[i]
        for i, step in enumerate((1, STRIDE, STRIDE + 1, 1 - STRIDE)):
            self.step[i] = step
        for i in range(3):
            both = (1 if i == 0 else 2) + HIGH_ONE * (1 if i == 1 else 2)
            for j in range(1, 6):
                self.right_weight[i][j] = both
                self.left_weight[i][j] = both * SIDE_CODES
                both *= 3
        for i in range(6):
            self.first_code[i] = FIRST[i]
        for i in range(SQUARES):
            self.cell[i] = WALL
        self.change_end[0] = 0
        for y in range(height):
            for x in range(width):
                square = (y + MARGIN) * STRIDE + x + MARGIN
                self.cell[square] = EMPTY
                self.row_of[square] = y
                self.bit_of[square] = cython.cast(cython.uint, 1) << x
        for y in range(height):
            for x in range(width):
                square = (y + MARGIN) * STRIDE + x + MARGIN
                self.total[0][0] += 1
                self.total[1][0] += 1
                for line in range(4):
                    left = right = 0
                    while left < 5 and self.cell[square - (left + 1) * self.step[line]] == EMPTY:
                        left += 1
                    while right < 5 and self.cell[square + (right + 1) * self.step[line]] == EMPTY:
                        right += 1
                    self.code[square][line] = (1 + HIGH_ONE) * (
                        self.first_code[left] * SIDE_CODES + self.first_code[right]
                    )
                    self._look(square, line)

    def make(self, square: cython.int, color: cython.int) -> cython.void:
        """Puts a stone of *color* on the empty *square*."""
        line: cython.int
        distance: cython.int
        step: cython.int
        at: cython.int
        self.cell[square] = color + 1
        self.key ^= self.zobrist[color, square]
        self.stone_row[self.row_of[square]] ^= self.bit_of[square]
        self.move[self.count] = square
        self.mover[self.count] = color
        self.count += 1
        self.change_end[self.count] = self.change_end[self.count - 1]
        self._set_point(square, 0, 0)
        self._set_point(square, 1, 0)
        for line in range(4):
            step = self.step[line]
            at = square
            for distance in range(1, 6):
                at += step
                self.code[at][line] += self.left_weight[color][distance]
                if self.cell[at] == EMPTY:
                    self._look(at, line)
            at = square
            for distance in range(1, 6):
                at -= step
                self.code[at][line] += self.right_weight[color][distance]
                if self.cell[at] == EMPTY:
                    self._look(at, line)

    def unmake(self) -> cython.void:
        """Takes the newest stone back."""
        line: cython.int
        distance: cython.int
        step: cython.int
        i: cython.int
        self.count -= 1
        square: cython.int = self.move[self.count]
        color: cython.int = self.mover[self.count]
        i = self.change_end[self.count + 1] - 1
        while i >= self.change_end[self.count]:
            self._set_pattern(self.changed[i], cython.cast(cython.uint, self.was[i]))
            i -= 1
        for line in range(4):
            step = self.step[line]
            for distance in range(1, 6):
                self.code[square + distance * step][line] -= self.left_weight[color][distance]
                self.code[square - distance * step][line] -= self.right_weight[color][distance]
        self.cell[square] = EMPTY
        self.key ^= self.zobrist[color, square]
        self.stone_row[self.row_of[square]] ^= self.bit_of[square]
        self._set_pattern(square, self.pattern[square])

    def _look(self, square: cython.int, line: cython.int) -> cython.void:
        """Brings the patterns of the empty *square* on one line up to date with its line code."""
        code: cython.ulonglong = self.code[square][line]
        fresh: cython.uint = cython.cast(cython.uint, self.line_black[code & LOW_HALF]) << (4 * line)
        fresh |= cython.cast(cython.uint, self.line_white[code >> 32]) << (4 * line + 16)
        old: cython.uint = self.pattern[square]
        pattern: cython.uint = (old & ~(cython.cast(cython.uint, 0x000F000F) << (4 * line))) | fresh
        end: cython.int
        if pattern != old:
            end = self.change_end[self.count]
            self.changed[end] = square
            self.was[end] = old
            self.change_end[self.count] = end + 1
            self._set_pattern(square, pattern)

    def _set_pattern(self, square: cython.int, pattern: cython.uint) -> cython.void:
        self.pattern[square] = pattern
        self._set_point(square, 0, self.point_black[pattern & 0xFFFF])
        self._set_point(square, 1, self.point_white[pattern >> 16])

    def _set_point(self, square: cython.int, color: cython.int, kind: cython.int) -> cython.void:
        old: cython.int = self.point[color][square]
        before: cython.int
        after: cython.int
        if old == kind:
            return
        self.point[color][square] = kind
        self.total[color][old & 15] -= 1
        self.total[color][kind & 15] += 1
        before = self.group[old]
        after = self.group[kind]
        if before != after:
            self.row[color][before][self.row_of[square]] ^= self.bit_of[square]
            self.row[color][after][self.row_of[square]] ^= self.bit_of[square]

    def first(self, color: cython.int, group: cython.int) -> cython.int:
        """The first square whose point kind for *color* is in *group*, or -1."""
        y: cython.int
        x: cython.int
        bits: cython.uint
        for y in range(self.height):
            bits = self.row[color][group][y]
            if bits:
                x = 0
                while not bits & 1:
                    bits >>= 1
                    x += 1
                return (y + MARGIN) * STRIDE + x + MARGIN
        return -1

    def list_points(
        self, color: cython.int, group: cython.int, found: cython.ushort[::1], at: cython.int
    ) -> cython.int:
        """Writes the squares of *group* to *found* from index *at*; returns the index behind the last."""
        y: cython.int
        x: cython.int
        bits: cython.uint
        for y in range(self.height):
            bits = self.row[color][group][y]
            x = (y + MARGIN) * STRIDE + MARGIN
            while bits:
                while not bits & 1:
                    bits >>= 1
                    x += 1
                found[at] = x
                at += 1
                bits >>= 1
                x += 1
        return at

    def cell_at(self, square: cython.int) -> int:
        """0 empty, 1 black, 2 white, 3 neutral, 4 outside."""
        return self.cell[square]

    def point_at(self, square: cython.int, color: cython.int) -> int:
        """What a stone of *color* on the empty *square* makes: POINT_* with the SUSPECT bit."""
        return self.point[color][square]

    def patterns_at(self, square: cython.int, color: cython.int) -> tuple[int, int, int, int]:
        """The line patterns of *color* at the empty *square*: along the row, the column, both diagonals."""
        bits: cython.uint = self.pattern[square] >> (16 * color)
        return bits & 15, (bits >> 4) & 15, (bits >> 8) & 15, (bits >> 12) & 15

    def line_codes(self, square: cython.int, color: cython.int) -> tuple[int, int, int, int]:
        """The line codes around *square* in *color*'s view, middle cell left out."""
        shift: cython.int = 32 * color
        return (
            (self.code[square][0] >> shift) & LOW_HALF,
            (self.code[square][1] >> shift) & LOW_HALF,
            (self.code[square][2] >> shift) & LOW_HALF,
            (self.code[square][3] >> shift) & LOW_HALF,
        )

    def total_of(self, color: cython.int, kind: cython.int) -> int:
        """How many empty squares are of point kind *kind* for *color*."""
        return self.total[color][kind]

    def bench(self, squares: cython.ushort[::1], rounds: cython.int) -> int:
        """Makes and takes back the stones on *squares*, colours in turn, *rounds* times; returns the pairs."""
        i: cython.int
        r: cython.int
        n: cython.int = squares.shape[0]
        with cython.nogil:
            for r in range(rounds):
                for i in range(n):
                    self.make(squares[i], i & 1)
                for i in range(n):
                    self.unmake()
        return n * rounds
