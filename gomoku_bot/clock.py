"""How long to think."""

from __future__ import annotations

import time
from dataclasses import dataclass

UNLIMITED_MS = 2147483647
"""What managers send for no limit."""

DEFAULT_TURN_MS = 5_000
"""Time for a move where the manager names none."""

MARGIN_MS = 40.0
"""Kept back of every move for the answer's way and a busy machine ..."""

MARGIN_SHARE = 0.02
"""... and this share of it."""

MOVES_TO_GO = 15
"""
A move's fair share of the match is what is left over so many. In the teacher's games a player makes 9 to 15 more moves,
on average, whatever the number of the move.
"""

MOST_SHARES = 3
"""A move that needs it gets up to so many fair shares; the limit of a turn caps it."""

PAUSE_SECONDS = 0.2
"""Nobody having looked at a deadline for so long may mean that the process was stopped."""


class Deadline:
    """
    A moment to answer at; it may be moved while somebody waits for it.

    It is looked at all the time while a thought lasts. After a gap in that, a signal handler may first say by
    `resumed` that the process was stopped: the gap is then no thinking time.
    """

    def __init__(self, at: float) -> None:
        """at: on the clock of `time.monotonic`."""
        self.at = at
        self._seen = time.monotonic()

    @classmethod
    def in_seconds(cls, seconds: float) -> Deadline:
        """So many seconds from now."""
        return cls(time.monotonic() + seconds)

    def set(self, at: float) -> None:
        """Moves the deadline."""
        self.at = at
        self._seen = time.monotonic()

    def left(self) -> float:
        """Seconds until then; negative when it has passed."""
        if time.monotonic() - self._seen > PAUSE_SECONDS:
            time.sleep(PAUSE_SECONDS / 10)
        self._seen = time.monotonic()
        return self.at - self._seen

    def resumed(self) -> float:
        """To be called when the process goes on after a stop: moves the deadline by the gap, and returns it."""
        now = time.monotonic()
        gap, self._seen = now - self._seen, now
        self.at += gap
        return gap


@dataclass
class Clock:
    """The manager's limits, any of which may be missing or change at any time; milliseconds."""

    turn_limit_ms: int = DEFAULT_TURN_MS
    """0: answer at once."""

    match_limit_ms: int = 0
    """0: no limit."""

    time_left_ms: int | None = None
    """What the manager said before this move; None: nothing yet, so our own count serves."""

    increment_ms: int = 0
    """Added to the match time for every move."""

    used_ms: float = 0.0
    """Own thinking time since the game began."""

    def new_game(self) -> None:
        self.used_ms = 0.0
        self.time_left_ms = None

    def match_left_ms(self) -> float | None:
        """What is left of the match, or None if it has no limit."""
        if self.time_left_ms is not None:
            return None if self.time_left_ms >= UNLIMITED_MS else self.time_left_ms
        if not 0 < self.match_limit_ms < UNLIMITED_MS:
            return None
        return self.match_limit_ms - self.used_ms

    def budget_seconds(self) -> float:
        """The most time for the coming move, margin taken off; 0 means to answer at once."""
        return self._seconds(MOST_SHARES)

    def fair_seconds(self) -> float | None:
        """The coming move's fair share of the match, at most the budget; None if the match has no limit."""
        return None if self.match_left_ms() is None else self._seconds(1)

    def _seconds(self, shares: int) -> float:
        limit = float(self.turn_limit_ms) if self.turn_limit_ms < UNLIMITED_MS else DEFAULT_TURN_MS * 6.0
        left = self.match_left_ms()
        if left is not None:
            limit = min(limit, shares * left / MOVES_TO_GO + 0.8 * self.increment_ms, left)
        return max(0.0, limit * (1 - MARGIN_SHARE) - MARGIN_MS) / 1000

    def spent(self, seconds: float) -> None:
        """Counts an answer's thinking time; what the manager said before the move is old now."""
        self.used_ms += 1000 * seconds - self.increment_ms
        if self.time_left_ms is not None and self.time_left_ms < UNLIMITED_MS:
            self.time_left_ms -= int(1000 * seconds) - self.increment_ms
