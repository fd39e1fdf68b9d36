"""
What line nets see of a position: five codebook rows a point, or their sums, written in place into a batch. Compiled.

Four rows are the lines through the point (`core._patterns_cy`): ``middle * 132496 + line code`` in the mover's view,
the middle 0 empty or blocked, 1 mine, 2 theirs. The fifth says what the lines cannot say alone: what a stone of either
side would make there by the rule, or that black may not play there. Point rows follow the line rows, one group of
`POINT_ROWS` for each of the `VIEWS`.
"""

from __future__ import annotations

import cython
from cython.cimports.gomoku_bot.core._board_cy import Board
from cython.cimports.gomoku_bot.core._forbidden_cy import is_forbidden

SUSPECT = cython.declare(cython.int, 16)
MIDDLE = cython.declare(cython.int, 132496)
FIRST_POINT_ROW = cython.declare(cython.int, 397488)
GROUP = cython.declare(cython.int, 102)

LINE_ROWS = 397488
"""Rows of lines: three middles by 364 codes to each side."""

POINT_ROWS = 102
"""
Rows of one view's points. Empty: ``9 * own kind + enemy kind``; forbidden to the mover: ``81 + enemy kind``, to the
enemy: ``90 + own kind``; 99 own stone, 100 enemy stone, 101 blocked. Kinds are the POINT_* of `core._patterns_cy`.
"""

VIEWS = ("freestyle", "standard", "renju, black to move", "renju, white to move", "caro", "caro_exact")
"""Rule and side to move, as far as they change what a point is worth."""

ROWS = LINE_ROWS + POINT_ROWS * len(VIEWS)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _view(board: Board, mover: cython.int) -> cython.int:
    if board.rule == 4:
        return 2 + mover
    if board.rule >= 8:
        return board.rule - 4
    return board.rule


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _point_row(board: Board, mover: cython.int, square: cython.int) -> cython.int:
    """The point's row within its group."""
    stone: cython.int = board.cell[square]
    own: cython.int
    enemy: cython.int
    if stone:
        if stone > 2:
            return 101
        return 99 if stone == mover + 1 else 100
    own = board.point[mover][square] & 15
    enemy = board.point[1 - mover][square] & 15
    if board.point[0][square] & SUSPECT and is_forbidden(board, square):
        return 81 + enemy if mover == 0 else 90 + own
    return 9 * own + enemy


def write_rows(board: Board, mover: cython.int, out: cython.int[:, ::1]) -> None:
    """Fills *out* ``[H * W, 5]`` with the numbers of each point's rows, the point row last."""
    x: cython.int
    y: cython.int
    i: cython.int
    square: cython.int
    middle: cython.int
    at: cython.int = 0
    shift: cython.int = 32 * mover
    low: cython.ulonglong = 0xFFFFFFFF
    with cython.nogil:
        group: cython.int = FIRST_POINT_ROW + GROUP * _view(board, mover)
        for y in range(board.height):
            for x in range(board.width):
                square = (y + 5) * 42 + x + 5
                middle = board.cell[square]
                middle = 0 if middle == 0 or middle > 2 else 1 if middle == mover + 1 else 2
                for i in range(4):
                    out[at, i] = middle * MIDDLE + cython.cast(cython.int, (board.code[square][i] >> shift) & low)
                out[at, 4] = group + _point_row(board, mover, square)
                at += 1


def write_sums(
    board: Board, mover: cython.int, codebook: cython.schar[:, ::1], out: cython.float[:, ::1],
    allowed: cython.float[::1],
) -> None:  # fmt: skip
    """
    Fills *out* ``[H * W, C]`` with the sum of each point's five rows of *codebook* ``[ROWS, C]``, at least 0,
    and *allowed* ``[H * W]`` with 1 where *mover* may play without losing by rule, else 0.
    """
    x: cython.int
    y: cython.int
    c: cython.int
    square: cython.int
    middle: cython.int
    total: cython.int
    channels: cython.int = codebook.shape[1]
    at: cython.int = 0
    shift: cython.int = 32 * mover
    low: cython.ulonglong = 0xFFFFFFFF
    line0: cython.pointer(cython.schar)
    line1: cython.pointer(cython.schar)
    line2: cython.pointer(cython.schar)
    line3: cython.pointer(cython.schar)
    point: cython.pointer(cython.schar)
    point_row: cython.int
    to: cython.p_float
    with cython.nogil:
        group: cython.int = FIRST_POINT_ROW + GROUP * _view(board, mover)
        for y in range(board.height):
            for x in range(board.width):
                square = (y + 5) * 42 + x + 5
                middle = board.cell[square]
                middle = 0 if middle == 0 or middle > 2 else 1 if middle == mover + 1 else 2
                middle *= MIDDLE
                line0 = cython.address(codebook[middle + ((board.code[square][0] >> shift) & low), 0])
                line1 = cython.address(codebook[middle + ((board.code[square][1] >> shift) & low), 0])
                line2 = cython.address(codebook[middle + ((board.code[square][2] >> shift) & low), 0])
                line3 = cython.address(codebook[middle + ((board.code[square][3] >> shift) & low), 0])
                point_row = _point_row(board, mover, square)
                allowed[at] = point_row < 81 or 90 <= point_row < 99
                point = cython.address(codebook[group + point_row, 0])
                to = cython.address(out[at, 0])
                for c in range(channels):
                    total = line0[c] + line1[c] + line2[c] + line3[c] + point[c]
                    to[c] = total & ~(total >> 31)  # at least 0, without a branch: the loop becomes vector code
                at += 1


def bench_sums(
    board: Board, codebook: cython.schar[:, ::1], out: cython.float[:, ::1], allowed: cython.float[::1],
    rounds: cython.int,
) -> int:  # fmt: skip
    """Writes the sums *rounds* times, both views in turn; returns *rounds*."""
    i: cython.int
    for i in range(rounds):
        write_sums(board, i & 1, codebook, out, allowed)
    return rounds
