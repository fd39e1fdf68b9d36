"""Where training games come from: records on disk, and a brain that is asked for its thoughts."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from gomoku_bot.arena.brain import Brain, Conditions
from gomoku_bot.core.position import Point, Position
from gomoku_bot.notation import format_point, parse_position
from gomoku_bot.records import GameRecord, format_psq
from gomoku_bot.rules import Color, Rule
from training import recorder, teacher
from training.data import Games
from training.games import MOST_EVAL, canonical, eval_of, rule_and_size, to_arrays, turned

WON = parse_position("h8h9i8i9j8j9k8k9l8")


def record(moves: list[Point], size: int = 15, rule: Rule = Rule.FREESTYLE, opening: int = 2) -> GameRecord:
    return GameRecord(size, size, rule, moves=moves, winner=Color.BLACK, reason="five", opening=opening)


def test_recorded_games_are_read_once_however_they_are_turned(tmp_path: Path) -> None:
    for number, line in enumerate(turned(WON, 15)):
        (tmp_path / f"{number}.psq").write_text(format_psq(record(line)))
    (tmp_path / "other.psq").write_text(format_psq(record(WON, rule=Rule.STANDARD)))
    found, repeated, refused = recorder.gather([tmp_path])
    assert {name: len(games) for name, games in found.items()} == {"freestyle15": 1, "standard15": 1}
    assert repeated == {8: 1, 1: 1}
    assert not refused
    assert recorder.histograms(found, repeated).axes


def test_games_that_cannot_be_used_are_named(tmp_path: Path) -> None:
    (tmp_path / "short.psq").write_text(format_psq(GameRecord(15, 15, moves=WON[:5])))
    (tmp_path / "oblong.psq").write_text(format_psq(GameRecord(15, 12, moves=WON, winner=Color.BLACK)))
    (tmp_path / "text.psq").write_text("no game")
    (tmp_path / "late.psq").write_text(format_psq(record([*WON, (0, 0)])))
    found, _, refused = recorder.gather([tmp_path])
    assert not found
    said = sorted(line.removeprefix(str(tmp_path)) for line in refused)
    for name, reason in zip(("late", "oblong", "short", "text"), ("too late", "no", "not over", "line 1"), strict=True):
        assert any(line.startswith(f"/{name}.psq") and reason in line for line in said), said


def test_what_the_players_thought_is_what_training_sees(tmp_path: Path) -> None:
    summary = {
        "black": "a", "white": "b", "result": "1-0", "reason": "five", "rule": "freestyle", "size": [15, 15],
        "opening": 2, "moves": " ".join(map(format_point, WON)),
        "estimates": [None, None, 0.6, None, 0.7, 0.2, 0.9, 0.1, 1.0],
    }  # fmt: skip
    (tmp_path / "games.jsonl").write_text(json.dumps(summary) + "\nnonsense\n")
    found, _, refused = recorder.gather([tmp_path])
    assert len(refused) == 1
    (game,) = found["freestyle15"]
    assert game.evals[:5] == [None, None, eval_of(0.6), -MOST_EVAL, eval_of(0.7)]
    assert game.evals[-1] == MOST_EVAL
    games = Games(to_arrays([game], 15), "mine/freestyle15")
    batch = games.batch(np.arange(len(games)), np.zeros(len(games), np.int64))
    assert batch.move.tolist() == [y * 15 + x for x, y in WON[2:]]
    assert batch.teacher[0] == pytest.approx(0.6, abs=0.01)


@pytest.mark.parametrize(
    ("messages", "value", "weighed"),
    [
        (["MESSAGE Depth 3-4 | Eval 139 | Time 0ms | L10"], 139, {}),
        (["MESSAGE (1) 50 | 3-4 | I9 J9", "MESSAGE (2) -20 | 3-4 | H10", "MESSAGE Depth 4-4 | Eval 60"], 60,
         {"i9": 50, "h10": -20}),
        (["MESSAGE (1) 9 | 1-1 | A1", "MESSAGE (1) +M5 | 3-4 | I9 J9", "MESSAGE (2) -M12 | 3-4 | H10"], MOST_EVAL,
         {"i9": MOST_EVAL, "h10": -MOST_EVAL}),
        (["MESSAGE 1. i9 win 73.1% visits 9", "MESSAGE win 73.1% visits 20 line i9"], eval_of(0.731),
         {"i9": eval_of(0.731)}),
        (["DEBUG nothing", "MESSAGE hello"], None, {}),
    ],
)  # fmt: skip
def test_a_brains_messages_are_understood(messages: list[str], value: int | None, weighed: dict[str, int]) -> None:
    (move,) = parse_position("i9")
    expected = {parse_position(name)[0]: worth for name, worth in weighed.items()}
    assert teacher.thoughts(messages, move) == (value, expected)


def test_a_teachers_game_is_legal_and_says_what_it_thought() -> None:
    command = [sys.executable, "-m", "gomoku_bot", "--search", "policy"]
    openings = [parse_position("d4e5f6")]
    rng = np.random.default_rng(1)
    with Brain(command, Conditions(turn_ms=2000, memory_bytes=0)) as brain:
        games = [teacher.play(brain, "renju15", openings, lines, rng) for lines in (0, 3, 3)]
    turns = {canonical(game.moves[: game.opening], 15) for game in games}
    assert canonical(openings[0], 15) in turns
    for game in games:
        rule, size = rule_and_size(game.set)
        position = Position.from_moves(game.moves, size, size, rule)
        assert position.is_over
        assert game.result == recorder.RESULTS[position.winner]
        assert all(worth is not None for worth in game.evals[game.opening :])
    assert any(len(moves) > 1 for moves in games[-1].weighed)
