"""Tables for line nets: which row a line pattern and its mirror image share, its cells, the board's regions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

SIDES = 364
"""Codes of the five cells to one side of a point (`core._patterns_cy`)."""


def canonical_rows() -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """
    Which row of the stored table each line row uses, and which line row each stored row comes from.

    Returns ``[397488]`` with values below S, and ``[S]``: a line read from the other end has the same features,
    so that only lines whose left code is at most the right one are stored, S = 3 * 364 * 365 / 2 = 199,290.
    """
    left, right = np.divmod(np.arange(SIDES * SIDES, dtype=np.int32), SIDES)
    kept = np.flatnonzero(left <= right).astype(np.int32)
    number = np.empty(SIDES * SIDES, np.int32)
    number[kept] = np.arange(len(kept))
    rows = number[np.minimum(left, right) * SIDES + np.maximum(left, right)]
    middles = np.arange(3, dtype=np.int32)[:, None]
    return (middles * len(kept) + rows).ravel(), (middles * (SIDES * SIDES) + kept).ravel()


def line_cells(rows: NDArray[np.int32]) -> NDArray[np.int8]:
    """``[N, 11]``: the cells of line rows ``[N]`` from left to right: 0 empty, 1 mine, 2 theirs, 3 beyond the edge."""
    middle, code = np.divmod(rows, SIDES * SIDES)
    left, right = np.divmod(code, SIDES)
    side = np.full((SIDES, 5), 3, np.int8)
    first = 0
    for length in range(6):
        values = np.arange(3**length)
        for distance in range(length):
            side[first : first + len(values), distance] = values // 3**distance % 3
        first += len(values)
    return np.concatenate([side[left][:, ::-1], middle[:, None].astype(np.int8), side[right]], 1)


def regions(height: int, width: int) -> NDArray[np.float32]:
    """``[H * W, 9]``: column r averages the points of region r, of a 3x3 division of the board."""
    row = np.arange(height) * 3 // height
    column = np.arange(width) * 3 // width
    inside = (row[:, None] * 3 + column).ravel()[:, None] == np.arange(9)
    shares: NDArray[np.float32] = (inside / inside.sum(0)).astype(np.float32)
    return shares
