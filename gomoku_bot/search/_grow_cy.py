"""A batch of playouts: down the tree to its leaves, and the networks' answers into it. Compiled."""

from __future__ import annotations

from collections.abc import Callable

import cython
import numpy as np
from cython.cimports.gomoku_bot.core._board_cy import Board
from cython.cimports.gomoku_bot.search._tree_cy import Tree
from cython.cimports.gomoku_bot.tactics._threats_cy import answers
from cython.cimports.gomoku_bot.tactics._vcf_cy import FourSolver
from cython.cimports.libc.math import powf

# As in `_tree_cy`.
EVALUATE = cython.declare(cython.int, 0)
COLLISION = cython.declare(cython.int, 2)
FULL = cython.declare(cython.int, 3)
WON = cython.declare(cython.int, 1)
LOST = cython.declare(cython.int, 2)

OPEN_FOUR_PLIES = cython.declare(cython.int, 4)
STRIDE = cython.declare(cython.int, 42)
MARGIN = cython.declare(cython.int, 5)
POINTS = cython.declare(cython.int, 1024)

MOST_CHILDREN = 40
"""Moves of a node, at most."""

KEPT_SHARE = 0.99
"""A node gets no more moves than have this share of the policy together."""

ANSWER_PRIOR = 1e-3
"""Added to the prior of every answer to a threat, so that none is forgotten."""


@cython.final
@cython.cclass
class Grower:
    """Batches of at most so many leaves; a leaf that waits has a slot."""

    answer: cython.ushort[::1]
    answers_end: cython.int[::1]
    best: cython.ushort[::1]
    share: cython.float[::1]
    waiting: cython.int
    most_children: cython.int
    kept_share: cython.float
    answer_prior: cython.float
    power: cython.float

    def __init__(self, batch: cython.int, temperature: cython.double = 1.0) -> None:
        """temperature: priors are the policy to the power of 1 / temperature."""
        self.power = 1 / temperature
        self.answer = np.zeros(batch * POINTS, np.uint16)
        self.answers_end = np.zeros(batch, np.int32)
        self.best = np.zeros(POINTS + 1, np.uint16)
        self.share = np.zeros(POINTS + 1, np.float32)
        self.waiting = 0
        self.most_children = MOST_CHILDREN
        self.kept_share = KEPT_SHARE
        self.answer_prior = ANSWER_PRIOR

    def gather(
        self, tree: Tree, board: Board, mover: cython.int, solver: FourSolver, leaf_nodes: cython.longlong,
        most: cython.int, add: Callable[[Board, int], None],
    ) -> tuple[int, bool]:  # fmt: skip
        """
        Descends until *most* leaves wait, or one is met twice, or the tree is full or its root proven.

        Leaves where the side to move wins by continuous fours (found within *leaf_nodes* positions), or where
        nothing stops the enemy's threat, are proven here; *add* is called for the others, their position on *board*.

        Returns how many wait for `expand`, and whether the tree has room for more.
        """
        stones: cython.int = board.count
        side: cython.int
        outcome: cython.int = 0
        won: cython.int
        at: cython.int
        end: cython.int
        tries: cython.int
        self.waiting = 0
        for tries in range(4 * most):
            outcome = tree.descend(board, mover)
            if outcome == EVALUATE:
                side = (mover + board.count - stones) & 1
                solver.nodes = 0
                solver.node_limit = leaf_nodes
                won = solver._vcf(board, side, 0, 0)
                at = self.waiting * POINTS
                end = -1
                if won != WON:
                    end = answers(board, 1 - side, self.answer, at)
                if won == WON:
                    tree.settle_last(LOST, solver.length)
                elif end == at:
                    tree.settle_last(WON, OPEN_FOUR_PLIES)
                else:
                    self.answers_end[self.waiting] = end
                    self.waiting += 1
                    add(board, side)
            while board.count > stones:
                board.unmake()
            if outcome >= COLLISION or self.waiting >= most or tree.proof[tree.root]:
                break
        return self.waiting, outcome != FULL

    def expand(self, tree: Tree, width: cython.int, policy: cython.float[:, ::1], wdl: cython.float[:, ::1]) -> None:
        """Gives the leaves that wait their moves and values, ``policy [n, H * W]``, ``wdl [n, 3]``."""
        slot: cython.int
        node: cython.int
        i: cython.int
        count: cython.int
        total: cython.float
        for slot in range(self.waiting):
            node = tree.path[slot, tree.depth[slot] - 1]
            if not tree.children[node]:
                count = self._choose(slot, width, policy)
                total = 0
                for i in range(count):
                    if self.power != 1:
                        self.share[i] = powf(self.share[i], self.power)
                    total += self.share[i]
                tree.first[node] = tree.count
                for i in range(count):
                    tree._new(self.best[i], self.share[i] / total)
                tree.children[node] = count
                tree.complete[node] = self.answers_end[slot] >= 0
            tree.back_up_leaf(slot, wdl[slot, 0] - wdl[slot, 2])
        tree.slot = 0
        self.waiting = 0

    @cython.cfunc
    def _choose(self, slot: cython.int, width: cython.int, policy: cython.float[:, ::1]) -> cython.int:
        """Writes the moves of a leaf into ``best`` and ``share``, likeliest first; returns how many."""
        i: cython.int
        square: cython.int
        count: cython.int = 0
        kept: cython.float = 0
        if self.answers_end[slot] >= 0:
            for i in range(slot * POINTS, self.answers_end[slot]):
                square = self.answer[i]
                count = self._insert(
                    count, square,
                    policy[slot, (square // STRIDE - MARGIN) * width + square % STRIDE - MARGIN] + self.answer_prior,
                    POINTS,
                )  # fmt: skip
            return count
        for i in range(policy.shape[1]):
            if policy[slot, i] > 0:
                square = (i // width + MARGIN) * STRIDE + i % width + MARGIN
                count = self._insert(count, square, policy[slot, i], self.most_children)
        for i in range(count):
            kept += self.share[i]
            if kept > self.kept_share:
                return i + 1
        return count

    @cython.cfunc
    def _insert(self, count: cython.int, square: cython.int, share: cython.float, most: cython.int) -> cython.int:
        """Puts a move in its place among *count* sorted ones, of which *most* are kept; returns their number."""
        i: cython.int = count
        if count == most:
            if share <= self.share[count - 1]:
                return count
            i = count - 1
        while i > 0 and self.share[i - 1] < share:
            self.share[i] = self.share[i - 1]
            self.best[i] = self.best[i - 1]
            i -= 1
        self.share[i] = share
        self.best[i] = square
        return count if count == most else count + 1
