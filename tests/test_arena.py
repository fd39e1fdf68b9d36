"""The judge: whole games between real brains, and every way a brain can misbehave."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from gomoku_bot.arena.brain import Conditions, own_brain
from gomoku_bot.arena.match import Player, Score, elo_of, play_match
from gomoku_bot.arena.referee import play_game
from gomoku_bot.notation import parse_position
from gomoku_bot.records import GameRecord, parse_psq
from gomoku_bot.rules import Color, Rule

FAST = Conditions(turn_ms=100, tolerance_ms=1000)
LISTEN = "import sys, time, os\nfor line in sys.stdin:\n    word = line.split()[0] if line.split() else ''\n"


def script(body: str) -> Sequence[str]:
    """A small brain that runs *body* for every line it reads."""
    indented = "".join(f"    {line}\n" for line in body.splitlines())
    return (sys.executable, "-u", "-c", LISTEN + indented)


BAD_BRAINS = {
    "hangs before OK": ("", "time"),
    "hangs in its move": ("if word == 'START': print('OK')", "time"),
    "dies at once": ("sys.exit(1)", "crash"),
    "dies in its move": ("if word == 'START': print('OK')\nif word == 'DONE': sys.exit(1)", "crash"),
    "dies in mid-line": (
        "if word == 'START': print('OK')\nif word == 'DONE': os.write(1, b'3,'); os._exit(1)",
        "crash",
    ),
    "answers nonsense": ("if word == 'START': print('OK')\nif word == 'DONE': print('e4')", "illegal"),
    "plays off the board": ("if word == 'START': print('OK')\nif word == 'DONE': print('99,99')", "illegal"),
    "plays on a stone": ("if word == 'START': print('OK')\nif word == 'DONE': print('7,7')", "illegal"),
    "refuses": ("if word == 'START': print('ERROR no')", "crash"),
    "floods": ("if word == 'START': print('OK')\nwhile word == 'DONE': print('MESSAGE ' + 'x' * 500)", "time"),
    "writes on stderr": (
        "if word == 'START': print('OK')\nif word == 'DONE': print('Traceback', file=sys.stderr)", "illegal",
    ),
    "takes too much memory": (
        "if word == 'START': print('OK')\nif word == 'DONE': x = b'x' * 90_000_000; print('0,0')", "memory",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_BRAINS)
def test_a_brain_that_misbehaves_loses_with_the_reason(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gomoku_bot.arena.brain.START_SECONDS", 3.0)
    body, reason = BAD_BRAINS[name]
    conditions = Conditions(turn_ms=200, tolerance_ms=300, memory_bytes=60_000_000)
    good = script("if word == 'START': print('OK')\nif word in ('DONE', 'TURN'): print('14,14')")
    record, trouble = play_game((good, script(body)), ("good", "bad"), conditions, opening=parse_position("h8i9"))
    if reason == "memory" or name == "dies at once" or name.startswith("hangs before") or name == "refuses":
        assert record.winner is Color.BLACK
    assert record.winner is Color.BLACK
    assert record.reason == reason
    assert trouble


def test_a_command_that_does_not_exist_loses() -> None:
    record, trouble = play_game((("no-such-brain",), own_brain()), ("a", "b"), FAST)
    assert (record.winner, record.reason) == (Color.WHITE, "crash")
    assert "no-such-brain cannot be started" in trouble


def test_black_loses_on_a_forbidden_point_in_renju() -> None:
    black = script("if word == 'START': print('OK')\nif word == 'DONE': print('9,7')")
    record, _ = play_game(
        (black, own_brain()), ("a", "b"), FAST, rule=Rule.RENJU, opening=parse_position("h8a1i8a3j7a5j6a7")
    )
    assert (record.winner, record.reason) == (Color.WHITE, "forbidden")


@pytest.mark.parametrize(
    ("rule", "width", "height"),
    [(Rule.FREESTYLE, 20, 20), (Rule.STANDARD, 15, 15), (Rule.RENJU, 15, 15), (Rule.CARO, 15, 15),
     (Rule.CARO_EXACT, 15, 15), (Rule.FREESTYLE, 8, 5)],
)  # fmt: skip
def test_our_brain_plays_every_rule_suspended_as_the_judge_does(rule: Rule, width: int, height: int) -> None:
    conditions = Conditions(turn_ms=60, match_ms=20_000, tolerance_ms=1000, suspend=True)
    policy = (*own_brain(), "--search", "policy")
    record, trouble = play_game(
        (own_brain(), policy), ("a", "b"), conditions, width=width, height=height, rule=rule
    )
    assert record.reason in ("five", "full board", "move limit"), trouble
    assert len(record.moves) > 8


def test_a_match_goes_on_where_it_was_left(tmp_path: Path) -> None:
    policy = Player("policy", (*own_brain(), "--search", "policy"))
    players = (policy, Player("twin", policy.command))
    openings = [parse_position("h8i9"), parse_position("h8h9")]
    told: list[str] = []

    def play(games: int) -> Score:
        return play_match(
            players, FAST, openings, games, width=15, height=15, rule=Rule.FREESTYLE, out=tmp_path, tell=told.append
        )

    play(3)
    assert len(told) == 3
    score = play(4)
    assert len(told) == 4, "a finished game was played again"
    assert score.games == 4
    games = [json.loads(line) for line in (tmp_path / "games.jsonl").read_text().splitlines()]
    assert [game["black"] for game in games] == ["policy", "twin", "policy", "twin"]
    assert games[0]["moves"] == games[1]["moves"], "the same engine with either colour"
    assert score.wins == score.losses
    record = parse_psq((tmp_path / "0001.psq").read_text())
    assert isinstance(record, GameRecord)
    assert len(record.moves) == len(games[0]["moves"].split())


def test_players_are_read_with_name_and_folder() -> None:
    player = Player.parse("rapfi={/opt/r}wine 'a b.exe' --x")
    assert (player.name, player.command, player.folder) == ("rapfi", ["wine", "a b.exe", "--x"], Path("/opt/r"))
    assert Player.parse("brain --level=3").command == ["brain", "--level=3"]
    with pytest.raises(ValueError, match="has no command"):
        Player.parse("name=")


def test_scores_know_their_interval() -> None:
    low, high = Score(50, 0, 50).interval()
    assert low == pytest.approx(0.404, abs=0.001)
    assert high == pytest.approx(0.596, abs=0.001)
    assert elo_of(0.5) == 0
    assert elo_of(0.75) == pytest.approx(190.8, abs=0.1)
    assert elo_of(1) == 999
