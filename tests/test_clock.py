"""How long to think, for every combination of limits."""

from __future__ import annotations

import itertools

import pytest

from gomoku_bot.clock import MOST_SHARES, MOVES_TO_GO, UNLIMITED_MS, Clock


@pytest.mark.parametrize(
    ("turn", "match", "left", "increment"),
    list(
        itertools.product(
            [0, 1, 20, 100, 1000, 30000, UNLIMITED_MS], [0, 1, 5000, 180000, UNLIMITED_MS],
            [None, -2000, 0, 1, 400, 100000, UNLIMITED_MS], [0, 500],
        )
    ),
)  # fmt: skip
def test_no_limit_is_ever_passed(turn: int, match: int, left: int | None, increment: int) -> None:
    clock = Clock(turn_limit_ms=turn, match_limit_ms=match, time_left_ms=left, increment_ms=increment)
    budget = 1000 * clock.budget_seconds()
    assert budget >= 0
    assert budget <= turn
    if left is not None and left < UNLIMITED_MS:
        assert budget <= max(0, left)
    elif left is None and 0 < match < UNLIMITED_MS:
        assert budget <= match


def test_nine_tenths_of_a_second_are_used() -> None:
    assert 0.9 <= Clock(turn_limit_ms=1000).budget_seconds() < 1


def test_zero_means_at_once() -> None:
    assert Clock(turn_limit_ms=0).budget_seconds() == 0
    assert Clock(turn_limit_ms=5000, time_left_ms=-3).budget_seconds() == 0


def test_the_own_count_serves_where_the_manager_is_silent() -> None:
    clock = Clock(turn_limit_ms=5000, match_limit_ms=20_000)
    first = clock.budget_seconds()
    clock.spent(19.0)
    assert clock.match_left_ms() == 1000
    assert clock.budget_seconds() < first
    clock.new_game()
    assert clock.budget_seconds() == first


def test_what_the_manager_said_counts_down_until_it_speaks_again() -> None:
    clock = Clock(turn_limit_ms=5000, time_left_ms=10_000)
    clock.spent(4.0)
    assert clock.match_left_ms() == 6000


@pytest.mark.parametrize("need", [0.5, 1.0, MOST_SHARES])
def test_a_match_lasts_a_hundred_moves(need: float) -> None:
    clock = Clock(turn_limit_ms=30_000, match_limit_ms=180_000)
    for _ in range(100):
        fair = clock.fair_seconds()
        assert fair is not None
        assert 0 <= fair <= clock.budget_seconds()
        clock.spent(min(need * fair, clock.budget_seconds()))
    assert clock.used_ms < 180_000
    assert need > 1 or clock.budget_seconds() > 0


def test_a_fair_share_is_for_matches_with_a_limit() -> None:
    assert Clock(turn_limit_ms=1000).fair_seconds() is None
    assert Clock(turn_limit_ms=1000, match_limit_ms=UNLIMITED_MS).fair_seconds() is None
    fair = Clock(turn_limit_ms=30_000, match_limit_ms=180_000).fair_seconds()
    assert fair == pytest.approx(180 / MOVES_TO_GO, rel=0.1)
