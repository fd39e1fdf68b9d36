"""What a search asks of a network, and evaluators that need none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from gomoku_bot.core._board_cy import Board
from gomoku_bot.core.position import Position
from gomoku_bot.evaluator.features import allowed_points, point_kinds

Floats = NDArray[np.float32]


class Leaves(Protocol):
    """A batch that a tree search fills while it walks over one board."""

    def add(self, board: Board, mover: int) -> None:
        """Takes the position on *board*, *mover* (0 black, 1 white) to move."""
        ...

    def run(self) -> tuple[Floats, Floats]:
        """Policy ``[n, H * W]`` and win/draw/loss ``[n, 3]`` of the positions taken, in their order."""
        ...


class Evaluator(Protocol):
    """Judges positions of one board size, not over, each from its side to move's view."""

    name: str

    def policy(self, positions: Sequence[Position]) -> Floats:
        """Probabilities of the next move ``[B, H * W]``; 0 on taken and forbidden points, rows sum to 1."""
        ...

    def value(self, positions: Sequence[Position]) -> Floats:
        """Probabilities of win, draw and loss ``[B, 3]``; rows sum to 1."""
        ...

    def leaves(self, height: int, width: int) -> Leaves:
        """An empty batch for boards of this size; both judgements at once."""
        ...


def masked_softmax(logits: Floats, allowed: NDArray[np.bool_]) -> Floats:
    """
    Softmax over the allowed entries of each row of ``[B, A]``; a row without any is uniform over nothing: zeros.
    """
    safe = np.where(allowed, logits, -np.inf)
    top = safe.max(1, keepdims=True)
    powers = np.exp(safe - np.where(np.isfinite(top), top, 0))
    result: Floats = (powers / np.maximum(powers.sum(1, keepdims=True), 1e-30)).astype(np.float32)
    return result


class CopiedLeaves:
    """Leaves for an evaluator that wants positions: each is rebuilt. For tests and fall-backs, not for speed."""

    def __init__(self, evaluator: Evaluator, height: int, width: int) -> None:
        self.evaluator = evaluator
        self.height, self.width = height, width
        self.positions: list[Position] = []

    def add(self, board: Board, mover: int) -> None:
        """See `Leaves.add`."""
        self.positions.append(Position.from_board(board, mover))

    def run(self) -> tuple[Floats, Floats]:
        """See `Leaves.run`."""
        return self.evaluator.policy(self.positions), self.evaluator.value(self.positions)


class UniformEvaluator:
    """Likes every allowed point alike and calls every position even: for tests and the bench signature."""

    name = "uniform"

    def policy(self, positions: Sequence[Position]) -> Floats:
        allowed = allowed_points(positions)
        return masked_softmax(np.zeros(allowed.shape, np.float32), allowed)

    def value(self, positions: Sequence[Position]) -> Floats:
        return np.full((len(positions), 3), (0.5, 0.0, 0.5), np.float32)

    def leaves(self, height: int, width: int) -> Leaves:
        return CopiedLeaves(self, height, width)


class PatternEvaluator:
    """Likes points by what a stone of either colour would make there; serves where a network is missing."""

    name = "patterns"

    OWN = np.array([0.0, 0.6, 1.2, 2.6, 5.0, 2.8, 6.5, 9.0, 14.0] + [0.0] * 7, np.float32)
    """Logit by own point kind (`core._patterns_cy`): nothing, two, three, ... open four, five."""

    ENEMY = np.array([0.0, 0.4, 0.9, 2.0, 4.2, 2.0, 5.5, 7.5, 11.5] + [0.0] * 7, np.float32)

    def policy(self, positions: Sequence[Position]) -> Floats:
        own, enemy = point_kinds(positions)
        return masked_softmax(self.OWN[own] + self.ENEMY[enemy] + self._centre(positions[0]), allowed_points(positions))

    def value(self, positions: Sequence[Position]) -> Floats:
        own, enemy = point_kinds(positions)
        score = self.OWN[own].max(1) - self.ENEMY[enemy].max(1)
        win = 1 / (1 + np.exp(-score / 3))
        return np.stack([win, np.zeros_like(win), 1 - win], 1).astype(np.float32)

    def leaves(self, height: int, width: int) -> Leaves:
        return CopiedLeaves(self, height, width)

    @staticmethod
    def _centre(position: Position) -> Floats:
        """``[H * W]``: a little more for points near the middle, so that an empty board has a first choice."""
        x = np.abs(np.arange(position.width) - (position.width - 1) / 2)
        y = np.abs(np.arange(position.height) - (position.height - 1) / 2)[:, None]
        result: Floats = (-0.05 * np.maximum(x, y)).ravel().astype(np.float32)
        return result
