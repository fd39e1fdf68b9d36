"""
Fits the classical evaluation: ``python -m training.pattern_values --data FOLDER``.

How many points would make each kind of shape, for either side, is all that it sees; a logistic regression on the
teacher's games tells what such a point is worth in log-odds of winning. The figures stand in
`gomoku_bot.search.alphabeta`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from gomoku_bot.core._board_cy import Board
from gomoku_bot.core.grid import MARGIN, STRIDE
from training.data import ALL_SETS, FIVE, Games, load
from training.games import EVAL_SCALE

KINDS = range(1, FIVE)
RIDGE = 1.0


def features(games: Games, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """
    ``[N, 14]`` counts of own and enemy points by kind, and ``[N]`` targets, half result, half the teacher's value.

    Positions where a five is to be made or stopped are left out.
    """
    squares = (games.moves // games.size + MARGIN) * STRIDE + games.moves % games.size + MARGIN
    rows, targets = [], []
    for game, ply in games.positions[chosen]:
        board = Board(games.size, games.size, int(games.rule))
        for k in range(ply):
            board.make(int(squares[game, k]), k & 1)
        if board.total_of(0, FIVE) or board.total_of(1, FIVE):
            continue
        rows.append([board.total_of(side, kind) for side in (ply & 1, 1 - (ply & 1)) for kind in KINDS])
        teacher = 1 / (1 + np.exp(-games.evals[game, ply] / EVAL_SCALE))
        result = 0.5 + games.result[game] * (0.5 if ply % 2 == 0 else -0.5)
        targets.append((teacher + result) / 2)
    return np.array(rows, np.float64), np.array(targets)


def fit(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Weights of the columns of ``x [N, F]`` for targets ``y [N]``: ridge logistic regression by Newton's method."""
    weights = np.zeros(x.shape[1])
    for _ in range(25):
        chance = 1 / (1 + np.exp(-x @ weights))
        slope = x.T @ (y - chance) - RIDGE * weights
        curvature = (x * (chance * (1 - chance))[:, None]).T @ x + RIDGE * np.eye(len(weights))
        weights += np.linalg.solve(curvature, slope)
    return weights


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--positions", type=int, default=8_000, help="of every file")
    options = parser.parse_args()
    rng = np.random.default_rng(0)

    def gather(held_out: bool) -> tuple[np.ndarray, np.ndarray]:
        sets = load(options.data, ALL_SETS, held_out=held_out)
        parts = [features(games, rng.integers(len(games), size=options.positions)) for games in sets]
        return np.concatenate([x for x, _ in parts]), np.concatenate([y for _, y in parts])

    weights = fit(*gather(held_out=False))
    x, y = gather(held_out=True)
    chance = 1 / (1 + np.exp(-x @ weights))
    loss = -np.mean(y * np.log(chance) + (1 - y) * np.log(1 - chance))
    constant = -np.mean(y) * np.log(np.mean(y)) - (1 - np.mean(y)) * np.log(1 - np.mean(y))
    print("own  ", np.round(weights[:7], 3).tolist())
    print("enemy", np.round(weights[7:], 3).tolist())
    print(f"held-out log-loss {loss:.4f}, best constant {constant:.4f}")


if __name__ == "__main__":
    main()
