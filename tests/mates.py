"""
The known wins, measured and checked: ``python -m tests.mates [--check]``.

Prints the share that is proven within 20 ms, 200 ms and 1 s by the distance that an engine announced. With
``--check`` every claimed win is replayed against every answer, each of which must be proven lost again, and so on
down to the five, as far as a budget of positions for each claim goes (`tests.test_solver`).
"""

from __future__ import annotations

import argparse
import time

from gomoku_bot.core.position import Position
from gomoku_bot.tactics.solver import Proof, Solver
from tests.test_solver import OpenClaimError, holds_against_all, mates

LIMITS = (0.02, 0.2, 1.0)
GROUPS = ((9, "up to 9 plies"), (19, "up to 19 plies"), (1000, "all"))


def holds(position: Position, solver: Solver, proof: Proof, budget: int) -> bool:
    """Replays a claim; False if an answer was neither proven lost again nor shown to hold. Fails if one holds."""
    moves = len(position.moves)
    try:
        holds_against_all(position, solver, proof, [budget], set())
    except OpenClaimError as error:
        print(error, flush=True)
        while len(position.moves) > moves:
            position.undo()
        return False
    return True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--budget", type=int, default=25, help="positions replayed for each claim")
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    solver = Solver()
    rows = []
    open_claims = 0
    for number, (position, plies) in enumerate(mates()[:: options.every], 1):
        solver.clear()
        began = time.perf_counter()
        proof = solver.solve(position, LIMITS[-1])
        rows.append((plies, time.perf_counter() - began if proof.is_win else None, proof.nodes))
        if options.check and proof.is_win:
            open_claims += not holds(position, solver, proof, options.budget)
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
    print(f"{proven} claims" + (f", none refuted, {open_claims} left open" if options.check else ""))


if __name__ == "__main__":
    main()
