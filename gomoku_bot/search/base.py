"""The interface of every search."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from gomoku_bot.clock import Deadline
from gomoku_bot.core.position import Point, Position
from gomoku_bot.evaluator.base import Floats


@dataclass(frozen=True, kw_only=True)
class Limits:
    """When to stop thinking; the first limit reached ends the search."""

    deadline: Deadline | None = None
    """The moment to be done by; it may move in mid-thought."""

    visits: int | None = None
    """Playouts of the root."""

    among: frozenset[Point] | None = None
    """Moves to choose from; None: every legal one."""

    fair_seconds: float | None = None
    """The move's fair share of a match that has a limit, from `began` on; None: the deadline alone counts."""

    began: float = field(default_factory=time.monotonic)

    def seconds_left(self, need: float = 1.0) -> float:
        """Seconds until the deadline, or until *need* fair shares are spent; infinite without both."""
        left = self.deadline.left() if self.deadline else float("inf")
        if self.fair_seconds is None:
            return left
        return min(left, self.began + need * self.fair_seconds - time.monotonic())


@dataclass(frozen=True)
class RootMove:
    """What a search thinks of one move, from the mover's view."""

    move: Point
    prior: float
    visits: int
    win: float
    """Probability to win plus half that of a draw."""

    line: tuple[Point, ...]
    """The move and what is expected to follow."""


@dataclass(frozen=True)
class Result:
    """A search's answer, from the view of the side to move."""

    move: Point
    wdl: tuple[float, float, float]
    """Probabilities of win, draw and loss."""

    visits: int
    moves: Sequence[RootMove] = field(default_factory=tuple)
    """The moves looked at, best first."""

    proven: bool = False
    """Whether the result is exact."""

    @property
    def value(self) -> float:
        """Win minus loss, -1 to 1."""
        return self.wdl[0] - self.wdl[2]

    @property
    def line(self) -> tuple[Point, ...]:
        """The principal variation."""
        return self.moves[0].line if self.moves else (self.move,)


Report = Callable[[Result], None]
"""Told of the best so far, now and then."""


class Searcher(Protocol):
    """Finds a move. Obeys *stop* within 20 ms, a network call apart, and always has a legal move to give."""

    name: str

    def think(self, position: Position, limits: Limits, stop: threading.Event, report: Report) -> Result: ...


def forced_move(position: Position) -> Point | None:
    """A five of the side to move, else the point that stops the enemy's, if it may be played; else None."""
    for color in (position.turn, position.turn.opponent):
        for point in position.fives(color):
            if color is position.turn or not position.rule.has_forbidden_points(position.turn):
                return point
            if point not in position.forbidden():
                return point
    return None


def root_priors(position: Position, policy: Floats, among: frozenset[Point] | None) -> list[tuple[Point, float]]:
    """
    The moves to choose from with their priors (summing to 1), likeliest first.

    policy: ``[H * W]``. If nothing of *among* may be played without losing by rule, every empty point counts.
    """
    width = position.width
    order = [((int(i) % width, int(i) // width), float(policy[i])) for i in np.argsort(-policy, kind="stable")]
    chosen = [(p, prior) for p, prior in order if prior > 0 and (among is None or p in among)]
    if not chosen:
        chosen = [(p, 1.0) for p in position.points if position.is_empty(*p)]
    total = sum(prior for _, prior in chosen)
    return [(p, prior / total) for p, prior in chosen]
