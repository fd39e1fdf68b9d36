"""Forced wins and what refutes them: the door to the compiled threat solver."""

from __future__ import annotations

import enum
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from gomoku_bot.core.grid import point_of, square_of
from gomoku_bot.core.position import Point, Position
from gomoku_bot.rules import Color
from gomoku_bot.tactics._vct_cy import ThreatSolver

QUIET_MOVES = 2
"""The last stage of `Solver.solve` allows so many moves that only threaten to win by fours."""

ENTRY_BYTES = 16


class Outcome(enum.Enum):
    """What the solver knows."""

    NO_WIN = 0
    """The threats that were searched do not win."""

    WIN = 1

    UNKNOWN = 2
    """A limit ended the search."""


@dataclass(frozen=True)
class Proof:
    """The solver's answer for one side."""

    outcome: Outcome
    line: tuple[Point, ...] = ()
    """The winning moves and one answer each, to the five or to a point where none is needed."""

    nodes: int = 0
    """Positions visited."""

    @property
    def is_win(self) -> bool:
        return self.outcome is Outcome.WIN


class Solver:
    """
    Proves wins by threats; keeps a table between calls, for one game.

    >>> position = Position.from_moves([(7, 7), (0, 0), (8, 7), (0, 2), (9, 7), (0, 4)])
    >>> Solver().solve(position, seconds=1).line
    ((6, 7), (5, 7), (10, 7))
    """

    def __init__(self, memory_bytes: int = 16 << 20) -> None:
        self._core = ThreatSolver(max(10, (memory_bytes // ENTRY_BYTES).bit_length() - 1))
        self._game: tuple[object, ...] = ()

    def stop(self) -> None:
        """Ends the search that runs in another thread; its answer is then UNKNOWN unless it was done."""
        self._core.stopped = True

    def clear(self) -> None:
        """Forgets all that was searched."""
        self._core.clear()

    def vcf(self, position: Position, color: Color, nodes: int = 100_000) -> Proof:
        """Searches a win of *color*, as if to move, by continuous fours."""
        self._prepare(position)
        result, line = self._core.vcf(position.board, color - 1, nodes)
        return Proof(Outcome(result), tuple(map(point_of, line)), self._core.nodes)

    def vct(self, position: Position, color: Color, nodes: int = 100_000, quiet: int = 0) -> Proof:
        """Searches a win of *color*, as if to move, by fours, threes and *quiet* moves that threaten a VCF."""
        self._prepare(position)
        result, line = self._core.vct(position.board, color - 1, nodes, quiet)
        return Proof(Outcome(result), tuple(map(point_of, line)), self._core.nodes)

    def solve(
        self, position: Position, seconds: float, *, color: Color | None = None, nodes: int = 10_000_000
    ) -> Proof:
        """
        Searches a win of *color* (the side to move), first by fours, then by threats, then with quiet moves.

        seconds: wall time; nodes: positions visited in each of the stages.
        """
        side = color or position.turn
        visited = 0
        proof = Proof(Outcome.UNKNOWN)
        with self._deadline(seconds):
            for stage in range(-1, QUIET_MOVES + 1):
                proof = self.vcf(position, side, nodes) if stage < 0 else self.vct(position, side, nodes, stage)
                visited += proof.nodes
                if proof.is_win or self._core.stopped:
                    break
        return Proof(proof.outcome, proof.line, visited)

    def defences(
        self, position: Position, seconds: float, nodes: int = 20_000
    ) -> tuple[list[Point], dict[Point, Proof]]:
        """
        Sorts the legal moves of the side to move by whether the enemy then has a proven win.

        Returns the moves without one, in board order, and the proof for each of the others. Moves that the
        time did not suffice for count as without.
        """
        holds: list[Point] = []
        loses: dict[Point, Proof] = {}
        enemy = position.turn.opponent
        with self._deadline(seconds):
            for x, y in position.legal_moves():
                position.board.make(square_of(x, y), position.turn - 1)
                try:
                    proof = self.vcf(position, enemy, nodes)
                    if not proof.is_win:
                        proof = self.vct(position, enemy, nodes)
                finally:
                    position.board.unmake()
                if proof.is_win:
                    loses[x, y] = proof
                else:
                    holds.append((x, y))
        return holds, loses

    def _prepare(self, position: Position) -> None:
        game = (position.width, position.height, position.rule)
        if game != self._game:
            self._core.clear()
            self._game = game

    @contextmanager
    def _deadline(self, seconds: float) -> Iterator[None]:
        self._core.stopped = seconds <= 0
        timer = threading.Timer(max(0.0, seconds), self.stop)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
