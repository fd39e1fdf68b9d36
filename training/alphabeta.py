"""
What the parts of alpha-beta are worth: ``python -m training.alphabeta --openings FILE``.

Every variant plays the shipped test suite and a match against the full search, at the same time for a move; one line
each.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from gomoku_bot.arena.suite import SHIPPED, Marks, Task, read
from gomoku_bot.clock import Deadline
from gomoku_bot.core.position import Position
from gomoku_bot.records import read_openings
from training.crew import LocalCrew, play_match
from training.duel import Contender, Duel
from training.games import rule_and_size
from training.netfiles import NetFiles

VARIANTS = {
    "full": (),
    "without the table": (("table", False),),
    "without the policy's order": (("net_order", False),),
    "value network at the leaves": (("net_leaf", True),),
}


def suite(contender: Contender, tasks: Sequence[Task], turn_ms: int) -> Marks:
    """Puts the tasks to a fresh engine each."""
    marks = Marks()
    for task in tasks:
        engine = contender.engine()
        position = Position.from_moves(task.moves, task.size, task.size, task.rule)
        marks.add(task, engine.think(Deadline.in_seconds(turn_ms / 1000), position=position).move)
    return marks


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--openings", type=Path, required=True)
    parser.add_argument("--set", default="freestyle20", help="rule and board size of the matches")
    parser.add_argument("--turn-ms", type=int, default=100)
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every n-th task of the suite")
    options = parser.parse_args()
    net, tasks = NetFiles.read(), read(SHIPPED)[:: options.every]
    _, size = rule_and_size(options.set)
    openings = read_openings(options.openings, size, size)
    full = Contender(net, "alpha-beta")
    print(f"{'tree search':30} {suite(Contender(net), tasks, options.turn_ms)}", flush=True)
    crew = LocalCrew(1)
    try:
        for name, parts in VARIANTS.items():
            variant = Contender(net, "alpha-beta", parts=parts)
            print(f"{name:30} {suite(variant, tasks, options.turn_ms)}", flush=True)
            if parts:
                duel = Duel(variant, full, options.set, turn_ms=options.turn_ms)
                *_, score = play_match(crew, duel, openings, options.games)
                print(f"{name:30} against the full search {score}", flush=True)
    finally:
        crew.close()


if __name__ == "__main__":
    main()
