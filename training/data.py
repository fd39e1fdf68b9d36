"""
Teacher games as training batches.

A data set is an ``.npz`` file that holds all games of one rule and board, one after the other
(the format stands in ``training/README.md``). Positions are rebuilt on the fly: a batch picks
(game, ply) pairs, plays the moves before the ply on a board and writes down what the network sees.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from gomoku_bot.core._board_cy import Board
from gomoku_bot.core._planes_cy import PLANES, write_planes, write_stones
from gomoku_bot.core._rows_cy import write_rows
from gomoku_bot.core.grid import MARGIN, STRIDE
from gomoku_bot.core.position import Position
from training.games import EVAL_SCALE, NO_EVAL, NO_MOVE, POLICY_TEMPERATURE, rule_and_size

ALL_SETS = ("freestyle20", "freestyle15", "standard15", "renju15")

HELD_OUT = 20
"""One game in so many is held out; the split is by game, never by position."""

POLICY_SPREAD = 0.02
"""So much of the policy target lies on all empty points alike."""

FIVE = 8
"""Point kind of a stone that makes a winning five (`gomoku_bot.core._patterns_cy`)."""

Inputs = Literal["stones", "planes", "rows"]
"""What a network sees: two planes of stones, the 48 planes, or five codebook rows a point."""


@dataclass(frozen=True)
class Batch:
    """One training batch; every array is from the side to move's view. A is ``H * W``."""

    inputs: NDArray[np.float32] | NDArray[np.int32]
    """``[B, 2, H, W]`` or ``[B, 48, H, W]`` planes, or ``[B, A, 5]`` codebook rows (`gomoku_bot.core._rows_cy`)."""

    size: int
    """Width and height of the board."""

    move: NDArray[np.int64]
    """``[B]``: the teacher's move, ``y * W + x``."""

    policy: NDArray[np.float32]
    """``[B, A]``: how likely a strong player plays each point; rows sum to 1, taken points have 0."""

    empty: NDArray[np.bool_]
    """``[B, A]``: the points without a stone."""

    value: NDArray[np.float32]
    """``[B, 3]``: the game's result as one-hot win, draw, loss."""

    teacher: NDArray[np.float32]
    """``[B]``: the teacher's win probability."""

    decided: NDArray[np.bool_]
    """``[B]``: whether a five is to be made or stopped: the solver plays such positions without a network."""


def symmetries(size: int) -> NDArray[np.int64]:
    """
    Returns ``[8, size * size]``: where each square goes under the eight symmetries of the square board.

    >>> symmetries(3)[1].tolist()  # mirrored left to right
    [2, 1, 0, 5, 4, 3, 8, 7, 6]
    """
    squares = np.arange(size * size).reshape(size, size)
    boards = [np.rot90(board, turns) for turns in range(4) for board in (squares, squares[:, ::-1])]
    return np.stack([board.ravel() for board in boards]).astype(np.int64)


class Games:
    """Games of one rule and board, and their positions that somebody has weighed."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]], name: str, *, held_out: bool | None = None) -> None:
        """
        arrays: as `games.to_arrays` gives them, with ``pv_moves`` and ``pv_evals`` or not; *name* ends in rule and
        board size. held_out: which part of the games; None: all.
        """
        offsets, moves = arrays["offsets"], arrays["moves"]
        evals, opening, result = arrays["evals"], arrays["opening"], arrays["result"]
        self.pv_moves = arrays.get("pv_moves", moves[:, None])
        self.pv_evals = arrays.get("pv_evals", np.zeros((len(moves), 1), np.int16))
        self.name = name
        self.rule, self.size = rule_and_size(name.rpartition("/")[2])
        kept = True if held_out is None else (np.arange(len(opening)) % HELD_OUT == 0) == held_out
        games = np.flatnonzero(np.full(len(opening), kept))
        lengths = np.diff(offsets)[games]
        self.moves = np.zeros((len(games), int(lengths.max())), np.int64)
        self.evals = np.full(self.moves.shape, NO_EVAL, np.int16)
        for row, game in enumerate(games):
            start, end = offsets[game], offsets[game + 1]
            self.moves[row, : end - start] = moves[start:end]
            self.evals[row, : end - start] = evals[start:end]
        self.first = offsets[:-1][games]
        self.result = result[games].astype(np.int64)
        plies = np.arange(self.moves.shape[1])
        chosen = (plies >= opening[games][:, None]) & (plies < lengths[:, None]) & (self.evals != NO_EVAL)
        self.positions = np.argwhere(chosen)
        self.symmetries = symmetries(self.size)

    @classmethod
    def read(cls, path: Path, *, held_out: bool | None) -> Games:
        """Opens ``FOLDER/RULEnn.npz``."""
        with np.load(path) as file:
            return cls(dict(file), f"{path.parent.name}/{path.stem}", held_out=held_out)

    def position(self, game: int, ply: int) -> Position:
        """The position in which *game* has its move number *ply*."""
        moves = [(int(move) % self.size, int(move) // self.size) for move in self.moves[game, :ply]]
        return Position.from_moves(moves, self.size, self.size, self.rule)

    def __len__(self) -> int:
        return len(self.positions)

    def batch(self, chosen: NDArray[np.int64], symmetry: NDArray[np.int64], inputs: Inputs = "stones") -> Batch:
        """The positions numbered *chosen* ``[B]``, each turned by its *symmetry* ``[B]`` in 0..7."""
        games, plies = self.positions[chosen].T
        count, area, rows = len(chosen), self.size * self.size, np.arange(len(chosen))
        moves = self.symmetries[symmetry[:, None], self.moves[games]]
        empty = np.ones((count, area), bool)
        before = np.arange(self.moves.shape[1]) < plies[:, None]
        empty[np.nonzero(before)[0], moves[before]] = False
        outcome = self.result[games] * np.where(plies % 2 == 0, 1, -1)
        value = np.zeros((count, 3), np.float32)
        value[rows, 1 - outcome] = 1
        evals = np.clip(self.evals[games, plies].astype(np.float32), -10 * EVAL_SCALE, 10 * EVAL_SCALE)
        teacher = 1 / (1 + np.exp(-evals / EVAL_SCALE))
        seen, decided = self._look(moves, plies, inputs)
        return Batch(
            inputs=seen, size=self.size, move=moves[rows, plies], policy=self._policy(games, plies, symmetry, empty),
            empty=empty, value=value, teacher=teacher, decided=decided,
        )  # fmt: skip

    def _policy(
        self, games: NDArray[np.int64], plies: NDArray[np.int64], symmetry: NDArray[np.int64],
        empty: NDArray[np.bool_],
    ) -> NDArray[np.float32]:  # fmt: skip
        """The soft target; one-hot with the spread where the teacher told only its move."""
        at = self.first[games] + plies
        found, evals = self.pv_moves[at], self.pv_evals[at].astype(np.float32)
        known = found != NO_MOVE
        evals = np.where(known, np.clip(evals, -10 * EVAL_SCALE, 10 * EVAL_SCALE), -np.inf)
        share = np.exp((evals - evals.max(1, keepdims=True)) / POLICY_TEMPERATURE)
        share *= (1 - POLICY_SPREAD) / share.sum(1, keepdims=True)
        policy = empty * (POLICY_SPREAD / np.maximum(empty.sum(1, keepdims=True), 1)).astype(np.float32)
        turned = self.symmetries[symmetry[:, None], np.where(known, found, 0)]
        np.add.at(policy, (np.arange(len(at))[:, None], turned), share)
        result: NDArray[np.float32] = policy.astype(np.float32)
        return result

    def _look(
        self, moves: NDArray[np.int64], plies: NDArray[np.int64], inputs: Inputs
    ) -> tuple[NDArray[np.float32] | NDArray[np.int32], NDArray[np.bool_]]:
        """Plays each game's moves up to its ply; returns what the network sees and where a five is pending."""
        squares = (moves // self.size + MARGIN) * STRIDE + moves % self.size + MARGIN
        board, count = Board(self.size, self.size, int(self.rule)), len(plies)
        seen: NDArray[np.float32] | NDArray[np.int32]
        if inputs == "rows":
            seen = np.empty((count, self.size * self.size, 5), np.int32)
        else:
            seen = np.empty((count, 2 if inputs == "stones" else PLANES, self.size, self.size), np.float32)
        decided = np.zeros(count, bool)
        for i, (line, ply) in enumerate(zip(squares.tolist(), plies.tolist(), strict=True)):
            for k in range(ply):
                board.make(line[k], k & 1)
            mover = ply & 1
            if inputs == "rows":
                write_rows(board, mover, seen[i])
            elif inputs == "planes":
                write_planes(board, mover, 0, seen[i])
            else:
                write_stones(board, mover, seen[i])
            decided[i] = board.total_of(0, FIVE) + board.total_of(1, FIVE) > 0
            for _ in range(ply):
                board.unmake()
        return seen, decided


def load(folder: Path, names: Sequence[str], *, held_out: bool) -> list[Games]:
    """Opens every ``*/NAME.npz`` under *folder*; raises `FileNotFoundError` if a name has none."""
    found = []
    for name in names:
        files = sorted(folder.glob(f"*/{name}.npz"))
        if not files:
            raise FileNotFoundError(f"no {name}.npz in any folder of {folder}")
        found += [Games.read(file, held_out=held_out) for file in files]
    return found


def training_batches(
    sets: Sequence[Games], batch_size: int, rng: np.random.Generator, inputs: Inputs = "stones",
    shares: Sequence[float] = (),
) -> Iterator[Batch]:  # fmt: skip
    """Yields random batches without end, each from one set; *shares* of the sets: by default, by their positions."""
    share = np.array(shares or [len(games) for games in sets], np.float64)
    share /= share.sum()
    while True:
        games = sets[rng.choice(len(sets), p=share)]
        yield games.batch(rng.integers(len(games), size=batch_size), rng.integers(8, size=batch_size), inputs)


def whole_batches(sets: Sequence[Games], batch_size: int, most: int, inputs: Inputs = "stones") -> Iterator[Batch]:
    """Yields at most *most* positions of every set, evenly spread, unturned."""
    for games in sets:
        step = max(1, -(-len(games) // most))
        chosen = np.arange(0, len(games), step)
        for start in range(0, len(chosen), batch_size):
            part = chosen[start : start + batch_size]
            yield games.batch(part, np.zeros(len(part), np.int64), inputs)
