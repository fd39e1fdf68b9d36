"""
Wins by continuous fours (VCF), depth first, and the table and stack that all threat searches share. Compiled.

Only moves that threaten to win at once are searched, and all answers of the defender (`_threats_cy`), so that a
claimed win is one.
"""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.gomoku_bot.core._board_cy import Board
from cython.cimports.gomoku_bot.tactics._threats_cy import allowed, answers, winning_point

LOSS = cython.declare(cython.int, 0)
WIN = cython.declare(cython.int, 1)
UNKNOWN = cython.declare(cython.int, 2)

INFINITE = cython.declare(cython.uint, 100000000)
FOURS = cython.declare(cython.int, 2)
FIVES = cython.declare(cython.int, 3)
POINT_FOUR = cython.declare(cython.int, 5)
POINT_FIVE = cython.declare(cython.int, 8)
MAX_PLY = cython.declare(cython.int, 400)

# Keys of the table: a stone key, the attacker's, and what was searched.
VCF_KEY = cython.declare(cython.ulonglong, 0x3C6EF372FE94F82B)
ATTACKER_KEY = cython.declare(cython.ulonglong, 0x5851F42D4C957F2D)


@cython.cclass
class FourSolver:
    """One table and one stack; `vcf` may be called on any boards of one rule and size, one at a time."""

    def __init__(self, table_bits: cython.int = 18) -> None:
        """The table has ``2 ** table_bits`` entries of 16 bytes."""
        size = 1 << table_bits
        self.keys = np.zeros(size, np.uint64)
        self.proof = np.zeros(size, np.uint32)
        self.disproof = np.zeros(size, np.uint32)
        self.stack = np.zeros(1 << 17, np.uint16)
        self.line = np.zeros(MAX_PLY + 8, np.uint16)
        self.mask = size - 1
        self.nodes = self.node_limit = 0
        self.length = 0
        self.stopped = False

    def clear(self) -> None:
        """Forgets all that was searched, as after a change of rule or size."""
        np.asarray(self.keys)[:] = 0

    def vcf(self, board: Board, attacker: cython.int, nodes: cython.longlong) -> tuple[int, list[int]]:
        """
        Searches a win by continuous fours for *attacker*, who is to move, visiting at most *nodes* positions.

        Returns 0 (there is none), 1 (win) or 2 (unknown: stopped), and the winning line as squares.
        """
        self.nodes = 0
        self.node_limit = nodes
        result: cython.int
        with cython.nogil:
            result = self._vcf(board, attacker, 0, 0)
        return result, [self.line[i] for i in range(self.length)] if result == WIN else []

    def _vcf(self, board: Board, attacker: cython.int, ply: cython.int, base: cython.int) -> cython.int:
        """The result for *attacker*, to move; a win's moves stand in ``line[ply:length]``."""
        defender: cython.int = 1 - attacker
        self.nodes += 1
        if self.stopped or self.nodes > self.node_limit or ply >= MAX_PLY:
            return UNKNOWN
        square: cython.int = winning_point(board, attacker)
        if square >= 0:
            self._finish_line(board, attacker, square, ply, base)
            return WIN
        key: cython.ulonglong = board.key ^ VCF_KEY ^ (ATTACKER_KEY * (attacker + 1))
        at: cython.ulonglong = key & self.mask
        if self.keys[at] == key:
            return LOSS
        end: cython.int
        if board.total[defender][POINT_FIVE] and not board.blockable:
            end = base
            square = board.first(defender, FIVES)
            if board.total[defender][POINT_FIVE] == 1 and board.group[board.point[attacker][square]] == FOURS:
                self.stack[base] = square
                end = base + 1
        else:
            end = board.list_points(attacker, FOURS, self.stack, base)
        unknown: cython.bint = False
        result: cython.int
        first_pass: cython.bint
        i: cython.int
        for first_pass in (True, False):
            for i in range(base, end):
                square = self.stack[i]
                if (board.point[attacker][square] & 15 == POINT_FOUR) == first_pass:
                    continue  # fours that make more than a four come first
                if not allowed(board, square, attacker):
                    continue
                board.make(square, attacker)
                result = self._vcf_answers(board, attacker, ply + 1, end)
                board.unmake()
                if result == WIN:
                    self.line[ply] = square
                    return WIN
                unknown |= result == UNKNOWN
        if unknown:
            return UNKNOWN
        self.keys[at] = key
        self.proof[at] = INFINITE
        self.disproof[at] = 0
        return LOSS

    def _vcf_answers(self, board: Board, attacker: cython.int, ply: cython.int, base: cython.int) -> cython.int:
        """The result for *attacker* after his four, the defender to move."""
        self.nodes += 1
        if not board.total[attacker][POINT_FIVE]:
            return LOSS
        end: cython.int = answers(board, attacker, self.stack, base)
        i: cython.int
        result: cython.int
        if end < 0:
            return LOSS
        if end == base:  # two winning points, or the only answer is forbidden
            self.length = ply
            return WIN
        for i in range(base, end):
            board.make(self.stack[i], 1 - attacker)
            result = self._vcf(board, attacker, ply + 1, end)
            board.unmake()
            if result != WIN:
                return result
            self.line[ply] = self.stack[i]
        return WIN

    def _finish_line(
        self, board: Board, attacker: cython.int, square: cython.int, ply: cython.int, base: cython.int
    ) -> cython.void:
        """Completes the line from the winning point *square*: the move, and after a four an answer and the five."""
        five: cython.bint = board.total[attacker][POINT_FIVE] > 0
        self.line[ply] = square
        self.length = ply + 1
        if five:
            return
        board.make(square, attacker)
        answer: cython.int = board.first(attacker, FIVES)
        if answer >= 0 and allowed(board, answer, 1 - attacker):
            board.make(answer, 1 - attacker)
            if board.total[attacker][POINT_FIVE]:
                self.line[ply + 1] = answer
                self.line[ply + 2] = board.first(attacker, FIVES)
                self.length = ply + 3
            board.unmake()
        board.unmake()
