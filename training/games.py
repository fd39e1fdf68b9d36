"""Games as training wants them: one JSON line each while they are gathered, flat arrays (``.npz``) to learn from."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gomoku_bot.core.position import Point
from gomoku_bot.notation import parse_position, point_name
from gomoku_bot.records import whole_lines
from gomoku_bot.rules import Color, Rule

NO_EVAL = -32768
NO_MOVE = 65535
EVAL_SCALE = 200.0
"""Win probability = 1 / (1 + exp(-eval / EVAL_SCALE)), as the teacher's data sheet gives it."""

MOST_EVAL = 2000
"""A proven win; no eval is larger."""

POLICY_TEMPERATURE = 60.0
"""Soft policy target = softmax(eval / POLICY_TEMPERATURE) over the moves that were weighed."""

MOST_WEIGHED = 16
"""Moves of a position that the arrays keep, at most."""


RESULTS = {Color.BLACK: 1, Color.WHITE: -1, None: 0}
"""A game's result by who has won."""


def rule_and_size(name: str) -> tuple[Rule, int]:
    """
    What ``standard15`` stands for.

    :raises: `ValueError` if *name* is not a rule followed by a board size.
    """
    rule, digits = name.rstrip("0123456789"), name[len(name.rstrip("0123456789")) :]
    if not digits:
        raise ValueError(f"{name!r} is not a rule and a board size, such as standard15")
    return Rule.from_name(rule), int(digits)


def eval_of(win: float) -> int:
    """The eval that stands for a probability to win."""
    return round(float(np.clip(EVAL_SCALE * np.log(max(win, 1e-9) / max(1 - win, 1e-9)), -MOST_EVAL, MOST_EVAL)))


@dataclass(frozen=True)
class Game:
    """A finished game and what its players thought."""

    set: str
    """Rule and board size, such as ``standard15``."""

    moves: Sequence[Point]
    opening: int
    """The first so many moves were given."""

    result: int
    """1: black won, -1: white, 0: draw."""

    evals: Sequence[int | None]
    """Of each position before its move, in the mover's view; None: nobody said."""

    weighed: Sequence[dict[Point, int]]
    """For each position the best moves with their evals; empty: only the move is known."""

    def to_json(self) -> str:
        """One line."""
        weighed = [{point_name(point): worth for point, worth in moves.items()} for moves in self.weighed]
        moves = "".join(map(point_name, self.moves))
        return json.dumps({**self.__dict__, "moves": moves, "weighed": weighed}, separators=(",", ":"))

    @classmethod
    def from_json(cls, line: str) -> Game:
        """Reads what `to_json` has written."""
        entry = json.loads(line)
        weighed = [{parse_position(name)[0]: worth for name, worth in moves.items()} for moves in entry["weighed"]]
        return cls(**{**entry, "moves": parse_position(entry["moves"]), "weighed": weighed})


def turned(moves: Sequence[Point], size: int) -> list[list[Point]]:
    """The moves under the eight symmetries of the square board."""
    last = size - 1
    both = [list(moves), [(y, x) for x, y in moves]]
    return [
        [(last - x if across else x, last - y if down else y) for x, y in line]
        for line in both for across in (False, True) for down in (False, True)
    ]  # fmt: skip


def canonical(moves: Sequence[Point], size: int) -> tuple[Point, ...]:
    """The same for games that are one another's mirror image or turned."""
    return min(tuple(line) for line in turned(moves, size))


def read_lines(paths: Iterable[Path]) -> Iterator[Game]:
    """The games of JSON-lines files; see `whole_lines`."""
    for path in paths:
        yield from map(Game.from_json, whole_lines(path))


def to_arrays(games: Sequence[Game], size: int) -> dict[str, NDArray[np.generic]]:
    """The games in the flat form of the data files (``training/README.md``), squares as ``y * size + x``."""
    lengths = [len(game.moves) for game in games]
    total = sum(lengths)
    most = max([1, *(len(moves) for game in games for moves in game.weighed)])
    weighed = np.full((total, min(most, MOST_WEIGHED)), NO_MOVE, np.uint16)
    worth = np.zeros(weighed.shape, np.int16)
    evals = np.full(total, NO_EVAL, np.int16)
    at = 0
    for game in games:
        for move, value, best in zip(game.moves, game.evals, game.weighed, strict=True):
            evals[at] = NO_EVAL if value is None else value
            ordered = sorted((best or {move: 0}).items(), key=lambda entry: -entry[1])[:MOST_WEIGHED]
            for column, ((x, y), mark) in enumerate(ordered):
                weighed[at, column], worth[at, column] = y * size + x, mark
            at += 1
    return {
        "offsets": np.cumsum([0, *lengths]),
        "moves": np.array([y * size + x for game in games for x, y in game.moves], np.uint16),
        "evals": evals,
        "opening": np.array([game.opening for game in games], np.int16),
        "result": np.array([game.result for game in games], np.int8),
        "pv_moves": weighed,
        "pv_evals": worth,
    }


def save_arrays(path: Path, games: Sequence[Game]) -> None:
    """Writes games of one set as a data file."""
    _, size = rule_and_size(games[0].set)
    np.savez_compressed(path, allow_pickle=False, **to_arrays(games, size))
