"""Scores, ratings and early stops, on games drawn from known strengths."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from gomoku_bot.arena.ratings import fit
from gomoku_bot.arena.report import rating_lines, write_html
from gomoku_bot.arena.score import Score, Sprt, elo_of, rate_of
from gomoku_bot.arena.tournament import Played, meetings

STRENGTH = {"strong": 1900.0, "middle": 1600.0, "weak": 1450.0}
ADVANTAGE = 60.0


def games_of(games: int, seed: int) -> list[Played]:
    rng = np.random.default_rng(seed)
    played = []
    for black, white, number in meetings(list(STRENGTH), games):
        chance = rate_of(STRENGTH[black] - STRENGTH[white] + ADVANTAGE)
        played.append(Played(black, white, number, float(rng.random() < chance)))
    return played


def test_ratings_come_back_from_games_drawn_from_them() -> None:
    ratings = fit(games_of(1200, 0), {"middle": 1600.0})
    assert ratings.names == ["strong", "middle", "weak"]
    for name, elo in zip(ratings.names, ratings.elo, strict=True):
        assert elo == pytest.approx(STRENGTH[name], abs=30)
    assert ratings.half_width("middle") == 0
    assert ratings.advantage == pytest.approx(ADVANTAGE, abs=25)
    assert ratings.superiority("strong", "weak") > 0.999


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    inside = total = 0
    for seed in range(60):
        ratings = fit(games_of(40, seed), {"middle": 1600.0})
        for name in ("strong", "weak"):
            off = abs(ratings.elo[ratings.names.index(name)] - STRENGTH[name])
            inside += off < ratings.half_width(name)
            total += 1
    assert inside / total > 0.87


def test_a_clean_score_has_a_finite_rating() -> None:
    ratings = fit([Played("a", "b", i, 1.0) for i in range(20)] + [Played("b", "a", i, 0.0) for i in range(20)])
    assert ratings.names[0] == "a"
    assert 300 < ratings.elo[0] - ratings.elo[1] < 1500


def test_an_anchor_that_has_not_played_is_named() -> None:
    with pytest.raises(ValueError, match="the anchor nobody has not played"):
        fit(games_of(2, 0), {"nobody": 1000.0})


def test_scores_know_their_interval() -> None:
    low, high = Score(50, 0, 50).interval()
    assert low == pytest.approx(0.404, abs=0.001)
    assert high == pytest.approx(0.596, abs=0.001)
    assert elo_of(0.5) == 0
    assert elo_of(0.75) == pytest.approx(190.8, abs=0.1)
    assert elo_of(1) == 999
    assert rate_of(elo_of(0.3)) == pytest.approx(0.3)
    assert Score(10, 5, 10).superiority() == 0.5
    assert Score(30, 0, 10).superiority() == pytest.approx(0.5 * (1 + math.erf(20 / math.sqrt(80))))


def test_a_sequential_test_is_seldom_wrong_and_stops() -> None:
    test = Sprt(0, 50)
    for truth, wrong in ((0.0, True), (50.0, False)):
        errors = 0
        for seed in range(100):
            rng = np.random.default_rng([seed, int(truth)])
            games = (rng.random((1500, 2)) < rate_of(truth)).sum(1).astype(float)
            pairs: list[float] = []
            for pair in games:
                pairs.append(float(pair))
                if len(pairs) % 10 == 0 and test.verdict(pairs) is not None:
                    break
            assert test.verdict(pairs) is not None, "not decided after 1500 pairs"
            errors += test.verdict(pairs) is wrong
        assert errors <= 12


def test_the_page_has_every_player_and_both_plots(tmp_path: Path) -> None:
    import json

    lines = [
        {"round": g.round, "black": g.black, "white": g.white, "points": g.points, "reason": "five", "moves": "7,7 8,8",
         "rule": "freestyle", "size": [15, 15]}
        for g in games_of(6, 1)
    ]  # fmt: skip
    (tmp_path / "games.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    write_html([tmp_path], {"middle": 1600.0}, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert all(name in page for name in STRENGTH)
    assert page.count("<svg") == 2
    assert len(rating_lines(fit(games_of(6, 1)), games_of(6, 1))) == 2 + 3
