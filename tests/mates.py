"""
The known wins, measured and checked: ``python -m tests.mates [--check]``.

Prints the share that is proven within 20 ms, 200 ms and 1 s by the distance that an engine announced. With
``--check`` every claimed win is replayed against every answer (`tests.test_solver`), to a budget a position.
"""

from __future__ import annotations

import argparse
import time

from gomoku_bot.tactics.solver import Solver
from tests.test_solver import holds_against_all, mates

LIMITS = (0.02, 0.2, 1.0)
GROUPS = ((9, "up to 9 plies"), (19, "up to 19 plies"), (1000, "all"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--budget", type=int, default=25, help="positions replayed for each claim")
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    solver = Solver()
    rows = []
    for number, (position, plies) in enumerate(mates()[:: options.every], 1):
        solver.clear()
        began = time.perf_counter()
        proof = solver.solve(position, LIMITS[-1])
        rows.append((plies, time.perf_counter() - began if proof.is_win else None, proof.nodes))
        if options.check and proof.is_win:
            holds_against_all(position, Solver(1 << 20), proof, [options.budget], set())
        if number % 250 == 0:
            print(f"{number} positions", flush=True)
    for most, name in GROUPS:
        group = [seconds for plies, seconds, _ in rows if plies <= most]
        shares = ", ".join(
            f"{sum(s is not None and s <= limit for s in group) / len(group):.1%} in {1000 * limit:.0f} ms"
            for limit in LIMITS
        )
        print(f"{name:15} {len(group):5} wins, proven: {shares}")
    proven = sum(seconds is not None for _, seconds, _ in rows)
    print(f"{proven} claims" + (", every one held against all answers" if options.check else ""))


if __name__ == "__main__":
    main()
