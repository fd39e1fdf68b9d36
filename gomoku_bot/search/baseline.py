"""The simplest players, to measure others by."""

from __future__ import annotations

import threading

import numpy as np

from gomoku_bot.core.position import Point, Position
from gomoku_bot.evaluator.base import Evaluator, PatternEvaluator
from gomoku_bot.search.base import Limits, Report, Result, RootMove, forced_move
from gomoku_bot.search.policy import PolicySearch


class RandomSearch:
    """Any legal move; the same one for the same stones."""

    def __init__(self, evaluator: Evaluator) -> None:
        """evaluator: not asked."""
        self.name = "random"

    def think(self, position: Position, limits: Limits, stop: threading.Event, report: Report) -> Result:
        """Nothing but the moves of *limits* matters."""
        moves = position.legal_moves() or [p for p in position.points if position.is_empty(*p)]
        if limits.among is not None:
            moves = [move for move in moves if move in limits.among] or moves
        return _certain(moves[np.random.default_rng(position.key).integers(len(moves))])


class OneStepSearch(RandomSearch):
    """Wins if it can, blocks if it must, else any legal move."""

    def __init__(self, evaluator: Evaluator) -> None:
        super().__init__(evaluator)
        self.name = "one-step"

    def think(self, position: Position, limits: Limits, stop: threading.Event, report: Report) -> Result:
        """See `RandomSearch.think`."""
        forced = forced_move(position)
        return _certain(forced) if forced else super().think(position, limits, stop, report)


def heuristic_search(evaluator: Evaluator) -> PolicySearch:
    """Wins if it can, blocks if it must, else the best pattern score."""
    return PolicySearch(PatternEvaluator())


def _certain(move: Point) -> Result:
    return Result(move, (0.5, 0.0, 0.5), 1, [RootMove(move, 1.0, 1, 0.5, (move,))])
