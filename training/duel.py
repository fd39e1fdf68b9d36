"""Fast games between two settings of a search, for workers to play."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from gomoku_bot.arena.score import POINTS
from gomoku_bot.clock import Deadline
from gomoku_bot.core.position import Point, Position
from gomoku_bot.engine import DEFAULT_SEARCH, Engine
from gomoku_bot.evaluator.base import Evaluator
from gomoku_bot.search.alphabeta import AlphaBetaSearch
from gomoku_bot.search.base import Searcher
from gomoku_bot.search.puct import Constants, PuctSearch
from training.games import rule_and_size
from training.netfiles import NetFiles


@dataclass(frozen=True)
class Contender:
    """A network, a search, and what the search may be told."""

    net: NetFiles
    search: str = DEFAULT_SEARCH
    constants: Constants = field(default_factory=Constants)
    """For the tree search."""

    parts: tuple[tuple[str, bool], ...] = ()
    """For alpha-beta: which of its parts are used."""

    def engine(self) -> Engine:
        """A fresh engine on one thread."""
        make: dict[str, Callable[[Evaluator], Searcher]] = {
            DEFAULT_SEARCH: lambda evaluator: PuctSearch(evaluator, constants=self.constants),
            "alpha-beta": lambda evaluator: AlphaBetaSearch(evaluator, **dict(self.parts)),
        }
        return Engine(self.search, load_evaluator=self.net.load, make_search=make.get(self.search))


@dataclass(frozen=True)
class Duel:
    """Two contenders, and what they play."""

    first: Contender
    second: Contender
    set: str
    """Rule and board size, such as ``standard15``."""

    visits: int = 0
    turn_ms: int = 0

    def pair(self, opening: Sequence[Point]) -> tuple[float, float]:
        """The first contender's points in two games of an opening, as black and as white."""
        return self._game((self.first, self.second), opening), 1 - self._game((self.second, self.first), opening)

    def _game(self, sides: tuple[Contender, Contender], opening: Sequence[Point]) -> float:
        """Black's points."""
        rule, size = rule_and_size(self.set)
        engines = [side.engine() for side in sides]
        position = Position.from_moves(opening, size, size, rule)
        while not position.is_over:
            engine = engines[position.turn - 1]
            engine.position = position
            engine.max_visits = self.visits or None
            deadline = Deadline.in_seconds(self.turn_ms / 1000) if self.turn_ms else None
            position.play(*engine.think(deadline, threading.Event()).move)
        return POINTS[position.winner]
