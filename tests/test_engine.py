"""The engine answers with a legal move, whatever happens."""

from __future__ import annotations

import doctest
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import gomoku_bot.engine
from gomoku_bot import openings
from gomoku_bot.clock import Deadline
from gomoku_bot.core.position import Position
from gomoku_bot.engine import SEARCHES, UNAIDED, Engine
from gomoku_bot.evaluator import catalog
from gomoku_bot.evaluator.base import Evaluator, Floats, PatternEvaluator, UniformEvaluator
from gomoku_bot.notation import parse_position
from gomoku_bot.rules import Color, Rule


class Failing:
    """An evaluator that breaks in use."""

    name = "failing"

    def policy(self, positions: Sequence[Position]) -> Floats:
        raise RuntimeError("the network is broken")

    value = policy


def engine_on(position: Position, search: str = "policy", **options: object) -> Engine:
    engine = Engine(search, load_evaluator=PatternEvaluator, **options)  # type: ignore[arg-type]
    engine.position = position
    return engine


def test_examples_run() -> None:
    assert doctest.testmod(gomoku_bot.engine).failed == 0


@pytest.mark.parametrize("search", [search for search in SEARCHES if search != "random"])
def test_a_five_is_made_and_the_enemys_stopped_in_every_search(search: str) -> None:
    own = Position.from_moves(parse_position("h8a1i8a2j8a3k8a4"))
    assert engine_on(own, search, solve=False).think().move in [(6, 7), (11, 7)]
    enemy = Position.from_moves(parse_position("a1h8a3i8c9j8g8k8"))
    assert engine_on(enemy, search, solve=False).think().move == (11, 7)


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("rule", Rule)
def test_every_search_plays_whole_games_of_legal_moves(search: str, rule: Rule) -> None:
    engine = engine_on(Position(9, 7, rule), search)
    engine.max_visits = 5
    while not engine.position.is_over:
        result = engine.think()
        assert engine.trouble == ""
        assert result.move in (engine.position.legal_moves() or engine.position.points)
        assert sum(result.wdl) == pytest.approx(1, abs=1e-4)
        engine.position.play(*result.move)


def test_a_forced_win_is_found_before_the_search() -> None:
    engine = engine_on(Position.from_moves(parse_position("h8a1i8a3j8o1")), "puct")
    result = engine.think(Deadline.in_seconds(1))
    assert result.proven
    assert result.wdl == (1, 0, 0)
    assert result.move in [(6, 7), (10, 7)]


def test_only_moves_that_refute_the_enemys_win_are_searched() -> None:
    for search in sorted(set(SEARCHES) - UNAIDED):
        engine = engine_on(Position.from_moves(parse_position("h8a1i8o1j8")), search)
        assert engine.think(Deadline.in_seconds(0.5)).move in [(6, 7), (10, 7)]


def test_a_lost_position_is_defended_to_the_longest_line() -> None:
    engine = engine_on(Position.from_moves(parse_position("h8a1i8o1j8o15k8")), "puct")
    assert engine.think(Deadline.in_seconds(0.5)).move in [(6, 7), (11, 7)]
    double = Position.from_moves(parse_position("h8a1i8o1j8o15h9a15h10"))
    result = engine_on(double, "puct").think(Deadline.in_seconds(1))
    assert result.proven
    assert result.wdl == (0, 0, 1)
    assert double.is_empty(*result.move)


def test_missing_networks_are_reported_and_patterns_play(tmp_path: Path) -> None:
    engine = Engine("puct", load_evaluator=lambda: catalog.load(1, tmp_path))
    engine.position = Position.from_moves([(7, 7)])
    result = engine.think()
    assert engine.position.is_empty(*result.move)
    assert "line.onnx is missing" in engine.trouble


def test_a_broken_network_file_is_reported_and_patterns_play(tmp_path: Path) -> None:
    for name in ("policy-l5.onnx", "value-l5.onnx"):
        (tmp_path / name).write_bytes(b"no network")
    engine = Engine("puct", load_evaluator=lambda: catalog.load(1, tmp_path))
    engine.position = Position.from_moves([(7, 7)])
    assert engine.position.is_empty(*engine.think().move)
    assert "no networks" in engine.trouble


@pytest.mark.parametrize("search", ["policy", "puct", "rollout-end", "rollout-value"])
def test_a_network_that_fails_in_use_is_reported_and_a_move_comes(search: str) -> None:
    engine = Engine(search, load_evaluator=Failing)
    engine.position = Position.from_moves([(7, 7)])
    assert engine.position.is_empty(*engine.think().move)
    assert engine.trouble == "thought failed: RuntimeError: the network is broken"


def test_networks_that_load_too_slowly_are_not_waited_for() -> None:
    def slow() -> Evaluator:
        time.sleep(3)
        return PatternEvaluator()

    engine = Engine("rollout-value", load_evaluator=slow)
    engine.position = Position.from_moves([(7, 7)])
    began = time.monotonic()
    engine.think(Deadline.in_seconds(0.2))
    assert time.monotonic() - began < 2
    assert "not loaded in time" in engine.trouble


@pytest.mark.parametrize("search", SEARCHES)
def test_black_answers_even_if_only_forbidden_points_are_left(search: str) -> None:
    rows = ["XXX.XX", "OOXOOO", "XOOXOO", "OOXOOO", "XXX.XX"]
    stones = {mark: [(x, y) for y, row in enumerate(rows) for x in range(6) if row[x] == mark] for mark in "XO"}
    position = Position.from_stones(stones["X"], stones["O"], 6, 5, Rule.RENJU)
    assert position.turn is Color.BLACK
    assert position.winner is None
    assert position.legal_moves() == []
    assert engine_on(position, search).think().move in [(3, 0), (3, 4)]


def test_a_full_board_is_an_error() -> None:
    position = Position(5, 5, continuous=True)
    for point in position.points:
        position.play(*point)
    with pytest.raises(ValueError, match="no point is empty"):
        engine_on(position).think()


def test_thoughts_leave_the_position_alone() -> None:
    position = Position.from_moves(parse_position("h8i9g7"))
    engine = engine_on(position, "rollout-value")
    engine.think(Deadline.in_seconds(0.3))
    assert position.moves == parse_position("h8i9g7")


def test_the_same_thought_twice_gives_the_same_move() -> None:
    results = []
    for _ in range(2):
        engine = engine_on(Position.from_moves(parse_position("h8i9g7j10")), "rollout-value", solve=False)
        engine.max_visits = 40
        results.append(engine.think())
    assert results[0] == results[1]


@pytest.mark.parametrize("make", [UniformEvaluator, PatternEvaluator, lambda: catalog.load(1)])
@pytest.mark.parametrize("rule", Rule)
def test_evaluators_give_probabilities_on_legal_points(make: object, rule: Rule) -> None:
    evaluator: Evaluator = make()  # type: ignore[operator]
    for width, height in [(15, 15), (20, 20), (5, 32), (11, 6)]:
        positions = [Position.from_moves([(2, 2), (3, 3), (2, 3)][:n], width, height, rule) for n in range(4)]
        policy, value = evaluator.policy(positions), evaluator.value(positions)
        assert policy.shape == (4, width * height)
        assert value.shape == (4, 3)
        assert np.allclose(policy.sum(1), 1, atol=1e-5)
        assert np.allclose(value.sum(1), 1, atol=1e-5)
        for position, row in zip(positions, policy, strict=True):
            assert all(row[y * width + x] == 0 for x, y in position.moves)


def test_shipped_networks_know_more_than_chance() -> None:
    """The policy sees an open four, the value net who has it."""
    evaluator = catalog.load(1)
    winning = Position.from_moves(parse_position("h8a1i8a3j8a5k8a7"))
    policy = evaluator.policy([winning])[0]
    assert policy[7 * 15 + 6] + policy[7 * 15 + 11] > 0.5
    losing = Position.from_moves(parse_position("h8a1i8a3j8a5k8"))
    assert evaluator.value([winning])[0][0] > 0.6 > 0.4 > evaluator.value([losing])[0][0]


def test_swap2_stones_are_legal_and_even() -> None:
    evaluator = catalog.load(1)
    for size in (15, 20, 6):
        position = Position(size, size)
        stones = openings.propose(position, evaluator, np.random.default_rng(0))
        after = Position.from_moves(stones, size, size)
        assert len(after.moves) == 3
        if size > 6:
            wdl = evaluator.value([after])[0]
            assert abs(wdl[0] - wdl[2]) < 0.15
        answer = openings.answer(after, lambda after=after: after.legal_moves()[0], evaluator)
        assert len(answer) in (0, 1, 2)
        assert all(after.is_empty(*point) for point in answer)


@pytest.mark.parametrize("level", range(1, 11))
def test_every_level_plays_and_none_misses_a_five(level: int) -> None:
    engine = Engine()
    engine.set_level(level)
    engine.position = Position.from_moves(parse_position("h8i8a1j8c1k8e1l8"))
    assert engine.think(Deadline.in_seconds(0.3)).move == (12, 7)
    engine.position = Position.from_moves(parse_position("h8i9"))
    assert engine.think(Deadline.in_seconds(0.3)).move in engine.position.legal_moves()
    assert not engine.trouble


def test_low_levels_vary_and_another_number_is_refused() -> None:
    engine = Engine()
    engine.set_level(1)
    engine.position = Position.from_moves(parse_position("h8i9g7"))
    assert len({engine.think(Deadline.in_seconds(0.3)).move for _ in range(20)}) > 3
    with pytest.raises(ValueError, match="level 11 is not from 1 to 10"):
        engine.set_level(11)
    assert engine.level == 1
