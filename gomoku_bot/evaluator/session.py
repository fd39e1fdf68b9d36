"""Networks in ONNX Runtime."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from gomoku_bot.core import _planes_cy
from gomoku_bot.core._board_cy import Board
from gomoku_bot.core.position import Position
from gomoku_bot.evaluator.base import Floats, masked_softmax
from gomoku_bot.evaluator.features import allowed_points, stone_planes


def allowed_cores() -> int:
    """How many processor cores this process may use: the tournament pins it to one of many."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    import ctypes

    process_mask, system_mask = ctypes.c_size_t(), ctypes.c_size_t()
    kernel = ctypes.windll.kernel32  # type: ignore[attr-defined]
    kernel.GetCurrentProcess.restype = ctypes.c_void_p
    done = kernel.GetProcessAffinityMask(
        ctypes.c_void_p(kernel.GetCurrentProcess()), ctypes.byref(process_mask), ctypes.byref(system_mask)
    )
    return bin(process_mask.value).count("1") if done else os.cpu_count() or 1


def open_session(path: Path, threads: int | None = None) -> onnxruntime.InferenceSession:
    """
    Loads a network for the CPU; threads: by default as many as the process may use cores.

    Threads do not spin while they wait, so that a brain is at rest between moves.

    :raises: whatever ONNX Runtime raises for a missing or broken file.
    """
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads or allowed_cores()
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    options.enable_cpu_mem_arena = False
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_session_config_entry("session.inter_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


class PlaneLeaves:
    """A growing batch of stone planes."""

    def __init__(self, nets: PlaneNets, height: int, width: int) -> None:
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


class PlaneNets:
    """A policy and a value network that see two stone planes."""

    def __init__(self, policy: Path, value: Path, threads: int | None = None) -> None:
        self.name = f"{policy.stem}+{value.stem}"
        self._policy = open_session(policy, threads)
        self._value = open_session(value, threads)

    def policy(self, positions: Sequence[Position]) -> Floats:
        """See `Evaluator.policy`."""
        return self._policy_of(stone_planes(positions), allowed_points(positions))

    def value(self, positions: Sequence[Position]) -> Floats:
        """See `Evaluator.value`."""
        return self._value_of(stone_planes(positions))

    def leaves(self, height: int, width: int) -> PlaneLeaves:
        """See `Evaluator.leaves`."""
        return PlaneLeaves(self, height, width)

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
