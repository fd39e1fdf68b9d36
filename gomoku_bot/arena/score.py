"""What games between two brains say: score, interval, likelihood of superiority, and a test that stops early."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from gomoku_bot.rules import Color

MOST_ELO = 999.0
"""Differences are told up to this; a clean score would be infinite."""

POINTS: dict[Color | None, float] = {Color.BLACK: 1.0, None: 0.5, Color.WHITE: 0.0}
"""Black's points by who has won."""

SPRT_ERROR = 0.05
"""How often the test may be wrong, either way."""


@dataclass
class Score:
    """Wins, draws and losses of the first player."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    def add(self, points: float) -> None:
        """Counts a game of 1, 0.5 or 0 points."""
        self.wins += points == 1
        self.draws += points == 0.5
        self.losses += points == 0

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def rate(self) -> float:
        return (self.wins + self.draws / 2) / self.games if self.games else 0.5

    def interval(self) -> tuple[float, float]:
        """95 % interval of the rate (Wilson's score interval, 1927, draws as half wins)."""
        n, z = max(1, self.games), 1.96
        middle = (self.rate + z * z / (2 * n)) / (1 + z * z / n)
        half = z * math.sqrt(self.rate * (1 - self.rate) / n + z * z / (4 * n * n)) / (1 + z * z / n)
        return middle - half, middle + half

    def superiority(self) -> float:
        """Likelihood that the first player is the stronger one (LOS): the normal integral of (W - L) / sqrt(W + L)."""
        decided = self.wins + self.losses
        return 0.5 * (1 + math.erf((self.wins - self.losses) / math.sqrt(2 * decided))) if decided else 0.5

    def __str__(self) -> str:
        low, high = self.interval()
        elo = " to ".join(f"{elo_of(rate):+.0f}" for rate in (low, high))
        return (
            f"+{self.wins} ={self.draws} -{self.losses}, {100 * self.rate:.1f}% "
            f"(95% interval {100 * low:.1f} to {100 * high:.1f}%, Elo {elo})"
        )


def elo_of(rate: float) -> float:
    """Rating difference that makes this score expected, -999 to 999 (Elo, 1978)."""
    if not 0 < rate < 1:
        return math.copysign(MOST_ELO, rate - 0.5)
    return max(-MOST_ELO, min(MOST_ELO, -400 * math.log10(1 / rate - 1)))


def rate_of(elo: float) -> float:
    """Score that a rating difference makes expected (Elo, 1978)."""
    return 1 / (1 + 10 ** (-elo / 400))


@dataclass(frozen=True)
class Sprt:
    """
    Sequential test: is the first player stronger by *elo1* rather than by *elo0*?

    The generalised test on opening pairs (pentanomial: a pair scores 0, 0.5, 1, 1.5 or 2), in the normal approximation
    of M. Van den Bergh, *A practical introduction to the GSPRT*.
    """

    elo0: float
    elo1: float

    def likelihood(self, pairs: Sequence[float]) -> float:
        """Log-likelihood ratio after these pairs; a small count of every outcome keeps the variance above 0."""
        prior = 1e-3
        outcomes = [pairs.count(points / 2) + prior for points in range(5)]
        total = sum(outcomes)
        mean = sum(i / 4 * count for i, count in enumerate(outcomes)) / total
        variance = sum((i / 4 - mean) ** 2 * count for i, count in enumerate(outcomes)) / total
        low, high = rate_of(self.elo0), rate_of(self.elo1)
        return total * (high - low) * (2 * mean - low - high) / (2 * variance)

    def verdict(self, pairs: Sequence[float]) -> bool | None:
        """True: *elo1* is accepted, False: *elo0* is, None: more games are needed."""
        bound = math.log((1 - SPRT_ERROR) / SPRT_ERROR)
        ratio = self.likelihood(pairs) if len(pairs) > 1 else 0.0
        return None if abs(ratio) < bound else ratio > 0
