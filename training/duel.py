"""Fast games between two settings of the tree search, in this process or in several."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from gomoku_bot.clock import Deadline
from gomoku_bot.core.position import Point, Position
from gomoku_bot.engine import Engine
from gomoku_bot.evaluator import catalog
from gomoku_bot.evaluator.base import Evaluator
from gomoku_bot.rules import Color, Rule
from gomoku_bot.search.puct import Constants, PuctSearch


@dataclass(frozen=True)
class Contender:
    """A network and the constants of the search over it."""

    folder: Path = field(default_factory=catalog.nets_folder)
    net: str = catalog.DEFAULT_NET
    constants: Constants = field(default_factory=Constants)

    def engine(self) -> Engine:
        """A fresh engine on one thread."""
        return Engine(
            load_evaluator=lambda: _evaluator(self.folder, self.net),
            make_search=lambda evaluator: PuctSearch(evaluator, constants=self.constants),
        )


@dataclass(frozen=True)
class Duel:
    """Two contenders, and what they play."""

    first: Contender
    second: Contender
    size: int
    rule: Rule
    visits: int = 0
    turn_ms: int = 0

    def pair(self, opening: Sequence[Point]) -> tuple[float, float]:
        """The first contender's points in two games of an opening, as black and as white."""
        return self._game((self.first, self.second), opening), 1 - self._game((self.second, self.first), opening)

    def _game(self, sides: tuple[Contender, Contender], opening: Sequence[Point]) -> float:
        """Black's points."""
        engines = [side.engine() for side in sides]
        position = Position.from_moves(opening, self.size, self.size, self.rule)
        while not position.is_over:
            engine = engines[position.turn - 1]
            engine.position = position
            engine.max_visits = self.visits or None
            deadline = Deadline.in_seconds(self.turn_ms / 1000) if self.turn_ms else None
            position.play(*engine.think(deadline, threading.Event()).move)
        return {Color.BLACK: 1.0, Color.WHITE: 0.0, None: 0.5}[position.winner]


@cache
def _evaluator(folder: Path, net: str) -> Evaluator:
    return catalog.load(1, folder, net)


def pairs(duel: Duel, openings: Sequence[Sequence[Point]], games: int, processes: int) -> Iterator[tuple[float, float]]:
    """Yields the points of each pair of games as it is over, in no order."""
    tasks = [openings[i % len(openings)] for i in range(games // 2)]
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        yield from pool.imap_unordered(duel.pair, tasks)
