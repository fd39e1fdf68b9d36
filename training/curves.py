"""What training has to show: pictures and tables."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gomoku_bot.arena.score import elo_of
from gomoku_bot.notation import point_name
from training.games import Game, canonical, rule_and_size

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LONGEST_OPENING = 6
FEWEST_GAMES = 5
"""An opening that was played less often is not told."""


def append_row(path: Path, row: Mapping[str, Any]) -> None:
    """Adds a line to a CSV file; the first one brings the names of the columns."""
    new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, row)
        if new:
            writer.writeheader()
        writer.writerow(row)


def read_rows(path: Path) -> list[dict[str, str]]:
    """The lines of a CSV file; none if it is not there."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def selfplay_figure(rows: Sequence[dict[str, str]]) -> Figure:
    """Elo of each generation over the first, its points against the baselines, and what it calls right."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 3.2), layout="constrained")
    elo, points, held_out = figure.subplots(1, 3)
    numbers = [int(row["generation"]) for row in rows]
    best, line, lows, highs = {0: 0.0}, [], [], []
    for row in rows:
        base = best[int(row["best"])]
        own = base + float(row["elo"])
        line.append(own)
        lows.append(own - base - elo_of(float(row["low"])))
        highs.append(base + elo_of(float(row["high"])) - own)
        if row["accepted"] == "1":
            best[int(row["generation"])] = own
    elo.errorbar([0, *numbers], [0, *line], [[0, *lows], [0, *highs]], marker="o", capsize=3)
    elo.set(title="Elo over generation 0, equal time", xlabel="generation")
    for name in ("one_step", "heuristic"):
        points.plot(numbers, [100 * float(row[name]) for row in rows], marker="o", label=name.replace("_", "-"))
    points.set(title="policy without search, points", xlabel="generation", ylim=(0, 103), ylabel="%")
    points.legend()
    if rows and rows[0]["top1"]:
        held_out.plot(numbers, [100 * float(row["top1"]) for row in rows], marker="o", label="teacher's move, %")
        held_out.plot(numbers, [100 * float(row["result_loss"]) for row in rows], marker="o", label="result loss x 100")
        held_out.legend()
    held_out.set(title="held-out teacher games", xlabel="generation")
    return figure


def opening_table(games: Iterable[Game]) -> str:
    """How often the games began in the same way, turned and mirrored ones counted as one, and black's points: CSV."""
    counts: dict[tuple[str, str], int] = defaultdict(int)
    points: dict[tuple[str, str], float] = defaultdict(float)
    for game in games:
        _, size = rule_and_size(game.set)
        for plies in range(1, min(LONGEST_OPENING, len(game.moves)) + 1):
            key = game.set, "".join(map(point_name, canonical(game.moves[:plies], size)))
            counts[key] += 1
            points[key] += (game.result + 1) / 2
    lines = ["set,opening,games,black_points"]
    for key in sorted(counts, key=lambda key: (key[0], len(key[1]), -counts[key])):
        if counts[key] >= FEWEST_GAMES:
            lines.append(f"{key[0]},{key[1]},{counts[key]},{points[key] / counts[key]:.3f}")
    return "\n".join(lines) + "\n"
