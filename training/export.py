"""
Writes trained networks as ONNX with a card each: ``python -m training.export RUN --runs FOLDER --out nets``.

The graph is checked against PyTorch on random positions of several board sizes before anything is kept.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from torch import nn

from training.networks import PolicyNet, Trunk, ValueNet
from training.runs import Run

TOLERANCE = 1e-4
"""Largest difference from PyTorch that is accepted, in logits (fp32)."""

CHECK_BOARDS = ((15, 15), (20, 20), (5, 32))
"""Height and width of the boards of the check."""


class Graph:
    """ONNX nodes and weights, gathered one layer at a time."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.weights: list[Any] = []

    def weight(self, name: str, array: NDArray[Any]) -> str:
        self.weights.append(numpy_helper.from_array(array, name))
        return name

    def add(self, kind: str, inputs: list[str], **attributes: Any) -> str:
        output = f"{kind.lower()}{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def layer(self, x: str, layer: nn.Conv2d | nn.Linear) -> str:
        """Adds a convolution or a dense layer."""
        assert layer.bias is not None
        weight = self.weight(f"w{len(self.nodes)}", layer.weight.detach().numpy())
        bias = self.weight(f"b{len(self.nodes)}", layer.bias.detach().numpy())
        if isinstance(layer, nn.Linear):
            return self.add("Gemm", [x, weight, bias], transB=1)
        assert isinstance(layer.padding, tuple)
        return self.add("Conv", [x, weight, bias], pads=[layer.padding[0]] * 4)

    def trunk(self, trunk: Trunk) -> str:
        border = np.array([0, 0, trunk.border, trunk.border] * 2, np.int64)
        x = self.add("Pad", ["planes", self.weight("border", border), self.weight("edge", np.float32(-1.0))])
        for layer in trunk.layers:
            assert isinstance(layer, nn.Conv2d)
            x = self.add("Relu", [self.layer(x, layer)])
        return x


def build(network: nn.Module) -> onnx.ModelProto:
    """
    The network as ONNX: ``planes [B, 2, H, W]`` to ``logits``, ``[B, H * W]`` or ``[B, 3]``; B, H, W are free.

    :raises: `TypeError` for a network that has no graph here.
    """
    graph = Graph()
    if isinstance(network, PolicyNet):
        logits = graph.add("Flatten", [graph.layer(graph.trunk(network.trunk), network.head)], axis=1)
        shape: list[str | int] = ["batch", "area"]
    elif isinstance(network, ValueNet):
        x = graph.trunk(network.trunk)
        pooled = [graph.add("Flatten", [graph.add(kind, [x])]) for kind in ("GlobalAveragePool", "GlobalMaxPool")]
        hidden = graph.add("Relu", [graph.layer(graph.add("Concat", pooled, axis=1), network.hidden)])
        logits = graph.layer(hidden, network.head)
        shape = ["batch", 3]
    else:
        raise TypeError(f"no graph for a {type(network).__name__}")
    graph.nodes.append(helper.make_node("Identity", [logits], ["logits"]))
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            type(network).__name__,
            [helper.make_tensor_value_info("planes", TensorProto.FLOAT, ["batch", 2, "height", "width"])],
            [helper.make_tensor_value_info("logits", TensorProto.FLOAT, shape)],
            graph.weights,
        ),
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=8,
    )
    onnx.checker.check_model(model)
    return model


@torch.no_grad()
def difference(network: nn.Module, model: onnx.ModelProto, rng: np.random.Generator) -> float:
    """The largest difference in logits between *model* in ONNX Runtime and *network*, over random stones."""
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    worst = 0.0
    for height, width in CHECK_BOARDS:
        stones = rng.choice(3, (16, 1, height, width), p=(0.8, 0.1, 0.1))
        planes = np.concatenate([stones == 1, stones == 2], 1).astype(np.float32)
        logits = session.run(None, {"planes": planes})[0]
        worst = max(worst, float(np.abs(network(torch.from_numpy(planes)).numpy() - logits).max()))
    return worst


def export(name: str, runs: Path, out: Path) -> None:
    """Writes ``out/NAME.onnx`` and its card ``out/NAME.json`` from ``runs/NAME.pt``."""
    saved = torch.load(runs / f"{name}.pt", weights_only=False)
    run = Run(**saved["run"])
    network = run.network().eval()
    network.load_state_dict(saved["weights"])
    model = build(network)
    worst = difference(network, model, np.random.default_rng(run.seed))
    if worst > TOLERANCE:
        raise ValueError(f"{name}: ONNX and PyTorch differ by {worst:.2g} logits, {TOLERANCE} allowed")
    data = model.SerializeToString()
    out.mkdir(exist_ok=True)
    (out / f"{name}.onnx").write_bytes(data)
    card = {
        "name": name,
        "head": run.head,
        "inputs": "planes [B, 2, H, W]: own stones, enemy stones",
        "run": saved["run"],
        "positions": saved["positions"],
        "training_minutes": round(saved["seconds"] / 60, 1),
        "held_out_positions": saved["held_out_positions"],
        "held_out": {
            key: {figure: round(number, 4) for figure, number in row.items()}
            for key, row in saved["held_out"].items()
        },
        "parameters": sum(parameter.numel() for parameter in network.parameters()),
        "largest_difference_from_pytorch": worst,
        "sha256": hashlib.sha256(data).hexdigest(),
    }
    (out / f"{name}.json").write_text(json.dumps(card, indent=2) + "\n")
    print(f"{out / name}.onnx: {len(data):,} bytes, differs from PyTorch by {worst:.1e}")


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
