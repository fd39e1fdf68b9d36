"""The networks as ONNX graphs, built layer by layer from trained weights."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from torch import nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

from gomoku_bot.core._planes_cy import PLANES
from training.line_net import LEVELS, REGIONS, ROW_LIMIT, Head, LineNet
from training.networks import PolicyNet, ResidualNet, Trunk, ValueNet


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
        return self.add("Conv", [x, weight, bias], pads=[layer.padding[0]] * 4, group=layer.groups)

    def folded(self, x: str, layer: nn.Conv2d, norm: nn.BatchNorm2d) -> str:
        """Adds a convolution with the batch normalisation after it, as one convolution."""
        return self.layer(x, fuse_conv_bn_eval(layer, norm))

    def pooled(self, x: str) -> str:
        """Adds mean and maximum of every channel: ``[B, C, H, W]`` to ``[B, 2 C]``."""
        kinds = ("GlobalAveragePool", "GlobalMaxPool")
        return self.add("Concat", [self.add("Flatten", [self.add(kind, [x])]) for kind in kinds], axis=1)

    def relu(self, x: str) -> str:
        return self.add("Relu", [x])

    def numbers(self, name: str, *values: int) -> str:
        """Adds a list of integers, for operators that take shapes."""
        return self.weight(name, np.array(values, np.int64))

    def probabilities(self, policy: str, value: str) -> None:
        """Ends the graph: softmax over the points of the input ``allowed [B, H * W]``, and over win, draw, loss."""
        one, far = self.weight("one", np.float32(1)), self.weight("far", np.float32(1e9))
        barred = self.add("Mul", [self.add("Sub", ["allowed", one]), far])
        softmax = self.add("Softmax", [self.add("Add", [policy, barred])], axis=1)
        self.nodes.append(helper.make_node("Mul", [softmax, "allowed"], ["policy"]))
        self.nodes.append(helper.make_node("Softmax", [value], ["value"], axis=1))

    def trunk(self, trunk: Trunk) -> str:
        border = np.array([0, 0, trunk.border, trunk.border] * 2, np.int64)
        x = self.add("Pad", ["planes", self.weight("border", border), self.weight("edge", np.float32(-1.0))])
        for layer in trunk.layers:
            assert isinstance(layer, nn.Conv2d)
            x = self.relu(self.layer(x, layer))
        return x


PLANES_IN = ("batch", 2, "height", "width")
AREA = ("batch", "area")


def build(network: nn.Module) -> onnx.ModelProto:
    """
    The network as ONNX; batch, height and width are free.

    `PolicyNet` and `ValueNet`: ``planes [B, 2, H, W]`` to ``logits``, ``[B, H * W]`` or ``[B, 3]``. `ResidualNet` and
    `LineNet`: ``inputs``, ``allowed`` (and ``regions``) to ``policy`` and ``value``, as
    `gomoku_bot.evaluator.joint_nets` says.

    :raises: `TypeError` for a network that has no graph here.
    """
    graph = Graph()
    inputs: dict[str, tuple[str | int, ...]] = {"planes": PLANES_IN}
    outputs: dict[str, tuple[str | int, ...]] = {"policy": AREA, "value": ("batch", 3)}
    if isinstance(network, PolicyNet):
        logits = graph.add("Flatten", [graph.layer(graph.trunk(network.trunk), network.head)], axis=1)
        graph.nodes.append(helper.make_node("Identity", [logits], ["logits"]))
        outputs = {"logits": AREA}
    elif isinstance(network, ValueNet):
        hidden = graph.relu(graph.layer(graph.pooled(graph.trunk(network.trunk)), network.hidden))
        graph.nodes.append(helper.make_node("Identity", [graph.layer(hidden, network.head)], ["logits"]))
        outputs = {"logits": ("batch", 3)}
    elif isinstance(network, ResidualNet):
        residual(graph, network)
        inputs = {"inputs": ("batch", PLANES, "height", "width"), "allowed": AREA}
    elif isinstance(network, LineNet):
        line(graph, network.head)
        features = network.head.mix.in_channels
        inputs = {"inputs": ("batch", "height", "width", features), "allowed": AREA, "regions": ("area", REGIONS)}
    else:
        raise TypeError(f"no graph for a {type(network).__name__}")
    floats = TensorProto.FLOAT
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            type(network).__name__,
            [helper.make_tensor_value_info(name, floats, shape) for name, shape in inputs.items()],
            [helper.make_tensor_value_info(name, floats, shape) for name, shape in outputs.items()],
            graph.weights,
        ),
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=8,
    )
    onnx.checker.check_model(model)
    return model


def residual(graph: Graph, network: ResidualNet) -> None:
    """Adds a residual net; its batch normalisations become part of the convolutions."""
    x = graph.relu(graph.layer("inputs", network.stem))
    for block in network.blocks:
        first, norm, _, second, last = block.layers
        y = graph.folded(graph.relu(graph.folded(x, first, norm)), second, last)
        x = graph.relu(graph.add("Add", [x, y]))
    policy = graph.layer(graph.relu(graph.layer(x, network.policy[0])), network.policy[2])
    value = graph.layer(graph.relu(graph.layer(graph.pooled(x), network.hidden)), network.wdl)
    graph.probabilities(graph.add("Flatten", [policy], axis=1), value)


def line(graph: Graph, head: Head) -> None:
    """Adds the head of a line net; the step of the codebook becomes part of its first convolution."""
    mix = copy.deepcopy(head.mix)
    mix.weight.data *= ROW_LIMIT / LEVELS
    x = graph.relu(graph.layer(graph.add("Transpose", ["inputs"], perm=[0, 3, 1, 2]), mix))
    for block in head.blocks:
        y = graph.relu(graph.layer(graph.relu(graph.layer(x, block.depthwise)), block.pointwise))
        x = graph.add("Add", [x, y])
    board = graph.pooled(x)
    channels = head.mix.out_channels
    points = graph.add("Reshape", [x, graph.numbers("points", 0, channels, -1)])
    weights = graph.layer(graph.relu(graph.layer(board, head.board)), head.policy)
    row = graph.add("Unsqueeze", [weights, graph.numbers("second", 1)])
    policy = graph.add("Squeeze", [graph.add("MatMul", [row, points]), graph.numbers("middle", 1)])
    means = graph.add("Flatten", [graph.add("MatMul", [points, "regions"])], axis=1)
    hidden = graph.relu(graph.layer(graph.add("Concat", [board, means], axis=1), head.value))
    graph.probabilities(policy, graph.layer(hidden, head.wdl))
