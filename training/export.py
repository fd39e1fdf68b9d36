"""
Writes trained networks as ONNX with a card each: ``python -m training.export RUN --runs FOLDER --out nets``.

The files are checked against PyTorch on random positions of every rule and several boards before any is kept.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnxruntime
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from gomoku_bot.core._planes_cy import PLANES, write_planes
from gomoku_bot.core._rows_cy import write_rows
from gomoku_bot.core.position import Position
from gomoku_bot.evaluator import joint_nets as evaluator
from gomoku_bot.evaluator.features import allowed_points, stone_planes
from gomoku_bot.evaluator.line_codes import regions
from gomoku_bot.rules import Rule
from training.graphs import build
from training.line_net import LEVELS, ROW_LIMIT, LineNet
from training.networks import PolicyNet, ValueNet
from training.runs import Run

TOLERANCE = 1e-4
"""Largest difference from PyTorch that is accepted, in fp32 and before the codebook is rounded."""

CHECK_BOARDS = ((15, 15), (20, 20), (5, 32))
"""Height and width of the boards of the check."""


def codebook(network: LineNet) -> dict[str, NDArray[np.int8]]:
    """The table rounded to int8."""
    lines, points = (table.round().to(torch.int8).numpy() for table in network.codebook())
    return {"lines": np.ascontiguousarray(lines.T), "points": points}  # packed so, it is an eighth smaller


@torch.no_grad()
def difference(network: nn.Module, file: Path, rng: np.random.Generator) -> dict[str, float]:
    """
    How far *file*, played by the evaluator or ONNX Runtime, is from *network*, over random stones of every rule.

    Returns the largest difference in logits, or in probabilities for nets with both heads; for a line net
    with the codebook as it is shipped (``largest_difference_from_rounding``), and before rounding.
    """
    worst: dict[str, float] = {"largest_difference_from_pytorch": 0.0}
    session = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])

    def note(key: str, ours: NDArray[np.float32], theirs: Tensor) -> None:
        worst[key] = max(worst.get(key, 0.0), float(np.abs(ours - theirs.numpy()).max()))

    for rule, (height, width) in itertools.product(Rule, CHECK_BOARDS):
        positions = [random_position(rule, height, width, rng) for _ in range(4)]
        if isinstance(network, PolicyNet | ValueNet):
            planes = stone_planes(positions)
            heads = network(torch.from_numpy(planes))
            theirs = heads.value if heads.policy is None else heads.policy
            note("largest_difference_from_pytorch", session.run(None, {"planes": planes})[0], theirs)
            continue
        allowed = torch.from_numpy(allowed_points(positions))
        if isinstance(network, LineNet):
            shipped = evaluator.LineNet(file, 1)
            sums, exact = line_sums(network, positions, shipped.codebook)
            area = torch.from_numpy(regions(height, width))
            heads = network.head(exact * (ROW_LIMIT / LEVELS), area)
            feed = {"inputs": exact.numpy(), "allowed": allowed.float().numpy(), "regions": area.numpy()}
            policy, value = session.run(["policy", "value"], feed)
            rounded, _ = shipped.both(positions)
            assert np.allclose(rounded, session.run(["policy"], feed | {"inputs": sums})[0], atol=1e-5)
            note("largest_difference_from_rounding", rounded, torch.from_numpy(policy))
        else:
            planes = np.empty((len(positions), PLANES, height, width), np.float32)
            for position, out in zip(positions, planes, strict=True):
                write_planes(position.board, position.turn - 1, 0, out)
            heads = network(torch.from_numpy(planes))
            policy, value = evaluator.ResidualNet(file, 1).both(positions)
        masked = heads.policy.masked_fill(~allowed, -1e9).softmax(1)
        note("largest_difference_from_pytorch", policy, masked)
        note("largest_difference_from_pytorch", value, heads.value.softmax(1))
    return worst


def random_position(rule: Rule, height: int, width: int, rng: np.random.Generator) -> Position:
    """A few dozen stones anywhere; the game goes on after a five."""
    position = Position(width, height, rule, continuous=True)
    for square in rng.permutation(height * width)[: rng.integers(1, 60)]:
        position.play(int(square) % width, int(square) // width)
    return position


def line_sums(
    network: LineNet, positions: Sequence[Position], table: NDArray[np.int8]
) -> tuple[NDArray[np.float32], Tensor]:
    """The sums ``[B, H, W, C]`` in steps, not below 0: of the shipped *table*, and of the one before rounding."""
    first = positions[0]
    rows = np.empty((len(positions), first.height * first.width, 5), np.int32)
    for position, out in zip(positions, rows, strict=True):
        write_rows(position.board, position.turn - 1, out)
    lines, points = network.codebook()
    exact = torch.cat([lines[network.rows], points])[torch.from_numpy(rows).long()].sum(2)
    shape = (len(positions), first.height, first.width, -1)
    shipped = np.maximum(table[rows].sum(2, dtype=np.int32), 0).astype(np.float32)
    return shipped.reshape(shape), exact.relu().reshape(shape)


def export(name: str, runs: Path, out: Path) -> None:
    """Writes ``out/NAME.onnx``, its card ``out/NAME.json`` and a line net's codebook from ``runs/NAME.pt``."""
    saved = torch.load(runs / f"{name}.pt", weights_only=False)
    run = Run(**saved["run"])
    network = run.build().eval()
    network.load_state_dict(saved["weights"])
    if isinstance(network, LineNet) and not any(name.startswith("caro") for name in run.sets):
        network.lend_points_to_caro()
    out.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out) as folder:
        file = Path(folder) / f"{name}.onnx"
        file.write_bytes(build(network).SerializeToString())
        if isinstance(network, LineNet):
            np.savez(file.with_suffix(".npz"), **codebook(network))
        worst = difference(network, file, np.random.default_rng(run.seed))
        if worst["largest_difference_from_pytorch"] > TOLERANCE:
            raise ValueError(f"{name}: ONNX and PyTorch differ: {worst}; {TOLERANCE} is allowed before rounding")
        hashes = {}
        for part in Path(folder).iterdir():
            hashes[part.name] = hashlib.sha256(part.read_bytes()).hexdigest()
            part.replace(out / part.name)
    card = {
        "name": name,
        "run": saved["run"],
        "positions": saved["positions"],
        "training_minutes": round(saved["seconds"] / 60, 1),
        "held_out_positions": saved["held_out_positions"],
        "held_out": {
            key: {figure: round(number, 4) for figure, number in row.items()} for key, row in saved["held_out"].items()
        },
        "parameters": sum(parameter.numel() for parameter in network.parameters()),
        **worst,
        "sha256": hashes,
    }
    (out / f"{name}.json").write_text(json.dumps(card, indent=2) + "\n")
    print(f"{', '.join(hashes)}: {worst}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", nargs="+")
    parser.add_argument("--runs", type=Path, default=Path("runs"), help="what training.train wrote")
    parser.add_argument("--out", type=Path, default=Path("nets"))
    arguments = parser.parse_args()
    for name in arguments.run:
        export(name, arguments.runs, arguments.out)


if __name__ == "__main__":
    main()
