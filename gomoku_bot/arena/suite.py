"""Graded test suites: positions with points for good moves, put to any brain."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gomoku_bot.arena.brain import Brain, BrainError, Conditions
from gomoku_bot.arena.referee import board_request
from gomoku_bot.core.position import Point, Position
from gomoku_bot.notation import parse_position, point_name
from gomoku_bot.rules import Rule

SHIPPED = Path(__file__).with_name("suites") / "teacher.jsonl"
"""500 positions of games of a strong engine, with its own marks (``python -m training.suite`` makes them)."""


@dataclass(frozen=True)
class Task:
    """A position, and how many points which moves earn; others earn none."""

    rule: Rule
    size: int
    moves: Sequence[Point]
    points: dict[Point, int]

    @classmethod
    def parse(cls, line: str) -> Task:
        """
        Reads ``{"rule": "renju", "size": 15, "moves": "h8i9g7", "points": {"j10": 10, "h7": 4}}``.

        :raises: `ValueError` for anything else.
        """
        try:
            entry = json.loads(line)
            points = {parse_position(name)[0]: int(worth) for name, worth in entry["points"].items()}
            task = cls(Rule.from_name(entry["rule"]), int(entry["size"]), parse_position(entry["moves"]), points)
        except (json.JSONDecodeError, KeyError, TypeError, AttributeError, IndexError) as error:
            raise ValueError(f"{line[:60]!r} is no task: {type(error).__name__} {error}") from None
        position = Position.from_moves(task.moves, task.size, task.size, task.rule)
        for point in points:
            if not position.is_empty(*point):
                raise ValueError(f"{point_name(point)} earns points in {line[:60]!r}, but is not empty there")
        if not points:
            raise ValueError(f"no move earns points in {line[:60]!r}")
        return task

    def format(self) -> str:
        """The line that `parse` reads."""
        names = {point_name(point): worth for point, worth in self.points.items()}
        moves = "".join(map(point_name, self.moves))
        return json.dumps({"rule": self.rule.name.lower(), "size": self.size, "moves": moves, "points": names})


def read(path: Path) -> list[Task]:
    """
    Reads a suite, one task a line.

    :raises: `ValueError` that names file and line.
    """
    tasks = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.strip():
            try:
                tasks.append(Task.parse(line))
            except ValueError as error:
                raise ValueError(f"{path}, line {number}: {error}") from None
    return tasks


@dataclass
class Marks:
    """What a brain has earned so far."""

    tasks: int = 0
    best: int = 0
    """Tasks in which it played the move that earns most."""

    earned: int = 0
    possible: int = 0
    lost: int = 0
    """Tasks without a legal answer in time."""

    def add(self, task: Task, move: Point | None) -> None:
        """Counts an answer; None: there was none."""
        most = max(task.points.values())
        earned = task.points.get(move, 0) if move else 0
        self.tasks += 1
        self.possible += most
        self.earned += earned
        self.best += earned == most
        self.lost += move is None

    def __str__(self) -> str:
        share = 100 * self.earned / max(1, self.possible)
        told = f"{self.earned} of {self.possible} points, {share:.1f}%, the best move in {self.best} of {self.tasks}"
        return told + (f", {self.lost} without an answer" if self.lost else "")


def run(
    command: Sequence[str], tasks: Sequence[Task], conditions: Conditions, folder: Path | None = None,
    tell: Callable[[int, Task, Point | None, Marks], None] = lambda *_: None,
) -> Marks:  # fmt: skip
    """Puts the tasks to a brain, a new process after every failure; *tell* hears of each answer."""
    marks = Marks()
    brain: Brain | None = None
    try:
        for number, task in enumerate(tasks, 1):
            position = Position.from_moves(task.moves, task.size, task.size, task.rule)
            move = None
            try:
                brain = brain or Brain(command, conditions, folder)
                brain.start(task.size, task.size, int(task.rule))
                move = brain.move(board_request(position)).point
            except BrainError:
                if brain:
                    brain.close()
                brain = None
            marks.add(task, move)
            tell(number, task, move, marks)
    finally:
        if brain:
            brain.close()
    return marks
