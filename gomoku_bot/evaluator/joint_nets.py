"""Networks with both heads: line nets, which see sums of codebook rows, and residual nets, which see planes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gomoku_bot.core._board_cy import Board
from gomoku_bot.core._planes_cy import PLANES, write_allowed, write_planes
from gomoku_bot.core._rows_cy import LINE_ROWS, ROWS, write_sums
from gomoku_bot.core.position import Position
from gomoku_bot.evaluator.base import Floats
from gomoku_bot.evaluator.line_codes import canonical_rows, regions
from gomoku_bot.evaluator.session import open_session

MOST_LEAVES = 256
"""Positions that one call of the network takes."""


class JointLeaves:
    """A growing batch in memory that is used again; see `Leaves`."""

    def __init__(self, net: JointNet, height: int, width: int) -> None:
        self._net = net
        self._inputs = net.empty_inputs(MOST_LEAVES, height, width)
        self._allowed = np.empty((MOST_LEAVES, height * width), np.float32)
        self._count = 0
        self._regions = regions(height, width)

    def add(self, board: Board, mover: int) -> None:
        """
        See `Leaves.add`.

        :raises: `IndexError` if `MOST_LEAVES` are waiting.
        """
        self._net.write(board, mover, self._inputs[self._count], self._allowed[self._count])
        self._count += 1

    def run(self) -> tuple[Floats, Floats]:
        """See `Leaves.run`; the batch is empty afterwards."""
        count, self._count = self._count, 0
        return self._net.judge(self._inputs[:count], self._allowed[:count], self._regions)


class JointNet(ABC):
    """
    One network in ONNX Runtime with ``policy [B, H * W]`` and ``value [B, 3]``, both probabilities.

    Inputs: ``inputs``; ``allowed [B, H * W]``, 1 where the side to move may play; for line nets also ``regions``
    (`line_codes.regions`).
    """

    def __init__(self, file: Path, threads: int | None = None, provider: str = "cpu") -> None:
        self.name = file.stem
        self._session = open_session(file, threads, provider)
        self._leaves: dict[tuple[int, int], JointLeaves] = {}

    def policy(self, positions: Sequence[Position]) -> Floats:
        """See `Evaluator.policy`."""
        return self.both(positions)[0]

    def value(self, positions: Sequence[Position]) -> Floats:
        """See `Evaluator.value`."""
        return self.both(positions)[1]

    def both(self, positions: Sequence[Position]) -> tuple[Floats, Floats]:
        """Policy and value of positions of one board size."""
        leaves = self.leaves(positions[0].height, positions[0].width)
        policies, values = [], []
        for start in range(0, len(positions), MOST_LEAVES):
            for position in positions[start : start + MOST_LEAVES]:
                leaves.add(position.board, position.turn - 1)
            policy, value = leaves.run()
            policies.append(policy)
            values.append(value)
        return np.concatenate(policies), np.concatenate(values)

    def leaves(self, height: int, width: int) -> JointLeaves:
        """See `Evaluator.leaves`; the batch of a board size is one and the same, and empty between two `run`."""
        if (height, width) not in self._leaves:
            self._leaves = {(height, width): JointLeaves(self, height, width)}
        return self._leaves[height, width]

    @abstractmethod
    def empty_inputs(self, count: int, height: int, width: int) -> Floats:
        """Room for the inputs of *count* positions."""
        ...

    @abstractmethod
    def write(self, board: Board, mover: int, inputs: Floats, allowed: Floats) -> None:
        """Fills one position's part of `empty_inputs` and its ``allowed [H * W]``."""
        ...

    @abstractmethod
    def judge(self, inputs: Floats, allowed: Floats, regions: Floats) -> tuple[Floats, Floats]:
        """Policy and value of what `write` has written."""
        ...


class LineNet(JointNet):
    """
    A line net: ``NAME.onnx`` judges the sums, ``NAME.npz`` holds the codebook.

    The codebook is int8: ``lines [C, 199290]``, one column for a pattern and its mirror image, ``points [612, C]``.

    :raises: `OSError` or ONNX Runtime's error for a missing or broken file, `ValueError` for another codebook.
    """

    def __init__(self, file: Path, threads: int | None = None, provider: str = "cpu") -> None:
        super().__init__(file, threads, provider)
        table = file.with_suffix(".npz")
        with np.load(table) as arrays:
            lines, points = np.ascontiguousarray(arrays["lines"].T), arrays["points"]
        rows, kept = canonical_rows()
        if lines.shape[0] != len(kept) or points.shape != (ROWS - LINE_ROWS, lines.shape[1]):
            raise ValueError(f"{table}: codebooks of {lines.shape} and {points.shape} do not fit this version")
        self.codebook: NDArray[np.int8] = np.empty((ROWS, lines.shape[1]), np.int8)
        np.take(lines, rows, 0, self.codebook[:LINE_ROWS])
        self.codebook[LINE_ROWS:] = points

    def empty_inputs(self, count: int, height: int, width: int) -> Floats:
        return np.empty((count, height, width, self.codebook.shape[1]), np.float32)

    def write(self, board: Board, mover: int, inputs: Floats, allowed: Floats) -> None:
        write_sums(board, mover, self.codebook, inputs.reshape(-1, inputs.shape[2]), allowed)

    def judge(self, inputs: Floats, allowed: Floats, regions: Floats) -> tuple[Floats, Floats]:
        policy, value = self._session.run(
            ["policy", "value"], {"inputs": inputs, "allowed": allowed, "regions": regions}
        )
        return policy, value


class ResidualNet(JointNet):
    """A residual net on the 48 planes of `core._planes_cy`."""

    def empty_inputs(self, count: int, height: int, width: int) -> Floats:
        return np.empty((count, PLANES, height, width), np.float32)

    def write(self, board: Board, mover: int, inputs: Floats, allowed: Floats) -> None:
        write_planes(board, mover, 0, inputs)
        points = np.empty(inputs.shape[1:], np.uint8)
        write_allowed(board, mover, points)
        allowed[:] = points.ravel()

    def judge(self, inputs: Floats, allowed: Floats, regions: Floats) -> tuple[Floats, Floats]:
        policy, value = self._session.run(["policy", "value"], {"inputs": inputs, "allowed": allowed})
        return policy, value
