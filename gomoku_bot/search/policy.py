"""The raw policy: the likeliest move, no search."""

from __future__ import annotations

import threading

from gomoku_bot.core.position import Position
from gomoku_bot.evaluator.base import Evaluator
from gomoku_bot.search.base import Limits, Report, Result, RootMove, forced_move, root_priors

REPORTED_MOVES = 10


class PolicySearch:
    """Plays a five, stops a five, else the move that the policy likes best."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.name = f"policy ({evaluator.name})"
        self.evaluator = evaluator

    def think(self, position: Position, limits: Limits, stop: threading.Event, report: Report) -> Result:
        """One call of each network; *limits* but for its moves, *stop* and *report* do not matter."""
        win, draw, loss = map(float, self.evaluator.value([position])[0])
        priors = root_priors(position, self.evaluator.policy([position])[0], limits.among)
        moves = [RootMove(p, prior, 1, win + draw / 2, (p,)) for p, prior in priors[:REPORTED_MOVES]]
        forced = forced_move(position)
        if forced:
            prior = dict(priors).get(forced, 0.0)
            moves = [RootMove(forced, prior, 1, win + draw / 2, (forced,))]
        return Result(moves[0].move, (win, draw, loss), 1, moves)
