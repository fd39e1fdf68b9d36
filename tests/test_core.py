"""The compiled core agrees with the slow reference, on every rule and shape of board."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gomoku_bot.core import _board_cy, _patterns_cy, _planes_cy
from gomoku_bot.core.grid import square_of
from gomoku_bot.core.position import IllegalMoveError, Position
from gomoku_bot.notation import parse_position
from gomoku_bot.rules import Color, Rule
from tests import reference

DATA = Path(__file__).parent / "data"
SHAPES = [(5, 5), (7, 12), (15, 15), (32, 5), (20, 20)]


def random_position(rule: Rule, width: int, height: int, stones: int, seed: int) -> Position:
    """Stones thrown on a small area, so that lines occur; the game may go on past a five."""
    rng = np.random.default_rng([seed, int(rule), width, height])
    position = Position(width, height, rule, continuous=True)
    area = [(x, y) for x, y in position.points if x < 9 and y < 9]
    for i in rng.permutation(len(area))[: min(stones, len(area) - 4)]:
        position.play(*area[i])
    return position


def owners(position: Position) -> reference.Stones:
    return {point: color for color in Color for point in position.stones(color)}


def test_the_core_runs_as_machine_code() -> None:
    assert _board_cy.is_compiled()


@pytest.mark.parametrize("rule", Rule)
@pytest.mark.parametrize(("width", "height"), SHAPES)
@pytest.mark.parametrize("stones", [4, 12, 24, 40])
def test_patterns_are_those_of_the_reference(rule: Rule, width: int, height: int, stones: int) -> None:
    position = random_position(rule, width, height, stones, seed=stones)
    placed = owners(position)
    for point in position.points:
        if position.is_empty(*point):
            for color in Color:
                ours = position.board.patterns_at(square_of(*point), color - 1)
                theirs = reference.patterns(placed, width, height, point, color, rule)
                assert [_patterns_cy.PATTERN_NAMES[p] for p in ours] == theirs, (str(position), point, color)


@pytest.mark.parametrize("seed", range(40))
def test_forbidden_points_are_those_of_the_reference(seed: int) -> None:
    position = random_position(Rule.RENJU, 15, 15, 12 + seed % 30, seed)
    placed = owners(position)
    slow = [p for p in position.points if p not in placed and reference.is_forbidden(placed, 15, 15, p)]
    assert position.forbidden() == slow, str(position)


def test_forbidden_points_agree_with_the_engine_on_6301_positions() -> None:
    positions = json.loads(gzip.decompress((DATA / "renju_forbidden.json.gz").read_bytes()))
    points = 0
    for black, white, forbidden in positions:
        position = Position(15, 15, Rule.RENJU)
        for color, stones in enumerate((black, white)):
            for x, y in parse_position(stones):
                position.board.make(square_of(x, y), color)
        assert set(position.forbidden()) == set(parse_position(forbidden)), (black, white)
        points += len(parse_position(forbidden))
    assert (len(positions), points) == (6301, 2790)


@pytest.mark.parametrize("rule", Rule)
def test_undo_restores_everything(rule: Rule) -> None:
    position = random_position(rule, 15, 15, 40, seed=3)

    def state() -> list[object]:
        squares = [square_of(*p) for p in position.points]
        return [
            position.key, [position.board.line_codes(s, c) for s in squares for c in (0, 1)],
            [position.board.point_at(s, c) for s in squares for c in (0, 1)],
            [position.board.total_of(c, k) for c in (0, 1) for k in range(9)],
        ]  # fmt: skip

    before = state()
    rng = np.random.default_rng(1)
    for _ in range(30):
        empty = [p for p in position.points if position.is_empty(*p)]
        position.play(*empty[rng.integers(len(empty))])
    for _ in range(30):
        position.undo()
    assert state() == before
    assert sum(position.board.total_of(0, k) for k in range(9)) == 225


@pytest.mark.parametrize("rule", Rule)
def test_a_stone_wins_where_the_reference_says_so(rule: Rule) -> None:
    for seed in range(6):
        position = random_position(rule, 15, 15, 45, seed)
        placed = owners(position)
        for color in Color:
            slow = [p for p in position.points if p not in placed and reference.wins(placed, 15, 15, p, color, rule)]
            assert position.fives(color) == slow


def test_line_codes_name_every_pattern_once() -> None:
    """The code of a line is its cells: two lines with the same code look the same within five cells."""
    seen: dict[tuple[int, int], tuple[int, ...]] = {}
    for seed in range(20):
        position = random_position(Rule.FREESTYLE, 15, 15, 40, seed)
        placed = owners(position)
        for point in position.points:
            for color in Color:
                codes = position.board.line_codes(square_of(*point), color - 1)
                for code, direction in zip(codes, reference.DIRECTIONS, strict=True):
                    assert 0 <= code < 132_496
                    line, at = reference.line_through(placed, 15, 15, point, direction, color)
                    cells = (*([3] * 5), *line, *([3] * 5))[at : at + 11]
                    around = (*cells[:5], *cells[6:])
                    assert seen.setdefault((code, 0), around) == around


@pytest.mark.parametrize("symmetry", range(8))
def test_planes_of_a_turned_board_are_the_turned_planes(symmetry: int) -> None:
    width, height = 12, 9
    position = random_position(Rule.RENJU, width, height, 30, seed=7)
    turned = Position(height if symmetry & 4 else width, width if symmetry & 4 else height, Rule.RENJU, continuous=True)
    for x, y in position.moves:
        x, y = (width - 1 - x if symmetry & 1 else x), (height - 1 - y if symmetry & 2 else y)
        turned.play(*((y, x) if symmetry & 4 else (x, y)))
    shape = (_planes_cy.PLANES, turned.height, turned.width)
    ours, expected = np.empty(shape, np.float32), np.empty(shape, np.float32)
    for color in (0, 1):
        _planes_cy.write_planes(position.board, color, symmetry, ours)
        _planes_cy.write_planes(turned.board, color, 0, expected)
        assert np.array_equal(ours, expected)


def test_planes_say_what_the_reference_sees() -> None:
    position = random_position(Rule.RENJU, 15, 15, 35, seed=2)
    placed = owners(position)
    planes = np.empty((_planes_cy.PLANES, 15, 15), np.float32)
    _planes_cy.write_planes(position.board, 0, 0, planes)
    names = ("open three", "four", "double four", "open four", "five")
    for x, y in position.points:
        assert planes[0, y, x] == (placed.get((x, y)) is Color.BLACK)
        assert planes[1, y, x] == (placed.get((x, y)) is Color.WHITE)
        assert planes[7, y, x] == ((x, y) not in placed and reference.is_forbidden(placed, 15, 15, (x, y)))
        for enemy, color in enumerate(Color):
            found = ["" for _ in range(4)]
            if (x, y) not in placed:
                found = reference.patterns(placed, 15, 15, (x, y), color, Rule.RENJU)
            for line in range(4):
                for i, name in enumerate(names):
                    assert planes[8 + 20 * enemy + 5 * line + i, y, x] == (found[line] == name)
    assert planes[2:4].all()
    assert planes[5].all()
    assert not planes[[4, 6]].any()


def test_bad_stones_are_named() -> None:
    with pytest.raises(IllegalMoveError, match=r"15,3 is off the 15x15 board"):
        Position.from_moves([(15, 3)])
    with pytest.raises(IllegalMoveError, match=r"4,4 is taken \(stone 1\)"):
        Position.from_moves([(4, 4), (4, 4)])
    with pytest.raises(ValueError, match="3 black and 1 white stones cannot come from a game"):
        Position.from_stones([(0, 0), (1, 1), (2, 2)], [(3, 3)])
    with pytest.raises(ValueError, match="4x15 is outside"):
        Position(4, 15)
    with pytest.raises(ValueError, match="33x33 is outside"):
        Position(33, 33)
    won = Position.from_moves([(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1), (3, 0), (3, 1), (4, 0)])
    assert won.winner is Color.BLACK
    with pytest.raises(IllegalMoveError, match="black has won"):
        won.play(9, 9)


def test_a_continuous_game_goes_on_after_a_five() -> None:
    position = Position(15, 15, continuous=True)
    for move in [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1), (3, 0), (3, 1), (4, 0), (9, 9)]:
        position.play(*move)
    assert position.winner is None


def test_black_loses_on_a_forbidden_point() -> None:
    position = Position.from_moves(parse_position("h8a1h7a3g9a5f9a7h9"), rule=Rule.RENJU)
    assert position.winner is Color.WHITE


def test_the_plain_python_core_gives_the_same_answers(tmp_path: Path) -> None:
    """The compiled modules are also Python: run as such they play the same random game."""
    package = tmp_path / "gomoku_bot"
    source = Path(_board_cy.__file__).parents[1]
    ignore = shutil.ignore_patterns("*.so", "*.pyd", "*.c", "__pycache__")
    shutil.copytree(source, package, ignore=ignore)
    program = """
import random, sys, zlib
from gomoku_bot.core import _board_cy
sys.modules["cython.cimports.gomoku_bot.core._board_cy"] = _board_cy  # Cython's stand-in knows no packages
from gomoku_bot.core import _forbidden_cy
from gomoku_bot.core.grid import square_of
random.seed(9)
mark = 0
for rule in (0, 4, 9):
    board = _board_cy.Board(9, 8, rule)
    squares = [square_of(x, y) for x in range(9) for y in range(8)]
    for ply, square in enumerate(random.sample(squares, 40)):
        board.make(square, ply & 1)
        if ply % 5 == 4:
            board.unmake()
        seen = [int(board.point_at(s, c)) for s in squares for c in (0, 1)]
        seen += [int(code) for s in squares for c in (0, 1) for code in board.line_codes(s, c)]
        seen += [int(_forbidden_cy.is_forbidden(board, s)) for s in squares if not board.cell_at(s)]
        mark = zlib.crc32(repr(seen).encode(), mark)
print(_board_cy.is_compiled(), mark)
"""

    def run(folder: Path) -> list[str]:
        environment = {**os.environ, "PYTHONPATH": str(folder)}
        output = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment, cwd=folder
        )
        return output.stdout.split()

    compiled, plain = run(source.parent), run(tmp_path)
    assert compiled[0] == "True"
    assert plain == ["False", compiled[1]]
