"""
Alpha-beta's inner loop: principal variation search over shapes. Compiled.

A score is the log-odds of winning in hundredths, from the view of the side to move; beyond `SURE` it is a proven win
(``WIN`` minus the plies to it) or loss.
"""

from __future__ import annotations

from collections.abc import Callable

import cython
import numpy as np
from cython.cimports.gomoku_bot.core._board_cy import Board
from cython.cimports.gomoku_bot.tactics._threats_cy import allowed, answers, winning_point
from cython.cimports.gomoku_bot.tactics._vcf_cy import FourSolver

WIN_SCORE = cython.declare(cython.int, 30000)
SURE_SCORE = cython.declare(cython.int, 29000)
WIN = 30000
SURE = 29000

LOST_SO_FAR = cython.declare(cython.int, -5000)

MAX_PLY = cython.declare(cython.int, 64)
POINTS = cython.declare(cython.int, 1024)
POINT_FIVE = cython.declare(cython.int, 8)
VCF_WON = cython.declare(cython.int, 1)
ASK_EVERY = cython.declare(cython.int, 512)
NET_ORDER_DEPTH = cython.declare(cython.int, 3)

MOVER_KEY = cython.declare(cython.ulonglong, 0x5851F42D4C957F2D)

EXACT = cython.declare(cython.int, 0)
LOWER = cython.declare(cython.int, 1)
UPPER = cython.declare(cython.int, 2)

Judge = Callable[[Board, int], object]


@cython.cclass
class AlphaBeta:
    """One search at a time, on boards of one rule and size; the table stays from depth to depth and move to move."""

    solver: FourSolver
    keys: cython.ulonglong[::1]
    scores: cython.short[::1]
    depths: cython.schar[::1]
    bounds: cython.uchar[::1]
    best: cython.ushort[::1]
    mask: cython.ulonglong
    use_table: cython.bint
    killers: cython.int[:, ::1]
    history: cython.int[:, ::1]
    moves: cython.ushort[:, ::1]
    worth: cython.float[:, ::1]
    own: cython.int[::1]
    enemy: cython.int[::1]
    width_limit: cython.int
    leaf_nodes: cython.longlong
    nodes: cython.longlong
    node_limit: cython.longlong
    stopped: cython.bint
    out_of_time: object
    leaf: object
    order: object

    def __init__(
        self, own: list[int], enemy: list[int], table_bits: cython.int, width_limit: cython.int, leaf_nodes: cython.int,
        leaf: Judge | None, order: Judge | None,
    ) -> None:  # fmt: skip
        """
        own, enemy: what each point kind is worth, in hundredths of log-odds. table_bits: 0 for no table.

        width_limit: moves looked at of a position. leaf_nodes: positions of the VCF search at a leaf. leaf: asked for
        the win probability of a position and its mover instead of the shapes. order: asked for move probabilities
        ``[H * W]`` where at least three plies are left.
        """
        self.solver = FourSolver(16)
        size = 1 << table_bits
        self.keys = np.zeros(size, np.uint64)
        self.scores = np.zeros(size, np.int16)
        self.depths = np.zeros(size, np.int8)
        self.bounds = np.zeros(size, np.uint8)
        self.best = np.zeros(size, np.uint16)
        self.mask = size - 1
        self.use_table = table_bits > 0
        self.killers = np.zeros((MAX_PLY + 1, 2), np.int32)
        self.history = np.zeros((2, 1764), np.int32)
        self.moves = np.zeros((MAX_PLY + 1, POINTS), np.uint16)
        self.worth = np.zeros((MAX_PLY + 1, POINTS), np.float32)
        self.own = np.array(own, np.int32)
        self.enemy = np.array(enemy, np.int32)
        self.width_limit = width_limit
        self.leaf_nodes = leaf_nodes
        self.leaf = leaf
        self.order = order

    def clear(self) -> None:
        """Forgets all, as after a change of rule or size."""
        np.asarray(self.keys)[:] = 0
        np.asarray(self.history)[:] = 0
        np.asarray(self.killers)[:] = 0
        self.solver.clear()

    def search(
        self, board: Board, mover: cython.int, square: cython.int, depth: cython.int, alpha: cython.int,
        beta: cython.int, node_limit: cython.longlong, out_of_time: Callable[[], bool],
    ) -> tuple[int, int, bool]:  # fmt: skip
        """
        The score, for *mover*, of playing *square* and searching *depth* plies more.

        Returns score, positions visited, and whether the search came to its end; if not, the score says nothing.
        """
        self.nodes = 0
        self.node_limit = node_limit
        self.out_of_time = out_of_time
        self.stopped = False
        score: cython.int
        before: cython.int = board.count
        five: cython.bint = board.point[mover][square] & 15 == POINT_FIVE
        board.make(square, mover)
        try:
            score = WIN_SCORE if five else -self._search(board, 1 - mover, depth, -beta, -alpha, 1)
        finally:
            while board.count > before:
                board.unmake()
        return score, self.nodes, not self.stopped

    def static_score(self, board: Board, side: cython.int) -> int:
        """What the shapes alone are worth."""
        return self._shapes(board, side)

    @cython.cfunc
    def _shapes(self, board: Board, side: cython.int) -> cython.int:
        kind: cython.int
        score: cython.int = 0
        for kind in range(1, POINT_FIVE):
            score += self.own[kind] * board.total[side][kind] + self.enemy[kind] * board.total[1 - side][kind]
        return max(-2000, min(2000, score))

    @cython.cfunc
    def _search(
        self, board: Board, side: cython.int, depth: cython.int, alpha: cython.int, beta: cython.int, ply: cython.int
    ) -> cython.int:
        self.nodes += 1
        if self.nodes % ASK_EVERY == 0 and (self.nodes >= self.node_limit or self.out_of_time()):
            self.stopped = True
        if self.stopped:
            return 0
        square: cython.int = winning_point(board, side)
        if square >= 0:
            return WIN_SCORE - ply - (0 if board.total[side][POINT_FIVE] else 2)
        if board.count >= board.width * board.height:
            return 0
        end: cython.int = answers(board, 1 - side, self.moves[ply], 0)
        if end == 0:
            return -(WIN_SCORE - ply - 1)
        if depth <= 0 and (end < 0 or ply >= MAX_PLY - 1):
            return self._leaf(board, side, ply)
        key: cython.ulonglong = board.key ^ (MOVER_KEY * cython.cast(cython.ulonglong, side + 1))
        at: cython.ulonglong = key & self.mask
        known: cython.int = 0
        score: cython.int
        if self.use_table and self.keys[at] == key:
            known = self.best[at]
            score = self.scores[at]
            if self.depths[at] >= depth and abs(score) < SURE_SCORE:
                if self.bounds[at] == EXACT:
                    return score
                if self.bounds[at] == LOWER and score >= beta:
                    return score
                if self.bounds[at] == UPPER and score <= alpha:
                    return score
        answering: cython.bint = end > 0
        if not answering:
            if depth == 1 or depth == 2:  # soon at a leaf: see first whether fours win
                score = self._fours(board, side, ply)
                if score:
                    return score
            end = self._list(board, side, ply)
            self._sort(board, side, depth, ply, end, known)
            end = min(end, self.width_limit)
        elif end == 1:
            depth += 1  # the only answer costs no depth
        else:
            self._sort(board, side, depth, ply, end, known)
        first: cython.int = alpha
        top: cython.int = -WIN_SCORE
        chosen: cython.int = 0
        i: cython.int
        for i in range(end):
            square = self.moves[ply, i]
            if not allowed(board, square, side):
                continue
            board.make(square, side)
            if i == 0:
                score = -self._search(board, 1 - side, depth - 1, -beta, -alpha, ply + 1)
            else:
                score = -self._search(board, 1 - side, depth - 1, -alpha - 1, -alpha, ply + 1)
                if alpha < score < beta:
                    score = -self._search(board, 1 - side, depth - 1, -beta, -alpha, ply + 1)
            board.unmake()
            if self.stopped:
                return 0
            if score > top:
                top = score
                chosen = square
            alpha = max(alpha, score)
            if alpha >= beta:
                self.history[side, square] += depth * depth
                if self.killers[ply, 0] != square:
                    self.killers[ply, 1] = self.killers[ply, 0]
                    self.killers[ply, 0] = square
                break
        if top < -SURE_SCORE and not answering:
            top = LOST_SO_FAR  # moves that were not looked at might hold
        if self.use_table:
            self.keys[at] = key
            self.scores[at] = top
            self.depths[at] = max(-1, min(100, depth))
            self.bounds[at] = UPPER if top <= first else LOWER if top >= beta else EXACT
            self.best[at] = chosen
        return top

    @cython.cfunc
    def _leaf(self, board: Board, side: cython.int, ply: cython.int) -> cython.int:
        """Quiescence is the threat solver: a win by fours, else the judgement of shapes or net."""
        chance: cython.double
        score: cython.int = self._fours(board, side, ply)
        if score or self.leaf is None:
            return score or self._shapes(board, side)
        chance = max(1e-4, min(1 - 1e-4, self.leaf(board, side)))
        return cython.cast(cython.int, 100 * np.log(chance / (1 - chance)))

    @cython.cfunc
    def _fours(self, board: Board, side: cython.int, ply: cython.int) -> cython.int:
        """The score of a win by continuous fours, 0 if none was found."""
        self.solver.nodes = 0
        self.solver.node_limit = self.leaf_nodes
        if self.leaf_nodes and self.solver._vcf(board, side, 0, 0) == VCF_WON:
            return WIN_SCORE - ply - self.solver.length
        return 0

    @cython.cfunc
    def _list(self, board: Board, side: cython.int, ply: cython.int) -> cython.int:
        """Every empty point where a stone of either side would make something; returns their number."""
        x: cython.int
        y: cython.int
        square: cython.int
        end: cython.int = 0
        for y in range(board.height):
            for x in range(board.width):
                square = (y + 5) * 42 + x + 5
                if board.cell[square] == 0 and (board.point[0][square] & 15 or board.point[1][square] & 15):
                    self.moves[ply, end] = square
                    end += 1
        if not end:
            for y in range(board.height):
                for x in range(board.width):
                    square = (y + 5) * 42 + x + 5
                    if board.cell[square] == 0:
                        self.moves[ply, 0] = square
                        end = 1
        return end

    @cython.cfunc
    def _sort(
        self, board: Board, side: cython.int, depth: cython.int, ply: cython.int, end: cython.int, known: cython.int
    ) -> cython.void:
        """Puts the likeliest moves first, of as many as are looked at: the table's, killers, shapes, history."""
        i: cython.int
        j: cython.int
        square: cython.int
        top: cython.int
        worth: cython.float
        policy: cython.float[::1] = None
        if self.order is not None and depth >= NET_ORDER_DEPTH and end > 1:
            policy = self.order(board, side)
        for i in range(end):
            square = self.moves[ply, i]
            if policy is not None:
                worth = 1e6 * policy[((square // 42) - 5) * board.width + square % 42 - 5]
            else:
                worth = (
                    1.0 * self.own[board.point[side][square] & 15] - self.enemy[board.point[1 - side][square] & 15]
                    + self.history[side, square] / 64.0
                )  # fmt: skip
                if square == self.killers[ply, 0] or square == self.killers[ply, 1]:
                    worth += 100
            if square == known:
                worth = 1e9
            self.worth[ply, i] = worth
        for i in range(min(end, self.width_limit)):
            top = i
            for j in range(i + 1, end):
                if self.worth[ply, j] > self.worth[ply, top]:
                    top = j
            self.worth[ply, i], self.worth[ply, top] = self.worth[ply, top], self.worth[ply, i]
            self.moves[ply, i], self.moves[ply, top] = self.moves[ply, top], self.moves[ply, i]
