"""What plane networks see of a position, written in place into a batch. Compiled."""

from __future__ import annotations

import cython
from cython.cimports.gomoku_bot.core._board_cy import Board
from cython.cimports.gomoku_bot.core._forbidden_cy import is_forbidden

OPEN_THREE = cython.declare(cython.int, 5)
SUSPECT = cython.declare(cython.int, 16)

PLANES = 48
"""
Planes of `write_planes`, from the side to move's view: 0 own stones, 1 enemy stones, 2 the board, 3 black to
move, 4 standard or caro_exact, 5 renju, 6 caro or caro_exact, 7 black's forbidden points; then four lines (row,
column, both diagonals) by five patterns (open three, four, double four, open four, five), own and enemy:
``8 + 20 * enemy + 5 * line + pattern``.
"""


def write_stones(board: Board, mover: cython.int, out: cython.float[:, :, ::1]) -> None:
    """Fills *out* ``[2, H, W]`` with the stones of *mover* and of his opponent."""
    x: cython.int
    y: cython.int
    stone: cython.int
    with cython.nogil:
        for y in range(board.height):
            for x in range(board.width):
                stone = board.cell[(y + 5) * 42 + x + 5]
                out[0, y, x] = stone == mover + 1
                out[1, y, x] = stone == 2 - mover


def write_planes(board: Board, mover: cython.int, symmetry: cython.int, out: cython.float[:, :, ::1]) -> None:
    """
    Fills *out* ``[48, H, W]`` (see `PLANES`), turned by *symmetry* in 0..7.

    Bit 0 of the symmetry mirrors the columns, bit 1 the rows, bit 2 then swaps rows and columns: *out* is
    ``[48, W, H]`` in that case. The planes of each line are renamed with the board.
    """
    x: cython.int
    y: cython.int
    to_x: cython.int
    to_y: cython.int
    swap: cython.int
    i: cython.int
    line: cython.int
    kind: cython.int
    square: cython.int
    stone: cython.int
    enemy: cython.int
    pattern: cython.uint
    line_to: cython.int
    black: cython.float = mover == 0
    standard: cython.float = board.rule == 1 or board.rule == 9
    renju: cython.float = board.rule == 4
    caro: cython.float = board.rule == 8 or board.rule == 9
    mirror_x: cython.bint = symmetry & 1
    mirror_y: cython.bint = (symmetry >> 1) & 1
    transpose: cython.bint = (symmetry >> 2) & 1
    with cython.nogil:
        for i in range(48):
            for y in range(out.shape[1]):
                for x in range(out.shape[2]):
                    out[i, y, x] = 0
        for y in range(board.height):
            for x in range(board.width):
                square = (y + 5) * 42 + x + 5
                stone = board.cell[square]
                to_x = board.width - 1 - x if mirror_x else x
                to_y = board.height - 1 - y if mirror_y else y
                if transpose:
                    swap = to_x
                    to_x = to_y
                    to_y = swap
                out[2, to_y, to_x] = 1
                out[3, to_y, to_x] = black
                out[4, to_y, to_x] = standard
                out[5, to_y, to_x] = renju
                out[6, to_y, to_x] = caro
                if stone:
                    if stone < 3:
                        out[0 if stone == mover + 1 else 1, to_y, to_x] = 1
                    continue
                if board.point[0][square] & SUSPECT and is_forbidden(board, square):
                    out[7, to_y, to_x] = 1
                pattern = board.pattern[square]
                if not pattern:
                    continue
                for line in range(4):
                    line_to = line
                    if transpose and line < 2:
                        line_to = 1 - line
                    elif line >= 2 and mirror_x != mirror_y:
                        line_to = 5 - line
                    for enemy in range(2):
                        kind = (pattern >> (16 * (mover ^ enemy) + 4 * line)) & 15
                        if kind >= OPEN_THREE:
                            out[8 + 20 * enemy + 5 * line_to + kind - OPEN_THREE, to_y, to_x] = 1


def bench_planes(board: Board, out: cython.float[:, :, ::1], rounds: cython.int) -> int:
    """Writes the planes *rounds* times, all symmetries in turn (square boards); returns *rounds*."""
    i: cython.int
    for i in range(rounds):
        write_planes(board, i & 1, i & 7, out)
    return rounds


def write_allowed(board: Board, mover: cython.int, out: cython.uchar[:, ::1]) -> None:
    """Fills *out* ``[H, W]`` with 1 where *mover* may play: empty points that are not forbidden to him."""
    x: cython.int
    y: cython.int
    square: cython.int
    with cython.nogil:
        for y in range(board.height):
            for x in range(board.width):
                square = (y + 5) * 42 + x + 5
                out[y, x] = board.cell[square] == 0 and not (
                    mover == 0 and board.point[0][square] & SUSPECT and is_forbidden(board, square)
                )


def write_kinds(board: Board, color: cython.int, out: cython.uchar[:, ::1]) -> None:
    """Fills *out* ``[H, W]`` with the point kinds of *color*, SUSPECT bit left out; 0 where a stone stands."""
    x: cython.int
    y: cython.int
    with cython.nogil:
        for y in range(board.height):
            for x in range(board.width):
                out[y, x] = board.point[color][(y + 5) * 42 + x + 5] & 15
