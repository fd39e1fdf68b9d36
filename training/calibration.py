"""
Does a value network mean what it says? ``python -m training.calibration NET.onnx --data FOLDER --out FOLDER``.

Over held-out positions: how often the side to move won against how often the network expected it, in ten bins, all
positions and those with 20 stones and more; and what the network says where somebody can make an open four at once.
Writes ``NET-calibration.png`` and prints the figures.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gomoku_bot.core.position import Position
from gomoku_bot.evaluator import catalog
from training.data import ALL_SETS, Games, load

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BINS = 10
MANY_STONES = 20
OPEN_FOUR = 7
"""Point kind of a stone that makes an open four (`gomoku_bot.core._patterns_cy`)."""


def positions(games: Games, most: int) -> Iterator[tuple[Position, float]]:
    """At most so many positions, evenly spread, and the points of the side to move in the end."""
    for game, ply in games.positions[:: max(1, len(games) // most)]:
        outcome = int(games.result[game]) * (1 if ply % 2 == 0 else -1)
        yield games.position(game, ply), (1 + outcome) / 2


def bins(expected: NDArray[np.float64], points: NDArray[np.float64]) -> list[tuple[float, float, int]]:
    """Mean expectation, mean of the points, and number of positions of each bin that has any."""
    number = np.minimum((expected * BINS).astype(int), BINS - 1)
    return [
        (float(expected[number == i].mean()), float(points[number == i].mean()), int((number == i).sum()))
        for i in range(BINS)
        if (number == i).any()
    ]


def error(rows: Sequence[tuple[float, float, int]]) -> tuple[float, float]:
    """The mean over the positions, and the largest over bins, of the distance between expectation and points."""
    counts = np.array([count for _, _, count in rows], float)
    distance = np.array([abs(said - came) for said, came, _ in rows])
    return float((counts * distance).sum() / counts.sum()), float(distance.max())


def picture(groups: dict[str, list[tuple[float, float, int]]], title: str) -> Figure:
    """Points over expectation; on the diagonal the network means what it says."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.5, 4.2), layout="constrained")
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], color="0.7")
    for name, rows in groups.items():
        axes.plot([said for said, _, _ in rows], [came for _, came, _ in rows], marker="o", label=name)
    axes.set(title=title, xlabel="expected points", ylabel="points", xlim=(0, 1), ylim=(0, 1))
    axes.legend()
    return figure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("net", type=Path, help="NAME.onnx, or value-NAME.onnx of a pair")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("runs"))
    parser.add_argument("--most", type=int, default=4000, help="positions of each data set")
    options = parser.parse_args()
    name = options.net.stem.removeprefix("value-")
    net = catalog.load(None, options.net.parent, name)
    expected: list[float] = []
    points: list[float] = []
    stones: list[int] = []
    threat: list[int] = []
    for games in load(options.data, ALL_SETS, held_out=True):
        found = list(positions(games, options.most))
        for start in range(0, len(found), 64):
            chunk = [position for position, _ in found[start : start + 64]]
            wdl = net.value(chunk)
            expected += (wdl[:, 0] + wdl[:, 1] / 2).tolist()
        for position, outcome in found:
            points.append(outcome)
            stones.append(len(position.moves))
            own, enemy = (position.board.total_of(side, OPEN_FOUR) for side in (position.turn - 1, 2 - position.turn))
            quiet = not position.fives(position.turn) and not position.fives(position.turn.opponent)
            threat.append((1 if own else 2 if enemy else 0) if quiet else 0)
    said, came, many, fours = np.array(expected), np.array(points), np.array(stones) >= MANY_STONES, np.array(threat)
    groups = {"all positions": bins(said, came), f"{MANY_STONES} stones and more": bins(said[many], came[many])}
    options.out.mkdir(parents=True, exist_ok=True)
    picture(groups, f"{name}, held-out games").savefig(options.out / f"{name}-calibration.png")
    for group, rows in groups.items():
        mean, worst = error(rows)
        count = sum(row[2] for row in rows)
        print(f"{group}: {count} positions, {100 * mean:.1f} points off on average, {100 * worst:.1f} in the worst bin")
        print("  " + ", ".join(f"{100 * s:.0f}->{100 * c:.0f} ({n})" for s, c, n in rows))
    for kind, text in ((1, "to move can make an open four"), (2, "waiting can make an open four")):
        if (fours == kind).any():
            print(
                f"side {text}: {(fours == kind).sum()} positions, says {100 * said[fours == kind].mean():.1f} %, "
                f"came to {100 * came[fours == kind].mean():.1f} %"
            )


if __name__ == "__main__":
    main()
