"""
Builds a copy of the core with sanitizers (address, undefined) and fuzzes it: ``python -m tests.sanitize``.

Needs gcc and its sanitizer libraries (Linux). Prints what the sanitizers found; exit status 1 if anything.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
FLAGS = "-fsanitize=address,undefined -fno-omit-frame-pointer -g"

FUZZ = """
import sys
import numpy as np
from gomoku_bot.core import _planes_cy, _rows_cy
from gomoku_bot.core.position import Position
from gomoku_bot.rules import Color, Rule
from gomoku_bot.tactics.solver import Solver

assert _planes_cy.__file__.startswith(sys.argv[3]), "not the copy's core"
rng = np.random.default_rng(int(sys.argv[1]))
codebook = rng.integers(-127, 128, (_rows_cy.ROWS, 4), np.int8)
games = 0
for _ in range(int(sys.argv[2])):
    width, height = (int(side) for side in rng.integers(5, 33, 2))
    position = Position(width, height, Rule(rng.choice([0, 1, 4, 8, 9])), continuous=bool(rng.integers(2)))
    area = [p for p in position.points if p[0] < 12 and p[1] < 12]
    planes = np.empty((48, height, width), np.float32)
    turned = np.empty((48, width, height), np.float32)
    sums, free = np.empty((height * width, 4), np.float32), np.empty(height * width, np.float32)
    rows = np.empty((height * width, 5), np.int32)
    allowed = np.empty((height, width), np.uint8)
    solver = Solver(1 << 14)
    for i in rng.permutation(len(area)):
        if position.is_over:
            break
        position.play(*area[i])
        if rng.random() < 0.1:
            position.undo()
        if rng.random() < 0.1:
            for color in Color:
                solver.vcf(position, color, 300)
                solver.vct(position, color, 300, int(rng.integers(3)))
                symmetry = int(rng.integers(8))
                _planes_cy.write_planes(position.board, color - 1, symmetry, turned if symmetry & 4 else planes)
                _rows_cy.write_sums(position.board, color - 1, codebook, sums, free)
                _rows_cy.write_rows(position.board, color - 1, rows)
                _planes_cy.write_allowed(position.board, color - 1, allowed)
            position.forbidden()
    while position.moves:
        position.undo()
    games += 1
print(games, "games")
"""


def main() -> None:
    seed, games = (sys.argv[1:] + ["1", "150"][len(sys.argv) - 1 :])[:2]
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in ("gomoku_bot", "nets"):
            shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("*.so", "*.c", "__pycache__"))
        for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
            shutil.copy(ROOT / name, copy)
        print("building with", FLAGS, flush=True)
        subprocess.run(
            [sys.executable, "setup.py", "-q", "build_ext", "--inplace"], cwd=copy, check=True,
            env={**os.environ, "GOMOKU_BOT_CFLAGS": FLAGS}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        libraries = [
            subprocess.run(
                ["gcc", f"-print-file-name={name}"], capture_output=True, text=True, check=True
            ).stdout.strip()
            for name in ("libasan.so", "libubsan.so")
        ]
        result = subprocess.run(
            [sys.executable, "-c", FUZZ, seed, games, folder], cwd=copy, capture_output=True, text=True,
            env={
                **os.environ, "LD_PRELOAD": ":".join(libraries), "PYTHONPATH": str(copy), "PYTHONMALLOC": "malloc",
                "ASAN_OPTIONS": "detect_leaks=0", "UBSAN_OPTIONS": "print_stacktrace=1",
            },
        )  # fmt: skip
        found = [line for line in result.stderr.splitlines() if "runtime error" in line or "ERROR:" in line]
        print(result.stdout.strip(), f"exit status {result.returncode}, {len(found)} findings", sep=", ")
        print("\n".join(sorted(set(found))[:30]))
        sys.exit(1 if found or result.returncode else 0)


if __name__ == "__main__":
    main()
