"""Weaker play for people: few playouts, and moves drawn from what the search thinks of them."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace

import numpy as np

from gomoku_bot.core.position import Position
from gomoku_bot.search.base import Limits, Report, Result, Searcher


@dataclass(frozen=True)
class Level:
    """How a level plays."""

    visits: int
    """Playouts at most; 1: the policy network alone."""

    temperature: float
    """A move is drawn with probability proportional to its visits (or prior) to the power of 1 / temperature."""

    solves: bool
    """Whether the threat solver is asked first."""


LEVELS = {
    1: Level(1, 2.2, False),
    2: Level(1, 1.6, False),
    3: Level(1, 1.2, False),
    4: Level(1, 0.8, False),
    5: Level(1, 0.5, False),
    6: Level(1, 0.2, False),
    7: Level(80, 0.25, False),
    8: Level(80, 0.1, True),
    9: Level(600, 0.05, True),
}
"""Level 10, the last, is full strength."""

FULL_LEVEL = 10


class LevelSearch:
    """Draws a move from another search's result."""

    def __init__(self, search: Searcher, level: Level) -> None:
        self.name = f"{search.name}, {level.visits} playouts"
        self._search = search
        self._level = level
        self._rng = np.random.default_rng()

    def think(self, position: Position, limits: Limits, stop: threading.Event, report: Report) -> Result:
        """At most the level's playouts; a proven win is played."""
        level = self._level
        result = self._search.think(position, replace(limits, visits=level.visits), stop, report)
        if result.proven or len(result.moves) < 2:
            return result
        worth = np.array([move.prior if level.visits == 1 else move.visits for move in result.moves], np.float64)
        chance = (worth / worth.max()) ** (1 / level.temperature)
        drawn = result.moves[int(self._rng.choice(len(worth), p=chance / chance.sum()))]
        others = [move for move in result.moves if move is not drawn]
        return replace(result, move=drawn.move, moves=[drawn, *others])
