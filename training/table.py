"""
One line for every network of a folder: ``python -m training.table nets``.

Parameters, multiply-adds of a position, file sizes, evaluations a second on one core, and the held-out figures of its
card (mean over the data sets). A pair of a policy and a value network is one line.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.utils.flop_counter import FlopCounterMode

from gomoku_bot.bench import net_work, rate
from gomoku_bot.core._planes_cy import PLANES
from gomoku_bot.evaluator import catalog
from gomoku_bot.evaluator.line_codes import regions
from training.line_net import LineNet
from training.runs import Run

HEADER = "| net | parameters | Mflop | MB | evals/s 15x15 | 20x20 | top-1 | top-5 | result log-loss |"
FIGURES = ("top1", "top5", "result_loss")


def flop(run: Run, size: int = 15) -> int:
    """Multiplications and additions for one position; of a line net, those after the codebook's sums, and these."""
    network = run.build().eval()
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        if isinstance(network, LineNet):
            features = run.shape[0]
            network.head(torch.zeros(1, size, size, features), torch.from_numpy(regions(size, size)))
            return int(counter.get_total_flops()) + 5 * features * size * size
        planes = 2 if network.inputs == "stones" else PLANES
        network(torch.zeros(1, planes, size, size))
    return int(counter.get_total_flops())


def row(folder: Path, name: str) -> str:
    """The line of ``NAME.onnx`` or of the pair ``policy-NAME.onnx`` and ``value-NAME.onnx``."""
    joint = folder / f"{name}.json"
    files = [joint] if joint.is_file() else [folder / f"{head}-{name}.json" for head in ("policy", "value")]
    cards: list[dict[str, Any]] = [json.loads(file.read_text()) for file in files]
    runs = [Run(**{**card["run"], "shape": tuple(card["run"]["shape"])}) for card in cards]
    parts = [folder / part for card in cards for part in card["sha256"]]
    held_out = {}
    for figure in FIGURES:
        values = [row[figure] for card in cards for row in card["held_out"].values() if figure in row]
        held_out[figure] = float(np.mean(values))
    net = catalog.load(1, folder, name)
    speeds = [max(rate(net_work(net, size, 8)) for _ in range(3)) for size in (15, 20)]
    cells = [
        name, f"{sum(card['parameters'] for card in cards):,}", f"{sum(map(flop, runs)) / 1e6:.1f}",
        f"{sum(part.stat().st_size for part in parts) / 1e6:.1f}", *(f"{speed:,.0f}" for speed in speeds),
        *(f"{100 * held_out[figure]:.1f} %" for figure in FIGURES[:2]), f"{held_out['result_loss']:.3f}",
    ]  # fmt: skip
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    names = sorted({file.stem.removeprefix("policy-").removeprefix("value-") for file in folder.glob("*.onnx")})
    print(HEADER, "|---" * 9 + "|", sep="\n")
    for name in names:
        print(row(folder, name), flush=True)


if __name__ == "__main__":
    main()
