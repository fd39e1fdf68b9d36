"""
Games of a strong brain against itself, and what it thinks: ``python -m training.teacher BRAIN --out FOLDER``.

Drives any brain through the protocol. Two games of three begin with a balanced opening of ``--openings``, turned at
random, the others with random stones (the thesis began all of them so). With ``--lines`` the brain is asked for its
best moves (``YXNBEST``). Every finished game is appended to ``SET.jsonl``; the same command goes on after Ctrl-C and
at its end writes ``SET.npz``, which ``training.train`` takes.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from gomoku_bot.arena.brain import Brain, BrainError, Conditions
from gomoku_bot.arena.referee import board_request
from gomoku_bot.arena.tournament import Player
from gomoku_bot.core.position import Point, Position
from gomoku_bot.notation import parse_position
from gomoku_bot.records import read_openings, whole_lines
from training.games import MOST_EVAL, RESULTS, Game, eval_of, read_lines, rule_and_size, save_arrays, turned

BALANCED_SHARE = 2 / 3
RANDOM_STONES = (2, 9)
MOST_PLIES = 250

WORTH = r"(?P<mate>[+-]?M\d+)|(?P<eval>[+-]?\d+)(?![\d.]*%)|(?P<percent>[\d.]+)%"
LINES = (
    re.compile(rf"\((?P<number>\d+)\)\s+(?:{WORTH}).*\|\s*(?P<move>[a-zA-Z]\d+)\b"),
    re.compile(rf"(?P<number>\d+)\.\s+(?P<move>[a-z]\d+) win (?:{WORTH})"),
)
"""One of several moves: ``(2) 198 | 11-12 | M11 J11`` (the Yixin family) or ``2. m11 win 55.0% visits 9`` (ours)."""

VALUE = re.compile(rf"\b(?:eval|ev|win)\s*[:=]?\s*(?:{WORTH})", re.IGNORECASE)


def worth_of(match: re.Match[str]) -> int:
    """The eval that a message tells: an eval, a mate in so many plies, or a probability to win."""
    if match["mate"]:
        return -MOST_EVAL if match["mate"].startswith("-") else MOST_EVAL
    if match["eval"]:
        return int(np.clip(int(match["eval"]), -MOST_EVAL, MOST_EVAL))
    return eval_of(float(match["percent"]) / 100)


def thoughts(messages: Sequence[str], move: Point) -> tuple[int | None, dict[Point, int]]:
    """What a brain has said of the position and of its best moves, the last time it spoke of each."""
    value: int | None = None
    lines: dict[int, tuple[Point, int]] = {}
    for message in messages:
        text = message.partition(" ")[2]
        if found := LINES[0].match(text) or LINES[1].match(text):
            if int(found["number"]) == 1:
                lines.clear()
            (point,) = parse_position(found["move"].lower())
            lines[int(found["number"])] = point, worth_of(found)
        elif found := VALUE.search(text):
            value = worth_of(found)
    weighed = dict(lines.values())
    if move not in weighed:
        return value, {}
    return (weighed[move] if value is None else value), weighed


def opening(position: Position, openings: Sequence[Sequence[Point]], rng: np.random.Generator) -> None:
    """Puts the first stones: an opening of the list under a random symmetry, or random stones in the middle."""
    if openings and rng.random() < BALANCED_SHARE:
        chosen = openings[int(rng.integers(len(openings)))]
        for move in turned(chosen, position.width)[int(rng.integers(8))]:
            position.play(*move)
        return
    middle = [(x, y) for x, y in position.points if max(abs(2 * x - position.width), abs(2 * y - position.height)) <= 9]
    for i in rng.permutation(len(middle))[: rng.integers(*RANDOM_STONES)]:
        if middle[i] not in position.forbidden():
            position.play(*middle[i])


def play(brain: Brain, name: str, openings: Sequence[Sequence[Point]], lines: int, rng: np.random.Generator) -> Game:
    """
    One game of the brain against itself.

    :raises: `BrainError` if it hangs, dies, or plays an illegal move.
    """
    rule, size = rule_and_size(name)
    position = Position(size, size, rule)
    while not position.moves or position.is_over:
        position = Position(size, size, rule)
        opening(position, openings, rng)
    given = len(position.moves)
    evals: list[int | None] = [None] * given
    weighed: list[dict[Point, int]] = [{} for _ in evals]
    brain.start(size, size, int(rule))
    while not position.is_over and len(position.moves) < MOST_PLIES:
        request = board_request(position)
        if lines:
            request = ["YXBOARD", *request[1:], f"YXNBEST {lines}"]
        reply = brain.move(request)
        if not position.is_empty(*reply.point):
            raise BrainError("illegal", f"{reply.point} is not empty")
        value, best = thoughts(reply.messages, reply.point)
        evals.append(value)
        weighed.append({point: worth for point, worth in best.items() if position.is_empty(*point)})
        position.play(*reply.point)
    return Game(name, list(position.moves), given, RESULTS[position.winner], evals, weighed)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("brain", type=Player.parse, metavar="BRAIN", help="[NAME=][{FOLDER}]COMMAND")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--set", default="freestyle20", help="rule and board size")
    parser.add_argument("--openings", type=Path)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--turn-ms", type=int, default=100)
    parser.add_argument("--nodes", type=int, default=0, help="INFO max_node, for brains that know it")
    parser.add_argument("--lines", type=int, default=0, help="ask for so many best moves; 0: for the move alone")
    options = parser.parse_args()
    _, size = rule_and_size(options.set)
    openings = read_openings(options.openings, size, size) if options.openings else []
    options.out.mkdir(parents=True, exist_ok=True)
    file = options.out / f"{options.set}.jsonl"
    done = len(whole_lines(file))
    conditions = Conditions(turn_ms=options.turn_ms, tolerance_ms=5000, memory_bytes=0, max_nodes=options.nodes)
    rng, began = np.random.default_rng(done), time.monotonic()
    brain: Brain | None = None
    try:
        with file.open("a") as out:
            for number in range(done + 1, options.games + 1):
                brain = brain or Brain(options.brain.command, conditions, options.brain.folder)
                try:
                    game = play(brain, options.set, openings, options.lines, rng)
                except BrainError as error:
                    print(f"a game was lost: {error.reason}, {error}")
                    brain.close()
                    brain = None
                    continue
                out.write(game.to_json() + "\n")
                out.flush()
                left = (time.monotonic() - began) / (number - done) * (options.games - number)
                print(f"{number}/{options.games} games, {len(game.moves)} moves, {left / 60:.0f} min left", flush=True)
    except KeyboardInterrupt:
        print("stopped; the same command goes on")
    finally:
        if brain:
            brain.close()
    games = list(read_lines([file]))
    if games:
        save_arrays(options.out / f"{options.set}.npz", games)
        print(f"{options.out / options.set}.npz: {len(games)} games, {sum(len(g.moves) for g in games)} positions")


if __name__ == "__main__":
    main()
