"""Positions as arrays; a batch holds positions of one board size."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gomoku_bot.core import _planes_cy
from gomoku_bot.core.position import Position


def stone_planes(positions: Sequence[Position]) -> NDArray[np.float32]:
    """``[B, 2, H, W]``: own stones, enemy stones, from each side to move's view."""
    first = positions[0]
    planes = np.empty((len(positions), 2, first.height, first.width), np.float32)
    for position, out in zip(positions, planes, strict=True):
        _planes_cy.write_stones(position.board, position.turn - 1, out)
    return planes


def allowed_points(positions: Sequence[Position]) -> NDArray[np.bool_]:
    """``[B, H * W]``: where the side to move may play without losing by rule."""
    first = positions[0]
    allowed = np.empty((len(positions), first.height, first.width), np.uint8)
    for position, out in zip(positions, allowed, strict=True):
        _planes_cy.write_allowed(position.board, position.turn - 1, out)
    return allowed.reshape(len(positions), -1).astype(bool)


def point_kinds(positions: Sequence[Position]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Own and enemy point kinds, each ``[B, H * W]`` (numbers of `core._patterns_cy`)."""
    first = positions[0]
    kinds = np.empty((2, len(positions), first.height, first.width), np.uint8)
    for i, position in enumerate(positions):
        _planes_cy.write_kinds(position.board, position.turn - 1, kinds[0, i])
        _planes_cy.write_kinds(position.board, 2 - position.turn, kinds[1, i])
    flat = kinds.reshape(2, len(positions), -1)
    return flat[0], flat[1]
