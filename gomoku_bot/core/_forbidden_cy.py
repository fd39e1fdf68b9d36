"""Renju's forbidden points for black, with the exact recursion. Compiled."""

from __future__ import annotations

import cython
from cython.cimports.gomoku_bot.core._board_cy import Board

SUSPECT = cython.declare(cython.int, 16)
POINT_NOTHING = cython.declare(cython.int, 0)
POINT_FIVE = cython.declare(cython.int, 8)
OPEN_THREE = cython.declare(cython.int, 5)
OPEN_FOUR = cython.declare(cython.int, 8)


def is_forbidden(board: Board, square: cython.int) -> cython.bint:
    """
    Whether black may not play on the empty *square*: overline, double-four or double-three.

    A three counts only if it can become a straight four on a point that makes no five and is itself
    allowed (Renju International Federation, rules of renju, 9.2 and 9.3).
    """
    kind: cython.int = board.point[0][square]
    if not kind & SUSPECT:
        return False
    if kind == SUSPECT:  # an overline or two fours
        return True
    patterns: cython.uint = board.pattern[square] & 0xFFFF
    threes: cython.int = 0
    line: cython.int
    step: cython.int
    side: cython.int
    at: cython.int
    board.make(square, 0)
    for line in range(4):
        if (patterns >> (4 * line)) & 15 != OPEN_THREE:
            continue
        for side in range(2):
            step = board.step[line] if side else -board.step[line]
            at = square + step
            while board.cell[at] == 1:
                at += step
            if (
                board.cell[at] == 0
                and (board.pattern[at] >> (4 * line)) & 15 == OPEN_FOUR
                and board.point[0][at] & 15 != POINT_FIVE
                and not is_forbidden(board, at)
            ):
                threes += 1
                break
    board.unmake()
    return threes >= 2
