"""
Teacher games as training batches.

A data set is an ``.npz`` file that holds all games of one rule and board, one after the other
(the format stands in ``training/README.md``). Positions are rebuilt on the fly: a batch picks
(game, ply) pairs and scatters the moves before the ply into planes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

NO_EVAL = -32768
EVAL_SCALE = 200.0
"""Win probability = 1 / (1 + exp(-eval / EVAL_SCALE)), as the teacher's data sheet gives it."""

HELD_OUT = 20
"""One game in so many is held out; the split is by game, never by position."""


@dataclass(frozen=True)
class Batch:
    """One training batch; every array is from the side to move's view."""

    planes: NDArray[np.float32]
    """``[B, 2, H, W]``: own stones, enemy stones."""

    move: NDArray[np.int64]
    """``[B]``: the teacher's move, ``y * W + x``."""

    value: NDArray[np.float32]
    """``[B, 3]``: the game's result as one-hot win, draw, loss."""

    teacher: NDArray[np.float32]
    """``[B]``: the teacher's win probability."""


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
    """All games of one file, held-out or not, and the positions that the teacher chose a move in."""

    def __init__(self, path: Path, *, held_out: bool) -> None:
        with np.load(path) as file:
            offsets, moves, evals = file["offsets"], file["moves"], file["evals"]
            opening, result = file["opening"], file["result"]
        self.name = f"{path.parent.name}/{path.stem}"
        self.size = int("".join(filter(str.isdigit, path.stem)))
        games = np.flatnonzero((np.arange(len(opening)) % HELD_OUT == 0) == held_out)
        lengths = np.diff(offsets)[games]
        self.moves = np.zeros((len(games), int(lengths.max())), np.int64)
        self.evals = np.full(self.moves.shape, NO_EVAL, np.int16)
        for row, game in enumerate(games):
            start, end = offsets[game], offsets[game + 1]
            self.moves[row, : end - start] = moves[start:end]
            self.evals[row, : end - start] = evals[start:end]
        self.result = result[games].astype(np.int64)
        plies = np.arange(self.moves.shape[1])
        chosen = (plies >= opening[games][:, None]) & (plies < lengths[:, None]) & (self.evals != NO_EVAL)
        self.positions = np.argwhere(chosen)
        self.symmetries = symmetries(self.size)

    def __len__(self) -> int:
        return len(self.positions)

    def batch(self, chosen: NDArray[np.int64], symmetry: NDArray[np.int64]) -> Batch:
        """The positions numbered *chosen* ``[B]``, each turned by its *symmetry* ``[B]`` in 0..7."""
        games, plies = self.positions[chosen].T
        count, area = len(chosen), self.size * self.size
        moves = self.symmetries[symmetry[:, None], self.moves[games]]
        at = np.arange(self.moves.shape[1])
        sample, ply = np.nonzero(at < plies[:, None])
        enemy = (plies[sample] - ply) % 2
        planes = np.zeros((count, 2, area), np.float32)
        planes[sample, enemy, moves[sample, ply]] = 1
        outcome = self.result[games] * np.where(plies % 2 == 0, 1, -1)
        value = np.zeros((count, 3), np.float32)
        value[np.arange(count), 1 - outcome] = 1
        evals = np.clip(self.evals[games, plies].astype(np.float32), -10 * EVAL_SCALE, 10 * EVAL_SCALE)
        teacher = 1 / (1 + np.exp(-evals / EVAL_SCALE))
        return Batch(planes.reshape(count, 2, self.size, self.size), moves[np.arange(count), plies], value, teacher)


def load(folder: Path, names: Sequence[str], *, held_out: bool) -> list[Games]:
    """Opens every ``*/NAME.npz`` under *folder*; raises `FileNotFoundError` if a name has none."""
    found = []
    for name in names:
        files = sorted(folder.glob(f"*/{name}.npz"))
        if not files:
            raise FileNotFoundError(f"no {name}.npz in any folder of {folder}")
        found += [Games(file, held_out=held_out) for file in files]
    return found


def training_batches(sets: Sequence[Games], batch_size: int, rng: np.random.Generator) -> Iterator[Batch]:
    """Yields random batches without end; each comes from one set, chosen by the number of its positions."""
    share = np.array([len(games) for games in sets], np.float64)
    share /= share.sum()
    while True:
        games = sets[rng.choice(len(sets), p=share)]
        yield games.batch(rng.integers(len(games), size=batch_size), rng.integers(8, size=batch_size))


def whole_batches(sets: Sequence[Games], batch_size: int, most: int) -> Iterator[Batch]:
    """Yields at most *most* positions of every set, evenly spread, unturned."""
    for games in sets:
        step = max(1, -(-len(games) // most))
        chosen = np.arange(0, len(games), step)
        for start in range(0, len(chosen), batch_size):
            part = chosen[start : start + batch_size]
            yield games.batch(part, np.zeros(len(part), np.int64))
