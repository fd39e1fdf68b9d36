"""The compiled core's grid: a board with a margin, so that no line around a square leaves the arrays."""

from __future__ import annotations

STRIDE = 42
MARGIN = 5
SQUARES = STRIDE * STRIDE


def square_of(x: int, y: int) -> int:
    """The grid's number of column *x*, row *y*."""
    return (y + MARGIN) * STRIDE + x + MARGIN


def point_of(square: int) -> tuple[int, int]:
    """Column and row of a square of the grid."""
    return square % STRIDE - MARGIN, square // STRIDE - MARGIN
