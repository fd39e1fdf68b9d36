"""The judge: whole games between real brains, and every way a brain can misbehave."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path

import psutil
import pytest

from gomoku_bot.arena.brain import Conditions, own_brain
from gomoku_bot.arena.referee import play_game
from gomoku_bot.arena.tournament import Meeting, Player, Tournament, meetings, read_games, score_pairs
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
    record, trouble = play_game((own_brain(), policy), ("a", "b"), conditions, width=width, height=height, rule=rule)
    assert record.reason in ("five", "full board", "move limit"), trouble
    assert len(record.moves) > 8


OPENINGS = [parse_position("h8i9"), parse_position("h8h9")]


def test_a_late_answer_to_about_is_no_move() -> None:
    body = (
        "if word == 'ABOUT': time.sleep(1.5); print('name=\"late\"')\nif word == 'START': print('OK')\n"
        "if word == 'DONE': print('0,0')"
    )
    slow = script(body)
    opening = parse_position("h8a2i8a3j8a4k8")  # black makes a five after the next move
    record, trouble = play_game((own_brain(), slow), ("a", "late"), UNHURRIED, opening=opening)
    assert record.reason == "five", trouble


def policies(*names: str) -> list[Player]:
    return [Player(name, (*own_brain(), "--search", "policy")) for name in names]


UNHURRIED = Conditions(turn_ms=5000)
"""Time to load the networks however busy the machine is; the policy answers at once."""


def tournament(out: Path | None, *names: str, conditions: Conditions = UNHURRIED) -> Tournament:
    return Tournament(
        players=policies(*names), conditions=conditions, openings=OPENINGS, width=15, height=15,
        rule=Rule.FREESTYLE, out=out,
    )  # fmt: skip


def test_a_tournament_goes_on_where_it_was_left_and_takes_new_players(tmp_path: Path) -> None:
    told: list[str] = []
    tournament(tmp_path, "a", "b").play(list(meetings(["a", "b"], 3)), tell=told.append)
    assert len(told) == 3
    with (tmp_path / "games.jsonl").open("a") as file:
        file.write('{"round": 1, "black": "b", "wh')  # killed in the middle of a line
    games = list(meetings(["a", "b", "c"], 2))
    played = tournament(tmp_path, "a", "b", "c").play(games, tell=told.append, concurrency=2)
    assert len(told) == 3 + 4, "a finished game was played again, or a new one was not"
    assert len(played) == len(read_games(tmp_path)) == 7
    assert {tuple(game[:3]) for game in played} == {tuple(game) for game in games} | {("a", "b", 1)}
    points, pairs = score_pairs(played, "a", "b")
    assert pairs == [1.0], "the same engine with either colour"
    assert len(points) == 3
    first = read_games(tmp_path)[0]
    record = parse_psq((tmp_path / "0001.psq").read_text())
    assert isinstance(record, GameRecord)
    assert len(record.moves) == len(first["moves"].split())
    assert all("gomoku" in version for version in first["versions"])
    assert first["wall_ms"] >= sum(first["times_ms"])
    assert (tmp_path / "games.pgn").read_text().count("[Result ") == 7


def test_a_folder_of_another_tournament_is_refused_and_left_alone(tmp_path: Path) -> None:
    tournament(tmp_path, "a", "b").play([], tell=print)
    before = (tmp_path / "tournament.json").read_text()
    with pytest.raises(ValueError, match="another conditions"):
        tournament(tmp_path, "a", "b", conditions=Conditions(turn_ms=7)).play([])
    other = Tournament(
        players=[Player("a", ("x",)), *policies("b")], conditions=FAST, openings=OPENINGS, width=15, height=15,
        rule=Rule.FREESTYLE, out=tmp_path,
    )  # fmt: skip
    with pytest.raises(ValueError, match="has games of a as"):
        other.play([])
    assert (tmp_path / "tournament.json").read_text() == before


def test_a_broken_off_tournament_keeps_finished_games_and_leaves_no_process(tmp_path: Path) -> None:
    def interrupt(_: str) -> None:
        raise KeyboardInterrupt

    slow = Conditions(turn_ms=20_000)
    dozing = script("if word == 'START': print('OK')\nif word == 'ABOUT': print('name=\"dozing\"')")
    players = [*policies("a", "b"), Player("dozing", dozing)]
    event = Tournament(
        players=players, conditions=slow, openings=OPENINGS, width=15, height=15, rule=Rule.FREESTYLE, out=tmp_path
    )
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        event.play([Meeting("dozing", "a", 0), Meeting("a", "b", 0)], concurrency=2, tell=interrupt)
    assert time.monotonic() - began < 15, "it waited for the sleeper"
    assert [game["black"] for game in read_games(tmp_path)] == ["a"]
    assert not psutil.Process().children(recursive=True)


def test_everybody_meets_everybody_with_both_colours() -> None:
    games = list(meetings("abc", 4))
    assert len(games) == len(set(games)) == 12
    assert {frozenset(game[:2]) for game in games[:6]} == {frozenset("ab"), frozenset("ac"), frozenset("bc")}
    assert all(Meeting(white, black, number) in games for black, white, number in games)
    assert {game[:2] for game in meetings("abc", 2, gauntlet=True)} == {("a", "b"), ("b", "a"), ("a", "c"), ("c", "a")}


def test_players_are_read_with_name_and_folder() -> None:
    player = Player.parse("rapfi={/opt/r}wine 'a b.exe' --x")
    assert (player.name, player.command, player.folder) == ("rapfi", ["wine", "a b.exe", "--x"], Path("/opt/r"))
    assert Player.parse("brain --level=3").command == ["brain", "--level=3"]
    with pytest.raises(ValueError, match="has no command"):
        Player.parse("name=")
