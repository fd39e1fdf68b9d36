"""A game in progress: opening moves, then the solver, then a search."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from gomoku_bot import openings
from gomoku_bot.clock import Clock, Deadline
from gomoku_bot.core.position import Point, Position
from gomoku_bot.evaluator import catalog
from gomoku_bot.evaluator.base import Evaluator, PatternEvaluator
from gomoku_bot.rules import Color, Rule
from gomoku_bot.search.alphabeta import AlphaBetaSearch
from gomoku_bot.search.base import Limits, Report, Result, RootMove, Searcher, forced_move
from gomoku_bot.search.baseline import OneStepSearch, RandomSearch, heuristic_search
from gomoku_bot.search.levels import FULL_LEVEL, LEVELS, LevelSearch
from gomoku_bot.search.mixed import MixedEvaluator
from gomoku_bot.search.policy import PolicySearch
from gomoku_bot.search.puct import PuctSearch
from gomoku_bot.search.rollout import VALUE_DEPTH, RolloutSearch
from gomoku_bot.tactics.solver import Solver

SEARCHES: dict[str, Callable[[Evaluator], Searcher]] = {
    "puct": PuctSearch,
    "alpha-beta": AlphaBetaSearch,
    "puct-rollouts": lambda evaluator: PuctSearch(MixedEvaluator(evaluator)),
    "policy": PolicySearch,
    "rollout-end": RolloutSearch,
    "rollout-value": lambda evaluator: RolloutSearch(evaluator, depth=VALUE_DEPTH),
    "heuristic": heuristic_search,
    "one-step": OneStepSearch,
    "random": RandomSearch,
}
DEFAULT_SEARCH = "puct"

UNAIDED = frozenset({"policy", "heuristic", "one-step", "random"})
"""Players to measure others by: neither the threat solver nor the opening move helps them."""

WIN_SHARE = 0.15
"""Share of a move's time to look for a forced win before the search ..."""

DEFENCE_SHARE = 0.1
"""... to look for the enemy's, and twice this to find what refutes it."""

TIMED_NODES = 10_000_000
UNTIMED_NODES = 10_000
"""Positions the solver visits in each of its stages, with a deadline (which comes first) and without."""

SOLVER_MEMORY_BYTES = 16 << 20
"""The solver's table, if the manager allows it."""

PROGRAM_BYTES = 150_000_000
"""What the program needs without its tables; `gomoku-bot bench` measures less."""


def _ignore(_: object) -> None:
    pass


class Engine:
    """
    One game after another, on any board and rule.

    >>> engine = Engine(load_evaluator=PatternEvaluator)
    >>> engine.new_game(15, 15)
    >>> engine.think().move
    (7, 7)
    """

    def __init__(
        self,
        search: str = DEFAULT_SEARCH,
        *,
        load_evaluator: Callable[[], Evaluator] = catalog.load,
        make_search: Callable[[Evaluator], Searcher] | None = None,
        solve: bool = True,
    ) -> None:
        """
        search: a name in `SEARCHES`. make_search: makes it in another way. solve: whether the threat solver is asked
        before the search.

        The networks are loaded when they are first needed.
        """
        self.search = search
        self.solve = solve
        self.clock = Clock()
        self.position = Position(15, 15)
        self.trouble = ""
        """What went wrong in the last thought, for the author to read; empty if nothing did."""
        self.load_error = ""
        """Why the networks could not be loaded; empty if they could."""
        self.level = FULL_LEVEL
        """1 to `FULL_LEVEL`: how well the tree search plays; see `set_level`."""
        self.max_visits: int | None = None
        self.max_memory_bytes = 0
        """The manager's limit; 0: none."""
        self._load_evaluator = load_evaluator
        self._make_search = make_search or SEARCHES[search]
        self._evaluator: Evaluator | None = None
        self._loading = threading.Lock()
        self._loader: threading.Thread | None = None
        self._solver: Solver | None = None
        self._searcher: tuple[Evaluator, Searcher] | None = None
        self.rng = np.random.default_rng(1)

    def new_game(self, width: int, height: int) -> None:
        """Empties the board, of a new size maybe; the rule stays. Raises `ValueError` for a size out of range."""
        self.position = Position(width, height, self.position.rule, continuous=self.position.continuous)
        self.clock.new_game()

    def set_rule(self, rule: Rule, continuous: bool) -> None:
        """Changes the rule of the game in progress; the stones stay."""
        old = self.position
        if (rule, continuous) == (old.rule, old.continuous):
            return
        self.position = Position.from_stones(
            old.stones(Color.BLACK), old.stones(Color.WHITE), old.width, old.height, rule,
            continuous=continuous, blocked=old.blocked,
        )  # fmt: skip

    def set_level(self, level: int) -> None:
        """
        From now on plays on *level*, 1 (a beginner) to `FULL_LEVEL`.

        :raises: `ValueError` for another number.
        """
        if not 1 <= level <= FULL_LEVEL:
            raise ValueError(f"level {level} is not from 1 to {FULL_LEVEL}")
        self.level = level
        self._searcher = None

    def forget(self) -> None:
        """Drops what earlier thoughts have found."""
        self._solver = None
        self._searcher = None

    def preload(self) -> None:
        """Begins to load the networks in a thread of its own, once."""
        with self._loading:
            if self._loader is None:
                self._loader = threading.Thread(target=self._load, daemon=True)
                self._loader.start()

    def _load(self) -> None:
        try:
            self._evaluator = self._load_evaluator()
        except Exception as error:
            self.load_error = f"no networks, patterns instead: {type(error).__name__}: {error}"
            self._evaluator = PatternEvaluator()

    def evaluator(self, deadline: Deadline | None = None) -> Evaluator:
        """The networks; patterns in their place if they cannot be loaded (see `trouble`) or not in time."""
        self.preload()
        assert self._loader is not None
        self._loader.join(max(0.0, deadline.left()) if deadline else None)
        if self._evaluator is None:
            self.trouble = "the networks were not loaded in time, patterns instead"
        return self._evaluator or PatternEvaluator()

    def think(
        self,
        deadline: Deadline | None = None,
        stop: threading.Event | None = None,
        report: Report = _ignore,
        position: Position | None = None,
    ) -> Result:
        """
        Finds a move for the side to move; the position stays.

        Without a deadline the search runs to its own measure; one that has passed means: at once. Whatever
        fails inside, a legal move comes back and `trouble` says what happened.

        :raises: `ValueError` if no point is empty.
        """
        position = position or self.position
        if position.is_full:
            raise ValueError("no point is empty")
        self.trouble = ""
        try:
            result = self._think(position.copy(), deadline, stop or threading.Event(), report)
            self.trouble = self.trouble or self.load_error
            return result
        except Exception as error:
            self.trouble = f"thought failed: {type(error).__name__}: {error}"
            result = PolicySearch(PatternEvaluator()).think(position, Limits(), threading.Event(), _ignore)
            return replace(result, visits=0)

    def _think(self, position: Position, deadline: Deadline | None, stop: threading.Event, report: Report) -> Result:
        if self.search in UNAIDED:
            return self._searcher_with(self.evaluator(deadline)).think(position, Limits(), stop, report)
        if not position.moves:
            move = openings.first_move(position)
            return Result(move, (0.5, 0.0, 0.5), 0, [RootMove(move, 1.0, 0, 0.5, (move,))])
        forced = forced_move(position)
        if forced in position.fives(position.turn):
            return _proven((forced,), won=True)
        fair = self.clock.fair_seconds() if deadline else None
        limits = Limits(deadline=deadline, visits=self.max_visits, fair_seconds=fair)
        at_once = deadline is not None and deadline.left() <= 0
        if forced or at_once:
            among = frozenset([forced]) if forced else None
            return PolicySearch(self.evaluator(deadline)).think(position, replace(limits, among=among), stop, report)
        if self.solve and (self.level == FULL_LEVEL or LEVELS[self.level].solves):
            proven, among = self._solve(position, limits, stop)
            if proven:
                return proven
            limits = replace(limits, among=among)
        return self._searcher_with(self.evaluator(deadline)).think(position, limits, stop, report)

    def _searcher_with(self, evaluator: Evaluator) -> Searcher:
        """The search, the same one as long as the evaluator is: it may keep its tree."""
        if self._searcher is None or self._searcher[0] is not evaluator:
            search = self._make_search(evaluator)
            if self.level < FULL_LEVEL:
                search = LevelSearch(search, LEVELS[self.level])
            self._searcher = evaluator, search
        return self._searcher[1]

    def _solve(
        self, position: Position, limits: Limits, stop: threading.Event
    ) -> tuple[Result | None, frozenset[Point] | None]:
        """A proven result; or the moves that hold against the enemy's forced win, None if he has none."""
        if self._solver is None:
            spare = self.max_memory_bytes - PROGRAM_BYTES if self.max_memory_bytes else SOLVER_MEMORY_BYTES
            self._solver = Solver(max(1 << 16, min(SOLVER_MEMORY_BYTES, spare // 2)))
        solver = self._solver
        seconds = min(limits.seconds_left(), 20.0)
        nodes = TIMED_NODES if limits.deadline else UNTIMED_NODES
        proof = solver.solve(position, WIN_SHARE * seconds, nodes=nodes)
        if proof.is_win:
            return _proven(proof.line, won=True), None
        enemy = position.turn.opponent
        if stop.is_set() or not solver.solve(position, DEFENCE_SHARE * seconds, color=enemy, nodes=nodes).is_win:
            return None, None
        holds, loses = solver.defences(position, 2 * DEFENCE_SHARE * seconds)
        if holds:
            return None, frozenset(holds)
        longest = max(loses, key=lambda move: len(loses[move].line))
        return _proven((longest, *loses[longest].line), won=False), None


def _proven(line: tuple[Point, ...], *, won: bool) -> Result:
    """The result of a forced win or loss along *line*."""
    wdl = (1.0, 0.0, 0.0) if won else (0.0, 0.0, 1.0)
    return Result(line[0], wdl, 0, [RootMove(line[0], 1.0, 0, wdl[0], line)], proven=True)
