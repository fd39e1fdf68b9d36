"""The tree search: proofs, limits, and the tree from move to move."""

from __future__ import annotations

import threading
import time

import pytest

from gomoku_bot.clock import Deadline
from gomoku_bot.core.position import Point, Position
from gomoku_bot.evaluator.base import PatternEvaluator, UniformEvaluator
from gomoku_bot.notation import parse_position
from gomoku_bot.rules import Rule
from gomoku_bot.search.alphabeta import AlphaBetaSearch
from gomoku_bot.search.base import Limits, Result, Searcher
from gomoku_bot.search.puct import Constants, PuctSearch
from gomoku_bot.search.rollout import RolloutSearch
from gomoku_bot.tactics.solver import Solver
from tests.test_solver import mates


def think(search: Searcher, position: Position, visits: int, among: frozenset[Point] | None = None) -> Result:
    return search.think(position, Limits(visits=visits, among=among), threading.Event(), lambda _: None)


def test_visits_add_up_and_stop_at_the_limit() -> None:
    result = think(PuctSearch(UniformEvaluator()), Position.from_moves(parse_position("h8i9g7j10")), 300)
    assert 300 <= result.visits <= 310
    assert sum(move.visits for move in result.moves) <= result.visits
    assert result.moves[0].visits == max(move.visits for move in result.moves)


@pytest.mark.parametrize("name", ["puct", "alpha-beta", "alpha-beta by shapes"])
def test_a_proven_win_agrees_with_the_solver(name: str) -> None:
    searches: dict[str, Searcher] = {
        "puct": PuctSearch(PatternEvaluator(), constants=Constants(leaf_nodes=30)),
        "alpha-beta": AlphaBetaSearch(PatternEvaluator()),
        "alpha-beta by shapes": AlphaBetaSearch(PatternEvaluator(), table=False, net_order=False),
    }
    proven = 0
    for position, plies in mates()[::60]:
        if plies > 9:
            continue
        result = think(searches[name], position, 400 if name == "puct" else 20_000)
        if result.proven and result.wdl[0] == 1:
            proven += 1
            solver = Solver()
            position.play(*result.move)
            assert (
                position.winner is position.turn.opponent
                or solver.solve(position, 2, color=position.turn.opponent).is_win
                or position.fives(position.turn.opponent)
            )
    assert proven >= 5


@pytest.mark.parametrize("rule", Rule)
def test_a_proven_loss_is_one(rule: Rule) -> None:
    position = Position.from_moves(parse_position("h8a1i8o1j8o15k8"), rule=rule)
    result = think(PuctSearch(UniformEvaluator()), position, 200)
    assert not (result.proven and result.wdl[0] == 1)
    assert result.move in position.legal_moves()


def test_only_the_moves_among_are_chosen() -> None:
    among = frozenset([(0, 0), (14, 14)])
    evaluator = PatternEvaluator()
    for search in (PuctSearch(evaluator), RolloutSearch(evaluator, depth=4), AlphaBetaSearch(evaluator)):
        result = think(search, Position.from_moves(parse_position("h8i9g7")), 60, among)
        assert result.move in among


def test_the_tree_is_kept_from_move_to_move() -> None:
    search = PuctSearch(PatternEvaluator())
    position = Position.from_moves(parse_position("h8i9g7j10"))
    first = think(search, position, 400)
    expected = first.moves[0].line
    position.play(*expected[0])
    position.play(*expected[1])
    again = think(search, position, 1)
    assert again.visits > 1, "the old tree was thrown away"


def test_another_game_begins_with_an_empty_tree() -> None:
    search = PuctSearch(PatternEvaluator())
    think(search, Position.from_moves(parse_position("h8i9g7j10")), 200)
    other = think(search, Position.from_moves(parse_position("a1b2"), rule=Rule.RENJU), 50)
    assert other.visits <= 60


def test_a_full_tree_still_answers() -> None:
    search = PuctSearch(PatternEvaluator(), memory_bytes=36 * 2500)
    result = think(search, Position.from_moves(parse_position("h8i9g7j10")), 5000)
    assert result.move in Position.from_moves(parse_position("h8i9g7j10")).legal_moves()
    assert result.visits < 5000


@pytest.mark.parametrize("search", [PuctSearch, AlphaBetaSearch])
def test_stop_is_obeyed_soon(search: type[PuctSearch | AlphaBetaSearch]) -> None:
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()
    began = time.monotonic()
    deadline = Deadline.in_seconds(30)
    search(UniformEvaluator()).think(
        Position.from_moves(parse_position("h8i9")), Limits(deadline=deadline), stop, lambda _: None
    )
    assert time.monotonic() - began < 2


def test_alpha_beta_sees_the_same_with_and_without_its_table() -> None:
    """On a board too small for the width limit, at full depth, every ordering and table must give the same value."""
    values = set()
    for kwargs in ({}, {"table": False}, {"net_order": False}):
        position = Position.from_moves(parse_position("c3b2c2b3c4c1"), 5, 5)
        values.add(think(AlphaBetaSearch(PatternEvaluator(), **kwargs), position, 10_000_000).wdl)
    assert len(values) == 1


def test_time_is_spent_by_need() -> None:
    """In a decided position less than the fair share of the match, in an open one about all of it."""

    def seconds(game: str) -> float:
        began = time.monotonic()
        limits = Limits(deadline=Deadline.in_seconds(8), fair_seconds=2.0)
        position = Position.from_moves(parse_position(game))
        PuctSearch(PatternEvaluator(), constants=Constants(leaf_nodes=0)).think(
            position, limits, threading.Event(), lambda _: None
        )
        return time.monotonic() - began

    decided = seconds("h8a1i8b3j8o15")
    assert decided < 1.5
    assert seconds("h8i9g7j10") > decided


@pytest.mark.parametrize("search", [PuctSearch, AlphaBetaSearch])
def test_the_position_is_as_it_was(search: type[PuctSearch | AlphaBetaSearch]) -> None:
    position = Position.from_moves(parse_position("h8i9g7j10"))
    think(search(PatternEvaluator()), position, 300)
    assert position.moves == parse_position("h8i9g7j10")
    assert position.board.count == 4
