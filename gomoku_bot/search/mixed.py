"""
AlphaGo's leaves: the value network and a game played out by the policy, mixed (D. Silver et al., *Mastering the game of
Go with deep neural networks and tree search*, 2016).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gomoku_bot.core._board_cy import Board
from gomoku_bot.core.grid import square_of
from gomoku_bot.core.position import Point, Position
from gomoku_bot.evaluator.base import Evaluator, Floats
from gomoku_bot.rules import Rule
from gomoku_bot.search.rollout import step

ROLLOUT_SHARE = 0.5


class MixedLeaves:
    """A batch whose values are partly the results of games played out, where a position can come from a game."""

    def __init__(self, evaluator: Evaluator, height: int, width: int, rng: np.random.Generator) -> None:
        self._evaluator, self._rng = evaluator, rng
        self._leaves = evaluator.leaves(height, width)
        self._positions: list[Position | None] = []

    def add(self, board: Board, mover: int) -> None:
        """See `Leaves.add`."""
        self._leaves.add(board, mover)
        stones: list[list[Point]] = [[], [], []]
        for x, y in Position(board.width, board.height).points:
            if cell := board.cell_at(square_of(x, y)):
                stones[cell - 1].append((x, y))
        black, white, blocked = stones
        from_game = len(black) - len(white) == mover  # not so in a continuous game with blocked stones
        self._positions.append(
            Position.from_stones(black, white, board.width, board.height, Rule(board.rule), blocked=blocked)
            if from_game
            else None
        )

    def run(self) -> tuple[Floats, Floats]:
        """See `Leaves.run`."""
        policy, wdl = self._leaves.run()
        leaves = {i: position for i, position in enumerate(self._positions) if position}
        self._positions.clear()
        movers = {i: position.turn for i, position in leaves.items()}
        while games := [position for position in leaves.values() if not position.is_over]:
            step(self._evaluator, games, self._rng)
        for i, position in leaves.items():
            winner, mover = position.winner, movers[i]
            result = np.array([winner is mover, winner is None, winner is mover.opponent], np.float32)
            wdl[i] += ROLLOUT_SHARE * (result - wdl[i])
        return policy, wdl


class MixedEvaluator:
    """Judges as *evaluator* does, but for the values of a tree search's leaves."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.name = f"{evaluator.name}, half rollouts"
        self._evaluator = evaluator
        self._rng = np.random.default_rng(0)

    def policy(self, positions: Sequence[Position]) -> Floats:
        """See `Evaluator.policy`."""
        return self._evaluator.policy(positions)

    def value(self, positions: Sequence[Position]) -> Floats:
        """See `Evaluator.value`."""
        return self._evaluator.value(positions)

    def leaves(self, height: int, width: int) -> MixedLeaves:
        """See `Evaluator.leaves`."""
        return MixedLeaves(self._evaluator, height, width, self._rng)
