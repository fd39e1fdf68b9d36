"""Self-play: games that are whole and true, workers that may die, and what is kept of it all."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psutil
import pytest

from gomoku_bot.core.position import Position
from gomoku_bot.notation import parse_position
from gomoku_bot.rules import Color
from gomoku_bot.tactics.solver import Solver
from training.crew import Crew, LocalCrew, Play, RayCrew
from training.curves import opening_table, selfplay_figure
from training.data import Games
from training.duel import Contender, Duel
from training.games import MOST_EVAL, Game, canonical, eval_of, read_lines, rule_and_size, to_arrays, turned
from training.lanes import Lanes, Style
from training.netfiles import NetFiles

QUICK = Style(full_visits=24, fast_visits=8, full_share=0.5)
PLAY = Play(NetFiles.read(), ("freestyle15", "renju15", "caro15"), QUICK, lanes=4)


@pytest.fixture(scope="module")
def games() -> list[Game]:
    found: list[Game] = []
    for name in PLAY.sets:
        lanes = Lanes(name, QUICK, 4, PLAY.net.load(), np.random.default_rng(0))
        while sum(game.set == name for game in found) < 6:
            found += lanes.finished()
    return found


def test_games_are_legal_and_their_results_are_true(games: list[Game]) -> None:
    for game in games:
        rule, size = rule_and_size(game.set)
        position = Position.from_moves(game.moves[: game.opening], size, size, rule)
        assert not position.is_over, "an opening that leaves no game"
        for move in game.moves[game.opening :]:
            assert not position.is_over
            assert move in position.legal_moves()
            position.play(*move)
        winner = {1: Color.BLACK, -1: Color.WHITE, 0: None}[game.result]
        if position.is_over:
            assert position.winner is winner
        elif winner:  # adjudicated: the winner's threats win, or the loser cannot stop them all
            solver = Solver()
            wins = solver.solve(position, 20, color=winner).is_win if position.turn is winner else None
            assert wins or not solver.defences(position, 20)[0], game


def test_searched_positions_say_what_they_are_worth(games: list[Game]) -> None:
    searched = 0
    for game in games:
        assert len(game.evals) == len(game.weighed) == len(game.moves)
        for ply, (worth, weighed) in enumerate(zip(game.evals, game.weighed, strict=True)):
            if worth is None:
                assert not weighed
                continue
            searched += 1
            assert ply >= game.opening
            assert abs(worth) <= MOST_EVAL
            assert not set(weighed) & set(game.moves[:ply]), "a taken point was weighed"
    assert searched > len(games)


def test_a_game_is_read_as_it_was_written(games: list[Game], tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    file.write_text("".join(game.to_json() + "\n" for game in games) + '{"set": "free')
    assert [game.to_json() for game in read_lines([file])] == [game.to_json() for game in games]


def test_training_sees_the_positions_that_were_searched(games: list[Game]) -> None:
    own = [game for game in games if game.set == "renju15"]
    loaded = Games(to_arrays(own, 15), "selfplay/renju15")
    known = [(game, ply) for game in own for ply, worth in enumerate(game.evals) if worth is not None]
    assert len(loaded) == len(known)
    batch = loaded.batch(np.arange(len(known)), np.zeros(len(known), np.int64))
    for row, (game, ply) in enumerate(known):
        worth, weighed = game.evals[ply], game.weighed[ply]
        assert worth is not None
        assert eval_of(float(batch.teacher[row])) == pytest.approx(worth, abs=2)
        assert batch.policy[row].sum() == pytest.approx(1, abs=1e-5)
        likeliest = max(weighed or {game.moves[ply]: 0}, key=lambda move: (weighed or {game.moves[ply]: 0})[move])
        assert batch.policy[row].max() == batch.policy[row, likeliest[1] * 15 + likeliest[0]]


def test_turned_and_mirrored_games_count_as_one() -> None:
    moves = parse_position("h8i9g7j12")
    assert len({tuple(line) for line in turned(moves, 15)}) == 8
    assert len({canonical(line, 15) for line in turned(moves, 15)}) == 1
    assert canonical(moves, 15) != canonical(parse_position("h8i9g7j13"), 15)


def test_openings_are_counted_under_symmetry() -> None:
    moves = parse_position("g8i9g7")
    played = [
        Game("freestyle15", line, 1, result, [None] * 3, [{}] * 3)
        for line, result in zip(turned(moves, 15), (1, 1, 1, 1, 0, 0, -1, -1), strict=True)
    ]
    rows = [row.split(",") for row in opening_table(played).splitlines()]
    assert rows[0] == ["set", "opening", "games", "black_points"]
    assert [(games, points) for _, _, games, points in rows[1:]] == [("8", "0.625")] * 3
    assert [len(parse_position(row[1])) for row in rows[1:]] == [1, 2, 3]


def test_the_curve_starts_at_the_best_network_each_generation_met() -> None:
    row = {"low": "0.4", "high": "0.7", "one_step": "1", "heuristic": "0.9", "top1": "", "result_loss": ""}
    rows = [
        {**row, "generation": "1", "best": "0", "elo": "50", "accepted": "1"},
        {**row, "generation": "2", "best": "1", "elo": "-10", "accepted": "0"},
        {**row, "generation": "3", "best": "1", "elo": "30", "accepted": "1"},
    ]
    line = selfplay_figure(rows).axes[0].lines[0]
    assert list(line.get_ydata()) == [0, 50, 40, 80]


def play_until(crew: Crew, count: int, kill: int | None = None) -> list[Game]:
    """At least so many games; after the first one the process *kill* is killed."""
    answers, lines = crew.each("games", itertools.repeat(PLAY)), []
    while len(lines) < count:
        lines += next(answers)
        if kill:
            os.kill(kill, signal.SIGKILL)
            kill = None
    answers.close()
    return [Game.from_json(line) for line in lines]


def test_a_killed_process_is_replaced_and_no_finished_game_is_lost() -> None:
    crew = LocalCrew(2)
    try:
        play_until(crew, 1)
        played = play_until(crew, 12, kill=crew._workers[0][0].pid)
        assert crew.lost == 1
        assert len(crew._workers) == 2
        assert {game.set for game in played} == set(PLAY.sets)
    finally:
        crew.close()


def test_an_error_in_a_worker_is_told() -> None:
    crew = LocalCrew(1)
    try:
        with pytest.raises(ValueError, match="nonsense"):
            next(crew.each("games", [Play(PLAY.net, ("nonsense",), QUICK, 1)]))
        assert crew.lost == 0
    finally:
        crew.close()


def test_matches_play_every_pair_with_both_colours() -> None:
    better, worse = Contender(PLAY.net, "policy"), Contender(PLAY.net, "random")
    crew = LocalCrew(1)
    try:
        tasks = [(Duel(better, worse, "standard15"), parse_position(line)) for line in ("h8i9", "h8h9g7", "d4")]
        assert list(crew.each("pair", tasks)) == [(1.0, 1.0)] * 3
        tied = Duel(better, better, "standard15")
        assert [sum(pair) for pair in crew.each("pair", [(tied, parse_position("h8i9"))])] == [1.0]
    finally:
        crew.close()


@pytest.fixture
def cluster() -> Iterator[str]:
    """Two Ray nodes of one processor each, started as separate processes."""
    pytest.importorskip("ray")
    ray = [str(Path(sys.executable).with_name("ray"))]
    port = "6399"
    subprocess.run([*ray, "stop", "--force"], check=False, capture_output=True)
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1]), "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "1"}
    node = [*ray, "start", "--num-cpus", "1", "--object-store-memory", "100000000", "--disable-usage-stats"]
    subprocess.run([*node, "--head", "--port", port, "--include-dashboard", "false"], check=True, env=env)
    subprocess.run([*node, "--address", f"127.0.0.1:{port}"], check=True, env=env)
    yield f"127.0.0.1:{port}"
    subprocess.run([*ray, "stop", "--force"], check=False, capture_output=True)


def test_a_cluster_goes_on_when_a_worker_is_killed(cluster: str) -> None:
    import ray

    crew = RayCrew(2, cluster)
    try:
        assert len(ray.nodes()) == 2
        play_until(crew, 1)
        actors = [process for process in psutil.process_iter(["name"]) if process.info["name"].startswith("ray::Work")]
        assert len({actor.ppid() for actor in actors}) == 2, "each node's raylet has a worker"
        played = play_until(crew, 12, kill=actors[0].pid)
        assert crew.lost == 1
        assert {game.set for game in played} == set(PLAY.sets)
    finally:
        crew.close()
