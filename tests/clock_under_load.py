"""
A thousand moves at 100 ms a move while other processes keep every core busy: ``python -m tests.clock_under_load``.

Prints how long the answers took, and how many came after the limit, no tolerance given.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os

import numpy as np

from gomoku_bot.arena.brain import Brain, Conditions, own_brain
from gomoku_bot.core.position import Position


def burn() -> None:
    while True:
        sum(range(100_000))


def times(moves: int, turn_ms: int) -> list[float]:
    """Seconds that each of *moves* answers took, in games against random replies on 20x20."""
    rng = np.random.default_rng(0)
    taken: list[float] = []
    with Brain(own_brain(), Conditions(turn_ms=turn_ms, tolerance_ms=10_000, memory_bytes=0)) as brain:
        while len(taken) < moves:
            position = Position(20, 20)
            brain.start(20, 20, 0)
            request = ["BOARD", "DONE"]
            while not position.is_over and len(taken) < moves and len(position.moves) < 80:
                reply = brain.move(request)
                taken.append(reply.seconds)
                position.play(*reply.point)
                if position.is_over:
                    break
                near = position.fives(position.turn.opponent) or position.near(1)
                position.play(*near[rng.integers(len(near))])
                request = [f"TURN {position.moves[-1][0]},{position.moves[-1][1]}"]
    return taken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--moves", type=int, default=1000)
    parser.add_argument("--turn-ms", type=int, default=100)
    options = parser.parse_args()
    burners = [multiprocessing.Process(target=burn, daemon=True) for _ in range(os.cpu_count() or 1)]
    for burner in burners:
        burner.start()
    taken = 1000 * np.array(times(options.moves, options.turn_ms))
    for burner in burners:
        burner.kill()
    late = int((taken > options.turn_ms).sum())
    shares = ", ".join(f"{q}%: {np.percentile(taken, q):.0f} ms" for q in (50, 90, 99, 99.9, 100))
    print(f"{len(taken)} moves at {options.turn_ms} ms, {len(burners)} cores busy: {late} late; {shares}")


if __name__ == "__main__":
    main()
