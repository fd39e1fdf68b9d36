"""
Compares search constants or networks by fast games: ``python -m training.tune c_base=0.7 fpu=0.2 --turn-ms 60 ...``.

Both sides use the solver and the same number of playouts or the same time for a move; every opening is played with both
colours. Without a constant or a network named, SPSA (J. Spall, 1992) looks for better constants itself.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from gomoku_bot.arena.score import Score
from gomoku_bot.core.position import Point
from gomoku_bot.records import read_openings
from gomoku_bot.search.puct import Constants
from training.crew import Crew, LocalCrew, play_match
from training.duel import Contender, Duel
from training.games import rule_and_size
from training.netfiles import NetFiles

TUNED = {"c_base": 0.25, "c_log": 0.15, "fpu": 0.1, "temperature": 0.15}
"""What SPSA moves, and how far it looks to either side at first."""

GAMES_OF_STEP = 8


def parse(words: list[str]) -> Constants:
    """
    Reads ``NAME=VALUE`` words.

    :raises: `ValueError` for a name that is none.
    """
    types = {entry.name: type(getattr(Constants(), entry.name)) for entry in fields(Constants)}
    found: dict[str, Any] = {}
    for word in words:
        name, _, value = word.partition("=")
        if name not in types:
            raise ValueError(f"{name} is none of {', '.join(types)}")
        found[name] = types[name](value)
    return replace(Constants(), **found)


def spsa(duel: Duel, openings: Sequence[Sequence[Point]], games: int, crew: Crew) -> Iterator[Constants]:
    """Yields constants after each step of `GAMES_OF_STEP` games; gains and reach shrink as Spall's guide says."""
    rng = np.random.default_rng(0)
    values = np.array([getattr(duel.first.constants, name) for name in TUNED])
    reach = np.array(list(TUNED.values()))
    steps = games // GAMES_OF_STEP

    def constants(at: np.ndarray) -> Constants:
        found: dict[str, Any] = dict(zip(TUNED, map(float, np.maximum(0.02, at)), strict=True))
        return replace(duel.first.constants, **found)

    for step in range(steps):
        aside = (step + 1) ** -0.101 * reach * rng.choice([-1, 1], len(values))
        gain = 0.6 * (1 + step / (1 + 0.1 * steps)) ** -0.602
        first, second = (replace(duel.first, constants=constants(values + side)) for side in (aside, -aside))
        chosen = [openings[i] for i in rng.integers(len(openings), size=GAMES_OF_STEP // 2)]
        step_duel = replace(duel, first=first, second=second)
        points = [p for pair in crew.each("pair", [(step_duel, opening) for opening in chosen]) for p in pair]
        values = np.maximum(0.02, values + gain * (2 * float(np.mean(points)) - 1) * aside)
        yield constants(values)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("constants", nargs="*", metavar="NAME=VALUE")
    parser.add_argument("--against", nargs="+", default=[], metavar="NAME=VALUE", help="default: what ships")
    parser.add_argument("--net", type=Path, help="a network file of the first side, NAME.onnx; default: what ships")
    parser.add_argument("--against-net", type=Path, help="the other side's")
    parser.add_argument("--openings", type=Path, required=True)
    parser.add_argument("--set", default="freestyle20", help="rule and board size")
    parser.add_argument("--visits", type=int, default=0)
    parser.add_argument("--turn-ms", type=int, default=0)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--processes", type=int, default=1)
    options = parser.parse_args()
    if not (options.visits or options.turn_ms):
        parser.error("name --visits or --turn-ms")

    _, size = rule_and_size(options.set)
    openings = read_openings(options.openings, size, size)
    first, second = (
        Contender(NetFiles.read(net), constants=parse(words))
        for words, net in ((options.constants, options.net), (options.against, options.against_net))
    )
    duel = Duel(first, second, options.set, options.visits, options.turn_ms)
    crew = LocalCrew(options.processes)
    try:
        if first == second:
            for step, constants in enumerate(spsa(duel, openings, options.games, crew), 1):
                print(step, {name: round(asdict(constants)[name], 3) for name in TUNED}, flush=True)
            return
        score = Score()
        for score in play_match(crew, duel, openings, options.games):
            if score.games % 20 == 0:
                print(score, flush=True)
        print(score)
    finally:
        crew.close()


if __name__ == "__main__":
    main()
