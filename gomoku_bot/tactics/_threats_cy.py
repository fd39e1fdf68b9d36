"""Attacks and all their answers. Compiled."""

from __future__ import annotations

import cython
from cython.cimports.gomoku_bot.core._board_cy import Board
from cython.cimports.gomoku_bot.core._forbidden_cy import is_forbidden

SUSPECT = cython.declare(cython.int, 16)
OPEN_FOUR = cython.declare(cython.int, 8)
FOUR = cython.declare(cython.int, 6)
POINT_OPEN_FOUR = cython.declare(cython.int, 7)
POINT_FIVE = cython.declare(cython.int, 8)
FOURS = cython.declare(cython.int, 2)
FIVES = cython.declare(cython.int, 3)
EMPTY = cython.declare(cython.int, 0)
REACH = cython.declare(cython.int, 5)


def allowed(board: Board, square: cython.int, color: cython.int) -> cython.bint:
    """Whether *color* may play on the empty *square*."""
    return color == 1 or not board.point[0][square] & SUSPECT or not is_forbidden(board, square)


def winning_point(board: Board, color: cython.int) -> cython.int:
    """
    A square where *color*, to move, makes five or a four that no single answer stops, or -1.

    A four counts only if the enemy threatens no five.
    """
    y: cython.int
    x: cython.int
    bits: cython.uint
    if board.total[color][POINT_FIVE]:
        return board.first(color, FIVES)
    if board.total[1 - color][POINT_FIVE] or not board.total[color][POINT_OPEN_FOUR]:
        return -1
    for y in range(board.height):
        bits = board.row[color][FOURS][y]
        x = (y + 5) * 42 + 5
        while bits:
            if bits & 1 and board.point[color][x] & 15 == POINT_OPEN_FOUR and allowed(board, x, color):
                return x
            bits >>= 1
            x += 1
    return -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _add_answer(
    board: Board, attacker: cython.int, square: cython.int, is_four: cython.bint,
    found: cython.ushort[::1], start: cython.int, at: cython.int,
) -> cython.int:  # fmt: skip
    """
    Adds *square* to the answers, unless it is there or not allowed; returns the index behind the last.

    An answer that is no four must also leave the attacker no winning point.
    """
    i: cython.int
    for i in range(start, at):
        if found[i] == square:
            return at
    if not allowed(board, square, 1 - attacker):
        return at
    i = -1
    if not is_four:
        board.make(square, 1 - attacker)
        i = winning_point(board, attacker)
        board.unmake()
    if i < 0:
        found[at] = square
        at += 1
    return at


def answers(board: Board, attacker: cython.int, found: cython.ushort[::1], at: cython.int) -> cython.int:
    """
    Lists every move of the defender, to move, that may hold against the attacker's standing threat.

    The threat is a five or a winning four (open, or double) on the next move. Answers are written to
    *found* from index *at*; returns the index behind the last. Every other move loses to the threat
    itself. Returns -1 if the attacker threatens neither or the defender makes five first.

    Against a winning four on a point f an answer is f, a square on a line through f within reach, or a
    four of the defender's own. In renju black's f must be allowed whatever white answers; as white's
    stones only take patterns away from black, a point that is not SUSPECT stays allowed.
    """
    defender: cython.int = 1 - attacker
    start: cython.int = at
    target: cython.int
    line: cython.int
    side: cython.int
    distance: cython.int
    square: cython.int
    i: cython.int
    end: cython.int
    if board.total[defender][POINT_FIVE]:
        return -1
    if board.total[attacker][POINT_FIVE]:
        target = board.first(attacker, FIVES)
        if not board.blockable:
            if board.total[attacker][POINT_FIVE] == 1 and allowed(board, target, defender):
                found[at] = target
                at += 1
            return at
    else:
        if not board.total[attacker][POINT_OPEN_FOUR]:
            return -1
        target = -1
        end = board.list_points(attacker, FOURS, found, at)
        for i in range(at, end):
            if board.point[attacker][found[i]] == POINT_OPEN_FOUR:
                target = found[i]
                break
        if target < 0:
            return -1
    at = _add_answer(board, attacker, target, False, found, start, at)
    for line in range(4):
        i = (board.pattern[target] >> (16 * attacker + 4 * line)) & 15
        if i < FOUR:
            continue
        for side in range(2):
            square = target
            for distance in range(REACH):
                square += board.step[line] if side else -board.step[line]
                if board.cell[square] == EMPTY:
                    at = _add_answer(board, attacker, square, False, found, start, at)
    if not board.total[attacker][POINT_FIVE]:
        end = board.list_points(defender, FOURS, found, at + 1)
        for i in range(at + 1, end):
            square = found[i]
            at = _add_answer(board, attacker, square, True, found, start, at)
    return at
