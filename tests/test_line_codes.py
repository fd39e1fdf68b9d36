"""What line nets see: the rows of a point against the slow reference, and their sums against the rows."""

from __future__ import annotations

import numpy as np
import pytest

from gomoku_bot.core._planes_cy import write_kinds
from gomoku_bot.core._rows_cy import LINE_ROWS, POINT_ROWS, ROWS, VIEWS, write_rows, write_sums
from gomoku_bot.core.position import Position
from gomoku_bot.evaluator.line_codes import canonical_rows, line_cells, regions
from gomoku_bot.rules import Color, Rule
from tests import reference
from tests.test_core import owners, random_position

VIEW = {
    (Rule.FREESTYLE, Color.BLACK): "freestyle", (Rule.FREESTYLE, Color.WHITE): "freestyle",
    (Rule.STANDARD, Color.BLACK): "standard", (Rule.STANDARD, Color.WHITE): "standard",
    (Rule.RENJU, Color.BLACK): "renju, black to move", (Rule.RENJU, Color.WHITE): "renju, white to move",
    (Rule.CARO, Color.BLACK): "caro", (Rule.CARO, Color.WHITE): "caro",
    (Rule.CARO_EXACT, Color.BLACK): "caro_exact", (Rule.CARO_EXACT, Color.WHITE): "caro_exact",
}  # fmt: skip


def rows_of(position: Position, color: Color) -> np.ndarray:
    rows = np.empty((position.height * position.width, 5), np.int32)
    write_rows(position.board, color - 1, rows)
    return rows


@pytest.mark.parametrize("rule", Rule)
@pytest.mark.parametrize("color", Color)
def test_a_points_rows_are_its_lines_and_what_stones_would_make_there(rule: Rule, color: Color) -> None:
    width, height = 12, 9
    position = random_position(rule, width, height, 40, seed=11)
    placed = owners(position)
    rows = rows_of(position, color)
    kinds = np.empty((2, height, width), np.uint8)
    for i in (0, 1):
        write_kinds(position.board, (color - 1) ^ i, kinds[i])
    own, enemy = kinds.reshape(2, -1)
    first = LINE_ROWS + POINT_ROWS * VIEWS.index(VIEW[rule, color])
    for i, point in enumerate(position.points):
        for row, direction in zip(rows[i, :4], reference.DIRECTIONS, strict=True):
            line, at = reference.line_through(placed, width, height, point, direction, color)
            expected = (*([3] * 5), *line, *([3] * 5))[at : at + 11]
            assert line_cells(np.array([row]))[0].tolist() == list(expected)
        if point in placed:
            expected_row = 99 if placed[point] is color else 100
        elif rule is Rule.RENJU and reference.is_forbidden(placed, width, height, point):
            expected_row = 81 + enemy[i] if color is Color.BLACK else 90 + own[i]
        else:
            expected_row = 9 * own[i] + enemy[i]
        assert rows[i, 4] - first == expected_row


@pytest.mark.parametrize("rule", Rule)
@pytest.mark.parametrize("color", Color)
def test_sums_are_the_five_codebook_rows_added_and_allowed_points_are_free_ones(rule: Rule, color: Color) -> None:
    position = random_position(rule, 13, 15, 40, seed=4)
    codebook = np.random.default_rng(0).integers(-127, 128, (ROWS, 8), np.int8)
    sums, allowed = np.empty((195, 8), np.float32), np.empty(195, np.float32)
    write_sums(position.board, color - 1, codebook, sums, allowed)
    assert np.array_equal(sums, np.maximum(codebook[rows_of(position, color)].sum(1, dtype=np.int32), 0))
    barred = {*owners(position), *(position.forbidden() if color is Color.BLACK else ())}
    assert [bool(free) for free in allowed] == [point not in barred for point in position.points]


def test_a_line_and_its_mirror_image_share_a_row_and_others_do_not() -> None:
    rows, kept = canonical_rows()
    assert len(rows) == LINE_ROWS
    assert len(kept) == 199_290
    assert np.array_equal(rows[kept], np.arange(len(kept)))
    lines, stored = line_cells(np.arange(LINE_ROWS, dtype=np.int32)), line_cells(kept)[rows]
    same, mirrored = (lines == stored).all(1), (lines == stored[:, ::-1]).all(1)
    assert (same | mirrored).all()


def test_regions_average_a_three_by_three_division_of_the_board() -> None:
    table = regions(7, 20)
    assert table.shape == (140, 9)
    assert np.allclose(table.sum(0), 1)
    assert ((table > 0).sum(1) == 1).all()
    assert len({tuple(row) for row in table}) == 9
