"""
A network that learns from its own games: ``python -m training.selfplay --out FOLDER --start RUN.pt --data FOLDER``.

Each generation plays games with the best network so far, trains on the games of the last generations (and, with
``--data``, on as many positions of the teacher's), and replaces the best if it wins 55 % of fast games against it.
Everything lies in the folder: finished games, weights, networks, matches, ``log.csv``, ``curves.png`` and
``openings.csv``. The same command goes on after Ctrl-C, or adds generations.
"""

from __future__ import annotations

import argparse
import itertools
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from gomoku_bot.arena.score import Score, elo_of
from gomoku_bot.core.position import Point
from gomoku_bot.records import whole_lines
from training.crew import Crew, LocalCrew, Play, RayCrew
from training.curves import append_row, opening_table, read_rows, selfplay_figure
from training.data import Games, load
from training.duel import Contender, Duel
from training.export import export
from training.games import Game, read_lines, rule_and_size, to_arrays
from training.lanes import Style
from training.line_net import LineNet
from training.netfiles import NetFiles
from training.runs import RUNS, Run
from training.train import train

GATE = 0.55
BASELINES = ("one-step", "heuristic")


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A self-play run."""

    out: Path
    sets: tuple[str, ...]
    games: int
    """Of one generation."""

    window: int
    """Generations whose games are trained on."""

    steps: int
    learning_rate: float
    gate_games: int
    turn_ms: int
    baseline_games: int
    lanes: int
    style: Style

    def weights(self, generation: int) -> Path:
        return self.out / "runs" / f"line-{generation:03}.pt"

    def net(self, generation: int) -> Path:
        return self.out / "nets" / f"line-{generation:03}.onnx"

    def games_file(self, generation: int) -> Path:
        return self.out / "games" / f"{generation:03}.jsonl"

    def matches_file(self, generation: int) -> Path:
        return self.out / "matches" / f"{generation:03}.jsonl"


def first_generation(plan: Plan, start: Path | None) -> None:
    """Makes generation 0: the weights of *start*, or random ones."""
    if plan.net(0).is_file():
        return
    for folder in ("runs", "nets", "games", "matches"):
        (plan.out / folder).mkdir(parents=True, exist_ok=True)
    if start:
        saved = torch.load(start, weights_only=False)
    else:
        torch.manual_seed(RUNS["line"].seed)
        weights = RUNS["line"].build().state_dict()
        saved = {"run": RUNS["line"].__dict__, "weights": weights, "seconds": 0.0, "held_out": {}}
        saved |= {"positions": 0, "held_out_positions": 0}
    torch.save(saved, plan.weights(0))
    export(plan.net(0).stem, plan.out / "runs", plan.out / "nets")


def play_games(plan: Plan, crew: Crew, generation: int, best: int) -> float:
    """Plays what is missing of the generation's games; returns the minutes it took."""
    file, began = plan.games_file(generation), time.monotonic()
    done = len(whole_lines(file))
    play = Play(NetFiles.read(plan.net(best)), plan.sets, plan.style, plan.lanes)
    answers, here, told = crew.each("games", itertools.repeat(play)), 0, began
    with file.open("a") as out:
        while done + here < plan.games:
            lines = next(answers)
            out.writelines(line + "\n" for line in lines)
            out.flush()
            here += len(lines)
            now = time.monotonic()
            if now - told > 20:
                told, left = now, (now - began) / here * (plan.games - done - here)
                print(
                    f"generation {generation}: {done + here}/{plan.games} games, {left / 60:.0f} min left", flush=True
                )
    answers.close()
    return (time.monotonic() - began) / 60


def window(plan: Plan, generation: int) -> list[Games]:
    """The games of the last generations, as training sets."""
    files = [plan.games_file(g) for g in range(max(1, generation - plan.window + 1), generation + 1)]
    by_set: dict[str, list[Game]] = {}
    for game in read_lines(files):
        by_set.setdefault(game.set, []).append(game)
    sets = [Games(to_arrays(games, rule_and_size(name)[1]), f"selfplay/{name}") for name, games in by_set.items()]
    return [games for games in sets if len(games)]


def learn(plan: Plan, generation: int, data: Path | None) -> bool:
    """Trains and exports the generation's network, from the one before; False if Ctrl-C came."""
    name = plan.weights(generation).stem
    if not plan.weights(generation).is_file():
        before = torch.load(plan.weights(generation - 1), weights_only=False)
        own = window(plan, generation)
        teacher_sets = [name for name in plan.sets if not name.startswith("caro")]
        teacher, held_out = (load(data, teacher_sets, held_out=held) if data else [] for held in (False, True))
        shape = before["run"]["shape"]
        run = Run(
            network="line", shape=shape, sets=plan.sets, steps=plan.steps, learning_rate=plan.learning_rate,
            average_from=0.5, seed=generation,
        )  # fmt: skip
        network = run.build()
        network.load_state_dict(before["weights"])
        assert isinstance(network, LineNet)
        if not any(name.startswith("caro") for name in before["run"]["sets"]):
            network.lend_points_to_caro()
        shares = [len(games) / sum(map(len, part)) for part in (own, teacher) for games in part]
        start = network.state_dict()
        if not train(run, name, own + teacher, held_out, plan.out / "runs", shares=shares, start=start):
            return False
    if not plan.net(generation).is_file():
        export(name, plan.out / "runs", plan.out / "nets")
    return True


def openings_of(plan: Plan, generation: int) -> dict[str, list[Sequence[Point]]]:
    """The openings that the generation's games have begun with, by set."""
    found: dict[str, list[Sequence[Point]]] = {name: [] for name in plan.sets}
    for game in read_lines([plan.games_file(generation)]):
        if game.set in found:
            found[game.set].append(game.moves[: game.opening])
    return found


def judge(plan: Plan, crew: Crew, generation: int, best: int) -> dict[str, Score]:
    """Plays what is missing of the matches with the best network and, without a search, with the baselines."""
    file = plan.matches_file(generation)
    scores = {name: Score() for name in (f"best {best}", *BASELINES)}
    for line in whole_lines(file):
        entry = json.loads(line)
        for points in entry["points"]:
            scores[entry["against"]].add(points)
    ours, theirs = NetFiles.read(plan.net(generation)), NetFiles.read(plan.net(best))
    openings = openings_of(plan, generation)
    for name, score in scores.items():
        games = plan.baseline_games if name in BASELINES else plan.gate_games
        tasks = []
        for pair in range(score.games // 2, games // 2):
            chosen = plan.sets[pair % len(plan.sets)]
            lines = openings[chosen] or [()]
            if name in BASELINES:
                duel = Duel(Contender(ours, "policy"), Contender(ours, name), chosen)
            else:
                duel = Duel(Contender(ours), Contender(theirs), chosen, turn_ms=plan.turn_ms)
            tasks.append((duel, lines[pair // len(plan.sets) % len(lines)]))
        with file.open("a") as out:
            for result in crew.each("pair", tasks):
                out.write(json.dumps({"against": name, "points": result}) + "\n")
                out.flush()
                for points in result:
                    score.add(points)
        print(f"generation {generation} - {name}: {score}", flush=True)
    return scores


def log_row(plan: Plan, generation: int, scores: dict[str, Score], best: int, minutes: float) -> dict[str, Any]:
    """One line of ``log.csv``."""
    saved = torch.load(plan.weights(generation), weights_only=False)
    gate = scores[f"best {best}"]
    low, high = gate.interval()
    row: dict[str, Any] = {
        "generation": generation, "games": sum(1 for _ in read_lines([plan.games_file(generation)])),
        "trained_on": saved["positions"], "play_minutes": round(minutes, 1),
        "train_minutes": round(saved["seconds"] / 60, 1), "best": best, "gate_games": gate.games,
        "points": round(gate.rate, 4), "low": round(low, 4), "high": round(high, 4), "elo": round(elo_of(gate.rate)),
        "accepted": int(gate.rate >= GATE),
    }  # fmt: skip
    row |= {name.replace("-", "_"): round(scores[name].rate, 4) for name in BASELINES}
    for figure in ("top1", "result_loss"):
        values = [held[figure] for held in saved["held_out"].values()]
        row[figure] = round(sum(values) / len(values), 4) if values else ""
    return row


def run(plan: Plan, crew: Crew, generations: int, start: Path | None, data: Path | None) -> None:
    """Goes on to the last generation."""
    first_generation(plan, start)
    log = plan.out / "log.csv"
    for generation in range(len(read_rows(log)) + 1, generations + 1):
        accepted = [int(row["generation"]) for row in read_rows(log) if row["accepted"] == "1"]
        best = max(accepted, default=0)
        minutes = play_games(plan, crew, generation, best)
        if not learn(plan, generation, data):
            raise KeyboardInterrupt
        row = log_row(plan, generation, judge(plan, crew, generation, best), best, minutes)
        append_row(log, row)
        print(row, flush=True)
        selfplay_figure(read_rows(log)).savefig(plan.out / "curves.png")
        games = read_lines([plan.games_file(g) for g in range(1, generation + 1)])
        (plan.out / "openings.csv").write_text(opening_table(games))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--start", type=Path, help="weights of a line net that training.train wrote; default: random")
    parser.add_argument("--data", type=Path, help="folder of the teacher's games, half of every generation's training")
    parser.add_argument("--sets", nargs="+", default=["freestyle20", "freestyle15", "standard15", "renju15", "caro15"])
    parser.add_argument("--generations", type=int, default=3)
    parser.add_argument("--games", type=int, default=2000, help="of one generation")
    parser.add_argument("--window", type=int, default=4, help="train on the games of so many generations")
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--learning-rate", type=float, default=5e-4)
    parser.add_argument("--gate-games", type=int, default=200)
    parser.add_argument("--turn-ms", type=int, default=30, help="time for a move in matches")
    parser.add_argument("--baseline-games", type=int, default=40)
    parser.add_argument("--full-visits", type=int, default=Style.full_visits)
    parser.add_argument("--fast-visits", type=int, default=Style.fast_visits)
    parser.add_argument("--lanes", type=int, default=8, help="games that share a batch, in each worker")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--ray", metavar="ADDRESS", help="workers are actors of this Ray cluster")
    options = parser.parse_args()
    plan = Plan(
        out=options.out, sets=tuple(options.sets), games=options.games, window=options.window, steps=options.steps,
        learning_rate=options.learning_rate, gate_games=options.gate_games, turn_ms=options.turn_ms,
        baseline_games=options.baseline_games, lanes=options.lanes,
        style=Style(full_visits=options.full_visits, fast_visits=options.fast_visits),
    )  # fmt: skip
    crew = RayCrew(options.workers, options.ray) if options.ray else LocalCrew(options.workers)
    try:
        run(plan, crew, options.generations, options.start, options.data)
    except KeyboardInterrupt:
        print("stopped; the same command goes on")
    finally:
        crew.close()


if __name__ == "__main__":
    main()
