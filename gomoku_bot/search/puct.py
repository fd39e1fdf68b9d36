"""
PUCT: a policy network's priors and a value network's judgement, put together by a tree, with proofs at its leaves.

Leaves are gathered in batches with virtual losses and judged in one call of the networks.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gomoku_bot.core.grid import point_of, square_of
from gomoku_bot.core.position import Point, Position
from gomoku_bot.evaluator.base import Evaluator
from gomoku_bot.search._grow_cy import MOST_CHILDREN, Grower
from gomoku_bot.search._tree_cy import NODE_BYTES, Tree
from gomoku_bot.search.base import Limits, Report, Result, RootMove, root_priors
from gomoku_bot.tactics._vct_cy import ThreatSolver


@dataclass(frozen=True)
class Constants:
    """What PUCT weighs by; ``python -m training.tune`` compares two of them by games."""

    c_base: float = 1.0
    """Exploration is ``c_base + c_log * log((visits + 500) / 500)``."""

    c_log: float = 0.4
    fpu: float = 0.1
    """An unvisited move is worth its parent's value less this, times the root of the visited moves' priors."""

    temperature: float = 1.0
    """Priors are the policy to the power of 1 / temperature."""

    batch: int = 8
    leaf_nodes: int = 200
    """Positions that the solver visits at a leaf, looking for a VCF."""

    bound: float = 1.96
    """
    The move played is the one whose value less so many standard errors is largest, among those with a quarter of the
    most visits; 0: the most visited one.
    """


UNTIMED_VISITS = 400
MEMORY_BYTES = 48 << 20
LINE_MOVES = 10
LOOK_SECONDS = 0.1
"""So often the search looks at its state, to report and to stop early."""

WON, LOST = 1, 2


Child = tuple[int, float, int, float, int, int, int]
"""A move of the tree as `Tree.root_children` tells it."""


def expand_root(tree: Tree, chosen: Sequence[tuple[Point, float]], value: float, temperature: float) -> None:
    """Gives an empty root its moves with their shares of the policy, likeliest first; *value* is its mover's."""
    squares = np.array([square_of(*point) for point, _ in chosen], np.uint16)
    priors = np.array([prior for _, prior in chosen], np.float32) ** np.float32(1 / temperature)
    tree.expand_root(squares, priors / priors.sum(), value)


class PuctSearch:
    """Keeps its tree from move to move of one game."""

    def __init__(
        self, evaluator: Evaluator, *, constants: Constants | None = None, memory_bytes: int = MEMORY_BYTES
    ) -> None:
        self.name = f"puct ({evaluator.name})"
        self.evaluator = evaluator
        self.constants = c = constants or Constants()
        self._tree = Tree(memory_bytes // NODE_BYTES, c.batch, c.c_base, c.c_log, c.fpu)
        self._grower = Grower(c.batch, c.temperature)
        self._solver = ThreatSolver(18)
        self._game: tuple[object, ...] = ()
        self._moves: list[Point] = []
        self._among: frozenset[Point] | None = None
        self._value_before = 0.0

    def think(self, position: Position, limits: Limits, stop: threading.Event, report: Report) -> Result:
        """Without a deadline and a visit limit, `UNTIMED_VISITS` playouts are made."""
        self._adopt(position, limits.among)
        tree = self._tree
        if not tree.root_children():
            self._grow_root(position, limits)
        most = limits.visits or (UNTIMED_VISITS if limits.deadline is None else 1 << 30)
        start, began, last, need = tree.root_visits(), time.monotonic(), time.monotonic(), 1.0
        while not stop.is_set() and limits.seconds_left(need) > 0 and tree.root_visits() < most:
            if not self._grow(position, most - tree.root_visits()) or tree.proof_of_root():
                break
            now = time.monotonic()
            if now - last > LOOK_SECONDS:
                last = now
                result = self._result(position)
                need = self._need(result)
                rate = (tree.root_visits() - start) / (now - began)
                if limits.fair_seconds is not None and self._settled(rate * limits.seconds_left(need)):
                    break
                report(result)
        result = self._result(position)
        self._value_before = result.value
        return result

    def _need(self, result: Result) -> float:
        """
        How many fair shares of time the move deserves.

        More when the best two are close or the value has dropped since the last thought; less when it is decided.
        """
        visits = [move.visits for move in result.moves[:2]] + [0]
        need = 1.0
        if visits[1] > 0.5 * visits[0]:
            need *= 1.7
        elif visits[1] < 0.1 * visits[0]:
            need *= 0.6
        if result.value < self._value_before - 0.15:
            need *= 1.7
        return need * (0.6 if abs(result.value) > 0.9 else 1.0)

    def _adopt(self, position: Position, among: frozenset[Point] | None) -> None:
        """Makes *position* the tree's root, from the old tree if it grew out of it."""
        game = (position.width, position.height, position.rule, position.continuous)
        known = len(self._moves)
        follows = game == self._game and self._among is None and position.moves[:known] == self._moves
        if not (follows and self._moves and all(self._tree.advance(square_of(*m)) for m in position.moves[known:])):
            self._tree.clear()
        if among is not None or (self._tree.proof_of_root() and not self._tree.root_children()):
            self._tree.clear()
        if game != self._game:
            self._solver.clear()
        if not self._tree.root_visits():
            self._value_before = 0.0
        self._game, self._moves, self._among = game, position.moves[:], among

    def _grow_root(self, position: Position, limits: Limits) -> None:
        """Gives the root its moves: every one that is allowed to be chosen and not forbidden by rule."""
        policy, wdl = self.evaluator.policy([position])[0], self.evaluator.value([position])[0]
        chosen = root_priors(position, policy, limits.among)
        if limits.among is None:
            chosen = chosen[:MOST_CHILDREN]
        expand_root(self._tree, chosen, float(wdl[0] - wdl[2]), self.constants.temperature)

    def _grow(self, position: Position, most: int) -> bool:
        """Gathers one batch of leaves and gives them their children; False if the tree cannot grow."""
        batch = self.evaluator.leaves(position.height, position.width)
        waiting, room = self._grower.gather(
            self._tree, position.board, position.turn - 1, self._solver, self.constants.leaf_nodes,
            min(self.constants.batch, most), batch.add,
        )  # fmt: skip
        if waiting:
            self._grower.expand(self._tree, position.width, *batch.run())
        return room

    def _settled(self, visits_left: float) -> bool:
        """Whether the second move can no longer catch up."""
        visits = sorted((child[2] for child in self._tree.root_children()), reverse=True)
        return len(visits) == 1 or (len(visits) > 1 and visits[0] - visits[1] > visits_left)

    def _result(self, position: Position) -> Result:
        """The proven win, or the move with most visits that is not a proven loss."""
        children = self._tree.root_children()

        def rank(child: Child) -> tuple[float, ...]:
            _, prior, visits, _, proof, length, _ = child
            if proof == WON:
                return (2, -length, 0)
            if proof == LOST:
                return (0, length, prior)
            return (1, visits, prior)

        ordered = sorted(children, key=rank, reverse=True)
        if self.constants.bound:
            self._check_bound(ordered)
        value = {WON: 1.0, LOST: -1.0}.get(ordered[0][4], ordered[0][3])
        proven = ordered[0][4] in (WON, LOST) and self._tree.proof_of_root() != 0
        moves = [
            RootMove(point_of(c[0]), c[1], c[2], {WON: 1.0, LOST: 0.0}.get(c[4], (1 + c[3]) / 2), self._line(c))
            for c in ordered
        ]
        wdl = ((1 + value) / 2, 0.0, (1 - value) / 2)
        return Result(moves[0].move, wdl, self._tree.root_visits(), moves, proven)

    def _check_bound(self, ordered: list[Child]) -> None:
        """Moves the open child with the best lower confidence bound to the front, if visits have decided so far."""
        if ordered[0][4] in (WON, LOST):
            return

        def bound(child: Child) -> float:
            return child[3] - self.constants.bound * math.sqrt((1.01 - child[3] ** 2) / child[2])

        near = [child for child in ordered if child[4] not in (WON, LOST) and 4 * child[2] > ordered[0][2] > 0]
        if near:
            best = max(near, key=bound)
            ordered.remove(best)
            ordered.insert(0, best)

    def _line(self, child: Child) -> tuple[Point, ...]:
        line = [point_of(child[0])]
        while len(line) < LINE_MOVES:
            below = [c for c in self._tree.children_of(child[6]) if c[2]]
            if not below:
                break
            child = max(below, key=lambda c: c[2])
            line.append(point_of(child[0]))
        return tuple(line)
