"""
The search tree in flat arrays. Compiled.

A node stands for a move; its children lie side by side. ``value_sum`` and proofs are from the view of the side
that made the move, so that a node chooses the child with the largest. Node 0 is no node. PUCT with the constants
of KataGo (D. Wu, *Accelerating self-play learning in Go*, 2019) and the proofs of MCTS-Solver (M. Winands et al.,
2008).
"""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.gomoku_bot.core._board_cy import Board
from cython.cimports.gomoku_bot.tactics._threats_cy import allowed, winning_point
from cython.cimports.libc.math import log, sqrt

POINT_FIVE = cython.declare(cython.int, 8)
MAX_DEPTH = cython.declare(cython.int, 512)

# What `descend` came to.
EVALUATE = cython.declare(cython.int, 0)
DONE = cython.declare(cython.int, 1)
COLLISION = cython.declare(cython.int, 2)
FULL = cython.declare(cython.int, 3)

# Proofs of a move, in its maker's view.
OPEN = cython.declare(cython.int, 0)
WON = cython.declare(cython.int, 1)
LOST = cython.declare(cython.int, 2)
DRAWN = cython.declare(cython.int, 3)

NODE_BYTES = 36
"""Memory of one node."""


@cython.final
@cython.cclass
class Tree:
    """
    Grown by `_grow_cy`. The children of a node are in the order of their priors, likeliest first.

    Those that were visited come first: of the unvisited ones the likeliest has the best score.
    """

    def __init__(
        self, capacity: cython.int, batch: cython.int, c_base: cython.double = 1.0, c_log: cython.double = 0.4,
        fpu: cython.double = 0.1,
    ) -> None:  # fmt: skip
        """capacity: most nodes; batch: most leaves that wait for a network; the rest are PUCT's constants."""
        self.square = np.zeros(capacity, np.uint16)
        self.prior = np.zeros(capacity, np.float32)
        self.visits = np.zeros(capacity, np.int32)
        self.pending = np.zeros(capacity, np.int32)
        self.value_sum = np.zeros(capacity, np.float64)
        self.first = np.zeros(capacity, np.int32)
        self.children = np.zeros(capacity, np.int32)
        self.complete = np.zeros(capacity, np.uint8)
        self.proof = np.zeros(capacity, np.uint8)
        self.length = np.zeros(capacity, np.int32)
        self.path = np.zeros((batch, MAX_DEPTH), np.int32)
        self.depth = np.zeros(batch, np.int32)
        self.c_base = c_base
        self.c_log = c_log
        self.fpu = fpu
        self.clear()

    def clear(self) -> None:
        """Forgets all but an unvisited root."""
        self.count = 1
        self.root = self._new(0, 1.0)
        self.slot = 0

    def _new(self, square: cython.int, prior: cython.float) -> cython.int:
        node: cython.int = self.count
        self.count += 1
        self.square[node] = square
        self.prior[node] = prior
        self.visits[node] = self.pending[node] = self.first[node] = self.children[node] = 0
        self.value_sum[node] = 0
        self.complete[node] = self.proof[node] = 0
        self.length[node] = 0
        return node

    def advance(self, square: cython.int) -> bool:
        """Makes the child that plays *square* the root; False (and a new tree) if there is none."""
        i: cython.int
        for i in range(self.first[self.root], self.first[self.root] + self.children[self.root]):
            if self.square[i] == square:
                self.root = i
                if self.count > self.square.shape[0] // 2:
                    self._compact()
                return True
        self.clear()
        return False

    def _compact(self) -> cython.void:
        """Moves what hangs below the root to the front; a child's number is always larger than its parent's."""
        i: cython.int
        j: cython.int
        to: cython.int = 1
        end: cython.int = self.count
        moved: cython.p_int
        moved = cython.address(self.pending[0])  # all zero between two batches, and left so
        moved[self.root] = 1
        for i in range(self.root, end):
            if not moved[i]:
                continue
            for j in range(self.first[i], self.first[i] + self.children[i]):
                moved[j] = 1
            moved[i] = to
            to += 1
        for i in range(self.root, end):
            j = moved[i]
            if not j:
                continue
            self.square[j] = self.square[i]
            self.prior[j] = self.prior[i]
            self.visits[j] = self.visits[i]
            self.value_sum[j] = self.value_sum[i]
            self.first[j] = moved[self.first[i]] if self.children[i] else 0
            self.children[j] = self.children[i]
            self.complete[j] = self.complete[i]
            self.proof[j] = self.proof[i]
            self.length[j] = self.length[i]
        for i in range(end):
            moved[i] = 0
        self.root = 1
        self.count = to

    def nodes_left(self) -> int:
        """How many more nodes there is room for."""
        return self.square.shape[0] - self.count

    def _select(self, node: cython.int) -> cython.int:
        """The child with the best PUCT score that is not lost; -1 if all are."""
        i: cython.int
        best: cython.int = -1
        n: cython.double
        q: cython.double
        score: cython.double
        top: cython.double = -1e9
        seen: cython.double = 0
        first: cython.int = self.first[node]
        end: cython.int = first + self.children[node]
        total: cython.double = self.visits[node] + self.pending[node]
        for i in range(first, end):
            if not self.visits[i]:
                break
            seen += self.prior[i]
        parent: cython.double = -self.value_sum[node] / self.visits[node] if self.visits[node] else 0.0
        first_play: cython.double = parent - self.fpu * sqrt(seen)
        c: cython.double = (self.c_base + self.c_log * log((total + 500) / 500)) * sqrt(total + 0.01)
        for i in range(first, end):
            if self.proof[i] == LOST:
                continue
            n = self.visits[i] + self.pending[i]
            if self.proof[i] == WON:
                return i
            q = (self.value_sum[i] - self.pending[i]) / n if n > 0 else first_play
            score = q + c * self.prior[i] / (1 + n)
            if score > top:
                top = score
                best = i
            if n == 0:
                break
        return best

    def descend(self, board: Board, mover: cython.int) -> cython.int:
        """
        Plays down to a leaf; *mover* is to move at the root.

        Returns EVALUATE if the leaf wants a network's answer (the position is on *board*, the leaf has the last
        slot), else DONE, COLLISION (it already waits for one) or FULL. Forced answers to a five are played on
        without a visit of their own.
        """
        node: cython.int = self.root
        side: cython.int = mover
        child: cython.int
        slot: cython.int = self.slot
        depth: cython.int = 0
        wins: cython.bint = False
        at: cython.int
        i: cython.int
        self.path[slot, 0] = node
        while True:
            if not self.children[node]:
                if self.pending[node]:
                    self.depth[slot] = depth + 1
                    return COLLISION
                if self.count + 1600 > self.square.shape[0] or depth + 2 >= MAX_DEPTH:
                    self.depth[slot] = depth + 1
                    return FULL
                self.depth[slot] = depth + 1
                if wins:
                    self._settle(slot, WON, 0)
                    return DONE
                at = winning_point(board, side)
                if at >= 0:
                    self._settle(slot, LOST, 1 if board.total[side][POINT_FIVE] else 3)
                    return DONE
                if board.total[1 - side][POINT_FIVE] and not board.blockable:
                    at = board.first(1 - side, 3)
                    if board.total[1 - side][POINT_FIVE] > 1 or not allowed(board, at, side):
                        self._settle(slot, WON, 2)
                        return DONE
                    self.first[node] = self._new(at, 1.0)
                    self.children[node] = 1
                    self.complete[node] = 1
                elif board.count >= board.width * board.height:
                    self._settle(slot, DRAWN, 0)
                    return DONE
                else:
                    for i in range(depth + 1):
                        self.pending[self.path[slot, i]] += 1
                    self.slot += 1
                    return EVALUATE
            child = self._select(node)
            if child < 0 or self.proof[child] == DRAWN:
                self.depth[slot] = depth + 1
                if child < 0 and self.complete[node] and self.proof[node] == OPEN:
                    self._settle(slot, WON, self._longest(node) + 1)
                else:
                    self._back_up(slot, 1.0 if child < 0 else 0.0)
                return DONE
            if self.proof[child] == WON:
                self.depth[slot] = depth + 1
                if self.proof[node] == OPEN:
                    self._settle(slot, LOST, self.length[child] + 1)
                else:
                    self._back_up(slot, -1.0)
                return DONE
            wins = board.point[side][self.square[child]] & 15 == POINT_FIVE
            board.make(self.square[child], side)
            side = 1 - side
            node = child
            depth += 1
            self.path[slot, depth] = node

    def _longest(self, node: cython.int) -> cython.int:
        """The longest way to lose that the children of *node* offer, in plies."""
        i: cython.int
        longest: cython.int = 0
        for i in range(self.first[node], self.first[node] + self.children[node]):
            if self.length[i] > longest:
                longest = self.length[i]
        return longest

    def _settle(self, slot: cython.int, proof: cython.int, length: cython.int) -> cython.void:
        """Proves the leaf of the path, in its maker's view, and all that follows from it above; backs it up."""
        i: cython.int = self.depth[slot] - 1
        j: cython.int
        node: cython.int
        best: cython.int
        value: cython.double = 1.0 if proof == WON else -1.0 if proof == LOST else 0.0
        node = self.path[slot, i]
        self.proof[node] = proof
        self.length[node] = length
        self._back_up(slot, value)
        while i > 0:
            i -= 1
            if self.proof[node] == DRAWN:
                return
            if self.proof[node] == WON:  # the parent's player has a winning move: the parent's maker has lost
                best = self.length[node] + 1
                node = self.path[slot, i]
                self.proof[node] = LOST
                self.length[node] = best
                continue
            node = self.path[slot, i]
            if not self.complete[node]:
                return
            for j in range(self.first[node], self.first[node] + self.children[node]):
                if self.proof[j] != LOST:
                    return
            self.proof[node] = WON
            self.length[node] = self._longest(node) + 1

    def _back_up(self, slot: cython.int, value: cython.double) -> cython.void:
        """Adds a visit to every node of the path; *value* is in the view of the leaf's maker."""
        i: cython.int = self.depth[slot] - 1
        while i >= 0:
            self.visits[self.path[slot, i]] += 1
            self.value_sum[self.path[slot, i]] += value
            value = -value
            i -= 1

    def settle_last(self, proof: cython.int, length: cython.int) -> cython.void:
        """The leaf in the last slot is proven, in its maker's view."""
        i: cython.int
        self.slot -= 1
        for i in range(self.depth[self.slot]):
            self.pending[self.path[self.slot, i]] -= 1
        self._settle(self.slot, proof, length)

    def back_up_leaf(self, slot: cython.int, value: cython.double) -> cython.void:
        """The leaf in *slot* has its network's *value*, -1 to 1 in the view of its side to move."""
        i: cython.int
        for i in range(self.depth[slot]):
            self.pending[self.path[slot, i]] -= 1
        self._back_up(slot, -value)

    def expand_root(self, squares: cython.ushort[::1], priors: cython.float[::1], value: cython.double) -> None:
        """Gives an empty root its moves, likeliest first; they are wanted even if the game is decided."""
        i: cython.int
        self.first[self.root] = self.count
        for i in range(squares.shape[0]):
            self._new(squares[i], priors[i])
        self.children[self.root] = squares.shape[0]
        self.path[0, 0] = self.root
        self.depth[0] = 1
        self._back_up(0, -value)

    def root_children(self) -> list[tuple[int, float, int, float, int, int, int]]:
        """Square, prior, visits, mean value (the chooser's), proof, plies to the end, node: every root move."""
        return self.children_of(self.root)

    def children_of(self, node: cython.int) -> list[tuple[int, float, int, float, int, int, int]]:
        """The same for the moves of any node."""
        i: cython.int
        first: cython.int = self.first[node]
        return [
            (
                self.square[i], self.prior[i], self.visits[i],
                self.value_sum[i] / self.visits[i] if self.visits[i] else 0.0,
                self.proof[i], self.length[i], i,
            )
            for i in range(first, first + self.children[node])
        ]  # fmt: skip

    def proof_of_root(self) -> int:
        """0 open, 1 the side to move has lost, 2 it has won, 3 drawn."""
        return self.proof[self.root]

    def root_visits(self) -> int:
        """Visits of the root."""
        return self.visits[self.root]
