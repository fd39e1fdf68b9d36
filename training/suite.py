"""
Makes the shipped test suite: ``python -m training.suite --data FOLDER``.

Positions come from held-out games of the multi-PV teacher. A move earns 10 points for the teacher's best and less the
more it gives away; positions where a five is pending, where the game is decided, or where almost any move does are left
out.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from gomoku_bot.arena.suite import SHIPPED, Task
from gomoku_bot.tactics.solver import Solver
from training.data import ALL_SETS, Games, load
from training.games import NO_MOVE, POLICY_TEMPERATURE

TASKS_PER_SET = 140
TASKS = 500
PLIES_APART = 8
MOST_POINTS = 10
DECIDED_EVAL = 900
"""Beyond this value the game is decided."""

EASY = 22
"""All moves together earn at most so many points."""


def tasks_of(games: Games, rng: np.random.Generator) -> list[Task]:
    """At most `TASKS_PER_SET` tasks, one of `PLIES_APART` plies of a game."""
    found: list[Task] = []
    seen: set[tuple[int, int]] = set()
    solver = Solver()
    for game, ply in games.positions[rng.permutation(len(games))]:
        at = games.first[game] + ply
        moves, evals = games.pv_moves[at], games.pv_evals[at].astype(float)
        known = moves != NO_MOVE
        if (game, ply // PLIES_APART) in seen or known.sum() < 3 or ply < 6 or abs(evals[0]) > DECIDED_EVAL:
            continue
        worth = np.round(MOST_POINTS * np.exp((evals - evals[known].max()) / POLICY_TEMPERATURE)) * known
        if worth.sum() > EASY or worth.max() < MOST_POINTS:
            continue
        points = {
            (int(m) % games.size, int(m) // games.size): int(w) for m, w in zip(moves, worth, strict=True) if w > 0
        }
        position = games.position(game, ply)
        if position.fives(position.turn) or position.fives(position.turn.opponent):
            continue
        if solver.solve(position, 1.0, nodes=20_000).is_win:
            continue
        seen.add((game, ply // PLIES_APART))
        found.append(Task(games.rule, games.size, position.moves, points))
        if len(found) == TASKS_PER_SET:
            break
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=SHIPPED)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    sets = [games for games in load(options.data, ALL_SETS, held_out=True) if games.pv_moves.shape[1] > 1]
    tasks = [task for games in sets for task in tasks_of(games, rng)]
    tasks = [tasks[i] for i in sorted(rng.permutation(len(tasks))[:TASKS])]
    options.out.write_text("".join(task.format() + "\n" for task in tasks))
    print(f"{options.out}: {len(tasks)} tasks")


if __name__ == "__main__":
    main()
