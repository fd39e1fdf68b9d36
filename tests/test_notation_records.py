"""Points, position strings, openings and .psq files."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gomoku_bot.notation
import gomoku_bot.rules
from gomoku_bot.notation import format_point, format_position, parse_name, parse_point, parse_position, point_name
from gomoku_bot.records import GameRecord, format_psq, parse_opening, parse_psq, read_openings
from gomoku_bot.rules import Color, Rule

POINTS = st.tuples(st.integers(0, 25), st.integers(0, 31))


@pytest.mark.parametrize("module", [gomoku_bot.notation, gomoku_bot.rules])
def test_examples_in_the_manual_pages_run(module: object) -> None:
    assert doctest.testmod(module).failed == 0  # type: ignore[arg-type]


@given(st.lists(POINTS))
def test_position_strings_read_as_they_were_written(moves: list[tuple[int, int]]) -> None:
    assert parse_position(format_position(moves)) == moves


@given(POINTS)
def test_points_read_as_they_were_written(point: tuple[int, int]) -> None:
    assert parse_point(format_point(point)) == parse_name(point_name(point)) == point


def test_columns_past_z_are_numbers() -> None:
    assert point_name((30, 2)) == "30,2"
    assert parse_name("30,2") == (30, 2)


def test_a_bad_position_string_is_quoted() -> None:
    with pytest.raises(ValueError, match="'h' in position string 'h88h'"):
        parse_position("h88h")


@pytest.mark.parametrize(
    ("mask", "rule"),
    [(0, Rule.FREESTYLE), (1, Rule.STANDARD), (2, Rule.FREESTYLE), (4, Rule.RENJU), (5, Rule.RENJU),
     (8, Rule.CARO), (9, Rule.CARO_EXACT), (11, Rule.CARO_EXACT), (64, Rule.FREESTYLE)],
)  # fmt: skip
def test_rules_of_the_protocol_mask(mask: int, rule: Rule) -> None:
    assert Rule.from_mask(mask) is rule


def test_a_game_is_read_as_it_was_saved() -> None:
    record = GameRecord(
        20, 15, Rule.RENJU, "one brain", "other", [(0, 0), (19, 14), (3, 4)], [0, 12, 1034], 1, Color.WHITE, "time"
    )
    again = parse_psq(format_psq(record))
    record.estimates = []
    assert again == record


def test_piskvork_files_without_our_last_line_are_read() -> None:
    record = parse_psq("Piskvorky 20x20, 11:11, 0\r\n10,10,0\r\n11,11,250\r\npbrain-a.exe\r\npbrain-b.exe\r\n-1\r\n")
    assert record.moves == [(9, 9), (10, 10)]
    assert (record.black, record.white, record.winner) == ("pbrain-a.exe", "pbrain-b.exe", None)


@pytest.mark.parametrize(
    ("text", "error"),
    [("", "line 1"), ("Chess 8 by 8", "line 1"), ("Piskvorky 9x9,\n10,1,0", "line 2 '10,1,0' is off"),
     ("Piskvorky 9x9,\n1,1,0\n1,1,0", "line 3 '1,1,0' is a point that is taken")],
)  # fmt: skip
def test_broken_game_files_name_the_line(text: str, error: str) -> None:
    with pytest.raises(ValueError, match=error):
        parse_psq(text)


def test_openings_are_position_strings_or_offsets_from_the_middle() -> None:
    assert parse_opening("h8i9", 15, 15) == [(7, 7), (8, 8)]
    assert parse_opening("0,0, 1,-1", 15, 15) == [(7, 7), (8, 6)]
    assert parse_opening("0,0 1,-1", 20, 20) == [(10, 10), (11, 9)]


def test_broken_openings_name_file_and_line(tmp_path: Path) -> None:
    file = tmp_path / "openings.txt"
    file.write_text("# first\nh8i9\n\n0,0, 99,0\n")
    with pytest.raises(ValueError, match=r"openings.txt, line 4: .*stone 2 at 106,7 is off"):
        read_openings(file, 15, 15)
    file.write_text("h8h8\n")
    with pytest.raises(ValueError, match="stone 2 at 7,7 is on another"):
        read_openings(file, 15, 15)
    file.write_text("1,2,3\n")
    with pytest.raises(ValueError, match="half a point"):
        read_openings(file, 15, 15)
