"""
Short runs for the tables of ``training/README.md``: ``python -m training.experiments --data FOLDER --out FOLDER``.

Trains every run of `training.runs.EXPERIMENTS` that is not done yet and prints a line for each.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch

from training.data import load
from training.runs import EXPERIMENTS
from training.train import train


def line(name: str, path: Path) -> str:
    """The run's parameters, minutes and held-out figures, mean over the sets."""
    saved = torch.load(path, weights_only=False)
    rows = list(saved["held_out"].values())
    figures = {key: sum(row[key] for row in rows) / len(rows) for key in rows[0] if key != "loss"}
    told = " | ".join(f"{key} {figure:.4f}" for key, figure in figures.items())
    parameters = sum(weight.numel() for weight in saved["weights"].values())
    return f"{name} | {parameters:,} | {saved['seconds'] / 60:.1f} min | {told}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("runs"))
    options = parser.parse_args()
    lines = []
    for name, run in EXPERIMENTS.items():
        if not (options.out / f"{name}.pt").exists():
            sets, held_out = (load(options.data, run.sets, held_out=held) for held in (False, True))
            if not train(run, name, sets, held_out, options.out):
                return
        lines.append(line(name, options.out / f"{name}.pt"))
    print("\n".join(lines))


if __name__ == "__main__":
    main()
