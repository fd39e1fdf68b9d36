"""Graded test suites: what they accept, and what they give points for."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from gomoku_bot.arena.brain import Conditions
from gomoku_bot.arena.suite import SHIPPED, Marks, Task, read, run
from gomoku_bot.cli import main
from gomoku_bot.core.position import Position
from gomoku_bot.rules import Rule

TASK = '{"rule": "freestyle", "size": 15, "moves": "h8i9", "points": {"j10": 10, "h9": 4}}'
FAST = Conditions(turn_ms=300, tolerance_ms=1500, memory_bytes=0)


def brain(answer: str) -> list[str]:
    """A brain that always plays *answer*."""
    body = (
        "import sys\nfor line in sys.stdin:\n    word = line.split()[0]\n"
        f"    said = {{'START': 'OK', 'DONE': '{answer}'}}.get(word)\n    if said: print(said)\n"
    )
    return [sys.executable, "-u", "-c", body]


def test_a_task_is_read_as_it_is_written() -> None:
    task = Task.parse(TASK)
    assert (task.rule, task.size) == (Rule.FREESTYLE, 15)
    assert task.points == {(9, 9): 10, (7, 8): 4}
    assert Task.parse(task.format()) == task


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ("", "is no task"),
        ("[]", "is no task"),
        (TASK.replace('"moves": "h8i9", ', ""), "moves"),
        (TASK.replace('"j10": 10', '"h8": 10'), "h8 earns points"),
        (TASK.replace('"j10": 10, "h9": 4', ""), "no move earns"),
        (TASK.replace("freestyle", "chess"), "chess"),
    ],
)
def test_a_wrong_task_is_named(wrong: str, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        Task.parse(wrong)


def test_a_wrong_line_of_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "suite.jsonl").write_text(TASK + "\n\nnonsense\n")
    with pytest.raises(ValueError, match=r"suite\.jsonl, line 3"):
        read(tmp_path / "suite.jsonl")


@pytest.mark.parametrize(("answer", "earned", "best"), [("9,9", 10, 1), ("7,8", 4, 0), ("0,0", 0, 0)])
def test_moves_earn_their_points(answer: str, earned: int, best: int) -> None:
    assert run(brain(answer), [Task.parse(TASK)] * 2, FAST) == Marks(2, 2 * best, 2 * earned, 20, 0)


def test_a_brain_without_an_answer_earns_nothing_and_the_suite_goes_on() -> None:
    heard: list[int] = []
    marks = run(brain("nonsense"), [Task.parse(TASK)] * 2, FAST, tell=lambda number, *_: heard.append(number))
    assert marks == Marks(2, 0, 0, 20, 2)
    assert heard == [1, 2]


def test_the_shipped_suite_has_500_sound_tasks() -> None:
    tasks = read(SHIPPED)
    assert len(tasks) == 500
    assert {(task.rule, task.size) for task in tasks} >= {(Rule.FREESTYLE, 20), (Rule.STANDARD, 15), (Rule.RENJU, 15)}
    for task in tasks:
        position = Position.from_moves(task.moves, task.size, task.size, task.rule)
        assert not position.is_over
        assert all(position.is_empty(*point) for point in task.points)


def test_this_bot_answers_the_shipped_suite(capsys: pytest.CaptureFixture[str]) -> None:
    main(["suite", "--every", "50", "--turn-ms", "50", "--wrong"])
    said = capsys.readouterr()
    assert "the best move in" in said.out + said.err
    assert "without an answer" not in said.out + said.err
