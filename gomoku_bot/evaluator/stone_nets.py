"""A policy and a value network that see two planes of stones."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gomoku_bot.core import _planes_cy
from gomoku_bot.core._board_cy import Board
from gomoku_bot.core.position import Position
from gomoku_bot.evaluator.base import Floats, masked_softmax
from gomoku_bot.evaluator.features import allowed_points, stone_planes
from gomoku_bot.evaluator.session import open_session


class StoneLeaves:
    """A growing batch of stone planes."""

    def __init__(self, nets: StoneNets, height: int, width: int) -> None:
        self._nets = nets
        self._shape = (height, width)
        self._planes: list[Floats] = []
        self._allowed: list[NDArray[np.uint8]] = []

    def add(self, board: Board, mover: int) -> None:
        """See `Leaves.add`."""
        planes, allowed = np.empty((2, *self._shape), np.float32), np.empty(self._shape, np.uint8)
        _planes_cy.write_stones(board, mover, planes)
        _planes_cy.write_allowed(board, mover, allowed)
        self._planes.append(planes)
        self._allowed.append(allowed)

    def run(self) -> tuple[Floats, Floats]:
        """See `Leaves.run`."""
        planes = np.stack(self._planes)
        allowed = np.stack(self._allowed).reshape(len(planes), -1).astype(bool)
        return self._nets.judge(planes, allowed)


class StoneNets:
    """A policy and a value network that see two stone planes."""

    def __init__(self, policy: Path, value: Path, threads: int | None = None, provider: str = "cpu") -> None:
        self.name = f"{policy.stem}+{value.stem}"
        self._policy = open_session(policy, threads, provider)
        self._value = open_session(value, threads, provider)

    def policy(self, positions: Sequence[Position]) -> Floats:
        """See `Evaluator.policy`."""
        return self._policy_of(stone_planes(positions), allowed_points(positions))

    def value(self, positions: Sequence[Position]) -> Floats:
        """See `Evaluator.value`."""
        return self._value_of(stone_planes(positions))

    def leaves(self, height: int, width: int) -> StoneLeaves:
        """See `Evaluator.leaves`."""
        return StoneLeaves(self, height, width)

    def judge(self, planes: Floats, allowed: NDArray[np.bool_]) -> tuple[Floats, Floats]:
        """Policy ``[B, H * W]`` and win/draw/loss ``[B, 3]`` of stone planes ``[B, 2, H, W]``."""
        return self._policy_of(planes, allowed), self._value_of(planes)

    def _policy_of(self, planes: Floats, allowed: NDArray[np.bool_]) -> Floats:
        return masked_softmax(self._policy.run(None, {"planes": planes})[0], allowed)

    def _value_of(self, planes: Floats) -> Floats:
        logits = self._value.run(None, {"planes": planes})[0]
        powers = np.exp(logits - logits.max(1, keepdims=True))
        result: Floats = powers / powers.sum(1, keepdims=True)
        return result
