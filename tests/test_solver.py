"""A win that the solver claims is one; the wins that are known it finds."""

from __future__ import annotations

import gzip
import json
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from gomoku_bot.core.grid import square_of
from gomoku_bot.core.position import Point, Position
from gomoku_bot.notation import parse_position
from gomoku_bot.rules import Color, Rule
from gomoku_bot.tactics.solver import Outcome, Proof, Solver
from tests import reference

DATA = Path(__file__).parent / "data"


class OpenClaimError(Exception):
    """A claim was neither kept nor refuted with the patience of the check."""


def drawn(board: str, rule: Rule = Rule.FREESTYLE) -> Position:
    """A position from a drawing: X black, O white; black is to move if both have as many."""
    rows = [row.split() for row in board.strip().splitlines()]
    points = {mark: [(x, y) for y, row in enumerate(rows) for x, m in enumerate(row) if m == mark] for mark in "XO"}
    return Position.from_stones(points["X"], points["O"], len(rows[0]), len(rows), rule)


def holds_against_all(position: Position, solver: Solver, proof: Proof, budget: list[int], seen: set[int]) -> None:
    """
    Replays a claimed win against every answer, each followed by a new claim; fails if one is not kept.

    Fives are judged by the slow reference. *budget* bounds the positions visited.
    """
    attacker = position.turn
    if position.key in seen or budget[0] <= 0:
        return
    seen.add(position.key)
    budget[0] -= 1
    move = proof.line[0]
    placed: reference.Stones = {p: color for color in Color for p in position.stones(color)}
    if position.rule.has_forbidden_points(attacker):
        assert not reference.is_forbidden(placed, position.width, position.height, move), f"{move} is forbidden"
    if reference.wins(placed, position.width, position.height, move, attacker, position.rule):
        return
    position.play(*move)
    assert not position.is_over
    assert not position.fives(attacker.opponent), f"{move} leaves the defender a five\n{position}"
    for answer in position.legal_moves():
        position.play(*answer)
        if position.winner is None:
            claim = again(solver, position, attacker)
            if claim.outcome is Outcome.UNKNOWN:
                raise OpenClaimError(f"{answer} after {move} is not proven lost in {claim.nodes} positions")
            assert claim.is_win, f"{answer} refutes {move}\n{position}"
            holds_against_all(position, solver, claim, budget, seen)
        else:
            assert position.winner is attacker, f"{answer} wins against {move}\n{position}"
        position.undo()
    position.undo()


def again(solver: Solver, position: Position, attacker: Color) -> Proof:
    """The claim renewed after an answer: with the given solver, else with a large table and more patience."""
    claim = solver.vcf(position, attacker, 1_000_000)
    for quiet in range(3):
        if not claim.is_win:
            claim = solver.vct(position, attacker, 300_000, quiet)
    for quiet in range(3):
        if not claim.is_win:
            claim = Solver(1 << 26).vct(position, attacker, 20_000_000, quiet)
    return claim


def mates(rule: str | None = None) -> list[tuple[Position, int]]:
    rows = json.loads(gzip.decompress((DATA / "mates.json.gz").read_bytes()))
    return [
        (Position.from_moves(parse_position(moves), size, size, Rule.from_name(name)), plies)
        for name, size, moves, plies in rows
        if rule in (None, name)
    ]


def prove(solver: Solver, position: Position, nodes: int) -> Proof:
    proof = solver.vcf(position, position.turn, nodes)
    for quiet in range(3):
        if not proof.is_win:
            proof = solver.vct(position, position.turn, nodes, quiet)
    return proof


def test_an_open_three_wins_in_five_plies() -> None:
    position = drawn("""
        . . . . . . . . .
        . . . . . . . . .
        . . X X X . . . .
        . . . . . . . . .
        . O . O . O . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
    """)
    proof = Solver().vcf(position, Color.BLACK)
    assert proof.is_win
    assert len(proof.line) == 3
    assert proof.line[0] in [(1, 2), (5, 2)]


def test_there_is_no_vcf_on_an_empty_board() -> None:
    assert Solver().vcf(Position(15, 15), Color.BLACK).outcome is Outcome.NO_WIN
    assert Solver().vct(Position(15, 15), Color.BLACK).outcome is Outcome.NO_WIN


def test_a_four_that_gives_the_enemy_a_five_does_not_win() -> None:
    position = drawn("""
        . . . . . . . . .
        O X X X . . . . .
        . . . . O . . . .
        . . . . O . . . .
        . . . . O . . . .
        . . . . O . . . .
        . . . . X . . . .
        . X . X . . . . .
        . . . . . . . . .
    """)
    assert position.fives(Color.WHITE) == [(4, 1)]
    proof = Solver().vcf(position, Color.BLACK)
    assert not proof.is_win


def test_black_in_renju_does_not_win_by_a_double_four() -> None:
    board = """
        . . . . . . . . . . .
        . . . . . . . . . . .
        . O . . . . . . . . .
        . X . . . . . . . . .
        . X . . . . . . . . .
        . X . . . . . . . . .
        . . X X X O . . . . .
        . . . . . . . . . . .
        . . O . O . . . . . O
        . . . . . . . . . . .
        O . . . . . . . . . .
    """
    assert Solver().vcf(drawn(board), Color.BLACK).line[0] == (1, 6)
    renju = drawn(board, Rule.RENJU)
    assert (1, 6) in renju.forbidden()
    assert not Solver().vcf(renju, Color.BLACK).is_win


def test_white_in_renju_wins_when_the_only_answer_is_forbidden() -> None:
    found = 0
    for position, _ in mates("renju"):
        if position.turn is Color.WHITE:
            proof = Solver(1 << 16).vcf(position, Color.WHITE, 20_000)
            if proof.is_win:
                copy = position.copy()
                for move in proof.line:
                    copy.play(*move)
                fives = copy.fives(Color.WHITE)
                if copy.winner is None and len(fives) == 1:
                    assert copy.turn is Color.BLACK
                    assert fives[0] in copy.forbidden()
                    found += 1
    assert found, "no trap among the known wins"


@pytest.mark.parametrize("rule", ["freestyle", "standard", "renju"])
def test_known_wins_are_proven(rule: str) -> None:
    solver = Solver(1 << 22)
    known = mates(rule)[::6]
    for most, share in ((9, 0.99), (19, 0.93)):
        chosen = [position for position, plies in known if plies <= most]
        proven = 0
        for position in chosen:
            solver.clear()  # what is proven does not depend on the positions before
            proven += prove(solver, position, 300_000).is_win
        assert proven >= share * len(chosen), f"{proven} of {len(chosen)} wins of up to {most} plies"


@pytest.mark.parametrize("rule", ["freestyle", "standard", "renju"])
def test_proven_wins_hold_against_every_answer(rule: str) -> None:
    solver = Solver(1 << 22)
    for position, plies in mates(rule)[7::90]:
        if plies <= 13:
            proof = prove(solver, position, 50_000)
            if proof.is_win:
                holds_against_all(position, solver, proof, [60], set())


@pytest.mark.parametrize("rule", Rule)
def test_wins_claimed_on_random_positions_hold(rule: Rule) -> None:
    solver = Solver(1 << 20)
    claimed = 0
    for seed in range(60):
        rng = np.random.default_rng([seed, int(rule)])
        position = Position(11, 11, rule)
        points = [(x, y) for x, y in position.points if 1 < x < 9 and 1 < y < 9]
        for i in rng.permutation(len(points))[: int(rng.integers(12, 24))]:
            if points[i] not in position.fives(position.turn) and not position.is_over:
                position.play(*points[i])
        if position.is_over:
            continue
        proof = prove(solver, position, 3_000)
        if proof.is_win:
            claimed += 1
            holds_against_all(position, solver, proof, [12], set())
    assert claimed >= 5


def test_moves_that_do_not_defend_are_proven_losses() -> None:
    position = Position.from_moves(parse_position("h8a1i8o1j8"))
    holds, loses = Solver().defences(position, 5)
    assert set(holds) == {(6, 7), (10, 7)}
    assert all(proof.is_win for proof in loses.values())
    assert len(holds) + len(loses) == len(position.legal_moves())


def test_the_solver_stops_when_told() -> None:
    solver = Solver(1 << 16)
    slow = max((position for position, _ in mates("standard")[-300:]), key=lambda p: len(p.moves))
    timer = threading.Timer(0.05, solver.stop)
    timer.start()
    began = time.monotonic()
    proof = solver.solve(slow, seconds=0.05)
    assert time.monotonic() - began < 5
    assert proof.outcome in Outcome


def test_the_position_is_as_it_was_after_a_search() -> None:
    solver = Solver(1 << 18)
    for position, _ in mates()[::100]:
        before = (position.key, str(position), list(position.moves))
        prove(solver, position, 5_000)
        assert (position.key, str(position), position.moves) == before
        assert position.board.count == len(position.moves)


def line_is_legal(position: Position, line: tuple[Point, ...]) -> bool:
    copy = position.copy()
    for move in line:
        if not copy.is_empty(*move) or copy.is_over:
            return False
        copy.board.make(square_of(*move), copy.turn - 1)
        copy.board.unmake()
        copy.play(*move)
    return True


def test_winning_lines_are_legal_and_end_won() -> None:
    solver = Solver(1 << 20)
    for position, plies in mates("freestyle")[::40]:
        proof = prove(solver, position, 30_000)
        if proof.is_win and plies < 15:
            assert line_is_legal(position, proof.line)


def test_a_small_table_still_proves() -> None:
    position = Position.from_moves(parse_position("h8a1i8a3j8o1"))
    assert Solver(1).solve(position, 1).is_win


def test_a_claimed_win_has_a_first_move_though_the_table_forgets() -> None:
    """In a table this small the winning move is overwritten before the search is done."""
    moves = parse_position("k12i11h10j13m12i12i10h11g10j10j11l13h9g8f11e12i13e10k9d11f9f13g14e13e11d13g13")
    position = Position.from_moves(moves, 20, 20)
    solver = Solver(1 << 18)
    solver.vcf(position, position.turn, 2000)
    proof = solver.vct(position, position.turn, 2000)
    assert proof.is_win
    assert proof.line
    position.play(*proof.line[0])
    answers, _ = Solver().defences(position, 60)
    assert not answers, "the first move wins against every answer"
