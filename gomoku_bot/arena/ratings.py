"""Ratings from games: Bradley-Terry by maximum likelihood, with a colour advantage and fixed anchors."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gomoku_bot.arena.tournament import Played

PRIOR_ELO = 800.0
"""Ratings are drawn to the middle as if from a normal distribution this wide: a clean score stays finite."""

ADVANTAGE_PRIOR_ELO = 200.0
MIDDLE = 1500.0
"""The mean rating where nothing is anchored."""

PER_ELO = math.log(10) / 400


@dataclass(frozen=True)
class Ratings:
    """A rating list; the order is that of strength."""

    names: list[str]
    elo: NDArray[np.float64]
    covariance: NDArray[np.float64]
    """Of the ratings; anchored ones have 0. Without anchors they are relative to the mean of all."""

    advantage: float
    """What playing black is worth, in Elo."""

    def half_width(self, name: str) -> float:
        """Half of the 95 % interval."""
        i = self.names.index(name)
        return 1.96 * math.sqrt(max(0.0, self.covariance[i, i]))

    def superiority(self, first: str, second: str) -> float:
        """Likelihood that *first* is the stronger one (LOS)."""
        i, j = self.names.index(first), self.names.index(second)
        variance = self.covariance[i, i] + self.covariance[j, j] - 2 * self.covariance[i, j]
        difference = float(self.elo[i] - self.elo[j])
        return 0.5 * (1 + math.erf(difference / math.sqrt(2 * variance))) if variance > 0 else float(difference > 0)


def fit(played: Sequence[Played], anchors: Mapping[str, float] | None = None) -> Ratings:
    """
    Ratings of everybody in *played* (R. Bradley and M. Terry, 1952); draws count as half wins.

    anchors: names with a rating that stays.

    :raises: `ValueError` for an anchor that has not played.
    """
    from scipy.optimize import minimize

    names = sorted({name for game in played for name in game[:2]})
    anchors = dict(anchors or {})
    for name in anchors:
        if name not in names:
            raise ValueError(f"the anchor {name} has not played; players are {', '.join(names)}")
    middle = float(np.mean(list(anchors.values()))) if anchors else MIDDLE
    count = len(names)
    differences = np.zeros((len(played), count + 1))
    rows = np.arange(len(played))
    differences[rows, [names.index(game.black) for game in played]] = PER_ELO
    differences[rows, [names.index(game.white) for game in played]] = -PER_ELO
    differences[:, count] = PER_ELO
    points = np.array([game.points for game in played])
    start = np.array([anchors.get(name, middle) for name in names] + [0.0])
    free = np.array([name not in anchors for name in names] + [True])
    centre = np.array([middle] * count + [0.0])
    precision = np.array([PRIOR_ELO**-2] * count + [ADVANTAGE_PRIOR_ELO**-2])

    def full(values: NDArray[np.float64]) -> NDArray[np.float64]:
        x = start.copy()
        x[free] = values
        return x

    def cost(values: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        x = full(values)
        gap = differences @ x
        surprise = np.sum(np.logaddexp(0, gap) - points * gap)
        slope = differences.T @ (1 / (1 + np.exp(-gap)) - points) + precision * (x - centre)
        return float(surprise + 0.5 * np.sum(precision * (x - centre) ** 2)), slope[free]

    found = full(minimize(cost, start[free], jac=True, method="L-BFGS-B", options={"gtol": 1e-9, "maxiter": 2000}).x)
    chance = 1 / (1 + np.exp(-differences @ found))
    curvature = differences.T @ (differences * (chance * (1 - chance))[:, None]) + np.diag(precision)
    covariance = np.zeros((count + 1, count + 1))
    covariance[np.ix_(free, free)] = np.linalg.inv(curvature[np.ix_(free, free)])
    covariance = covariance[:count, :count]
    if not anchors:
        relative = np.eye(count) - 1 / count
        covariance = relative @ covariance @ relative.T
    order = np.argsort(-found[:count], kind="stable")
    return Ratings([names[i] for i in order], found[order], covariance[np.ix_(order, order)], float(found[count]))
