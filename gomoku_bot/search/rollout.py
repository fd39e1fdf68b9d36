"""
The thesis' two searches: play the likeliest moves out, many games in one batch.

(a) The policy's best moves are each copied, the policy plays all copies to the end, sampling its moves,
and the move with the best wins minus losses is played. (b) The games stop after some plies and the value
network scores where they stand.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from gomoku_bot.core.position import Point, Position
from gomoku_bot.evaluator.base import Evaluator
from gomoku_bot.search.base import Limits, Report, Result, RootMove, forced_move, root_priors

TOP_MOVES = 5
COPIES = 32
VALUE_DEPTH = 8
"""Plies that search (b) plays before it asks the value network."""

SAFETY = 1.5
"""A wave is begun if the time left is so many times what it will probably take."""


@dataclass
class _Child:
    """A root move and what its games came to, from the mover's view."""

    move: Point
    prior: float
    wdl: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])
    games: int = 0
    line: tuple[Point, ...] = ()

    @property
    def score(self) -> float:
        return (self.wdl[0] - self.wdl[2]) / self.games if self.games else -2.0


def step(evaluator: Evaluator, games: Sequence[Position], rng: np.random.Generator) -> None:
    """One ply in every game: a forced move, or one sampled from the policy."""
    forced = [forced_move(game) for game in games]
    free = [game for game, move in zip(games, forced, strict=True) if move is None]
    for game, move in zip(games, forced, strict=True):
        if move is not None:
            game.play(*move)
    if not free:
        return
    cumulative = evaluator.policy(free).cumsum(1, dtype=np.float64)
    picks = (cumulative < rng.random((len(free), 1)) * cumulative[:, -1:]).sum(1)
    for game, pick, total in zip(free, picks.tolist(), cumulative[:, -1].tolist(), strict=True):
        point = (pick % game.width, pick // game.width)
        if total == 0:  # black may only play forbidden points
            point = next(p for p in game.points if game.is_empty(*p))
        game.play(*point)


class RolloutSearch:
    """Plays waves of games until a limit; the thesis' wave is `TOP_MOVES` times `COPIES` games."""

    def __init__(
        self,
        evaluator: Evaluator,
        *,
        depth: int | None = None,
        top: int = TOP_MOVES,
        copies: int = COPIES,
        seed: int = 0,
    ) -> None:
        """depth: plies before the value network scores; None plays to the end (search a)."""
        self.name = f"rollouts {'to the end' if depth is None else f'of {depth} plies'} ({evaluator.name})"
        self.evaluator = evaluator
        self.depth, self.top, self.copies = depth, top, copies
        self.seed = seed

    def think(self, position: Position, limits: Limits, stop: threading.Event, report: Report) -> Result:
        """Without a deadline and a visit limit one wave is played."""
        rng = np.random.default_rng([self.seed, position.key])
        priors = root_priors(position, self.evaluator.policy([position])[0], limits.among)
        children = [_Child(p, prior, line=(p,)) for p, prior in priors[: self.top]]
        if position.is_full or len(children) == 1:
            return self._result(position, children)
        lanes: list[Position] = []
        game_plies = float(self.depth if self.depth is not None else 30)
        ply_seconds = 0.0
        copies = 1 if limits.deadline else self.copies
        while not stop.is_set() and limits.seconds_left() > 0:
            played = sum(child.games for child in children)
            if limits.visits is not None:
                if played >= limits.visits:
                    break
                copies = min(copies, max(1, -(-(limits.visits - played) // len(children))))
            games = len(children) * copies
            if ply_seconds and limits.seconds_left() < SAFETY * ply_seconds * game_plies * games:
                fits = int(limits.seconds_left() / (SAFETY * ply_seconds * game_plies * len(children)))
                if fits < 1:
                    break
                copies, games = fits, fits * len(children)
            began = time.monotonic()
            while len(lanes) < games:
                lanes.append(position.copy())
            plies = self._wave(lanes[:games], children, limits, stop, rng)
            if plies:
                ply_seconds = (time.monotonic() - began) / plies
                game_plies = max(1.0, plies / games)
            report(self._result(position, children))
            if limits.deadline is None and limits.visits is None:
                break
            copies = min(2 * copies, self.copies)
        return self._result(position, children)

    def _wave(
        self,
        lanes: list[Position],
        children: list[_Child],
        limits: Limits,
        stop: threading.Event,
        rng: np.random.Generator,
    ) -> int:
        """Plays one game on each lane and takes its stones back; returns the plies played."""
        root = len(lanes[0].moves)
        mover = lanes[0].turn
        owner = [children[i % len(children)] for i in range(len(lanes))]
        plies = 0
        for lane, child in zip(lanes, owner, strict=True):
            lane.play(*child.move)
        open_games = [i for i, lane in enumerate(lanes) if not lane.is_over]
        deepest = self.depth if self.depth is not None else lanes[0].width * lanes[0].height
        for _ in range(deepest):
            if not open_games or stop.is_set() or limits.seconds_left() <= 0:
                break
            step(self.evaluator, [lanes[i] for i in open_games], rng)
            plies += len(open_games)
            open_games = [i for i in open_games if not lanes[i].is_over]
        cut_short = stop.is_set() or limits.seconds_left() <= 0
        values = dict[int, list[float]]()
        if self.depth is not None and open_games and not cut_short:
            wdl = self.evaluator.value([lanes[i] for i in open_games])
            for i, row in zip(open_games, wdl.tolist(), strict=True):
                values[i] = row if lanes[i].turn is mover else row[::-1]
        for i, (lane, child) in enumerate(zip(lanes, owner, strict=True)):
            if lane.winner is not None:
                values[i] = [1.0, 0.0, 0.0] if lane.winner is mover else [0.0, 0.0, 1.0]
            elif lane.is_over:
                values[i] = [0.0, 1.0, 0.0]
            if i in values:
                child.games += 1
                child.wdl = [a + b for a, b in zip(child.wdl, values[i], strict=True)]
                if child.games == 1:
                    child.line = tuple(lane.moves[root : root + 8])
            while len(lane.moves) > root:
                lane.undo()
        return plies

    def _result(self, position: Position, children: list[_Child]) -> Result:
        """The child with the best score, the likelier one if equal."""
        ordered = sorted(children, key=lambda child: (-child.score, -child.prior))
        best = ordered[0]
        if best.games:
            win, draw, loss = (part / best.games for part in best.wdl)
        else:
            win, draw, loss = map(float, self.evaluator.value([position])[0])
        moves = [
            RootMove(c.move, c.prior, c.games, (c.wdl[0] + c.wdl[1] / 2) / c.games if c.games else win, c.line)
            for c in ordered
        ]
        return Result(best.move, (win, draw, loss), sum(child.games for child in children), moves)
