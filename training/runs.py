"""Every training run that made a shipped network, as a value; it is kept inside its checkpoints."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from torch import nn

from training.data import ALL_SETS
from training.line_net import LineNet
from training.networks import ClassNet, PolicyNet, ResidualNet, ValueNet

NETWORKS: dict[str, type[nn.Module]] = {
    "policy": PolicyNet, "value": ValueNet, "classes": ClassNet, "line": LineNet, "residual": ResidualNet,
}  # fmt: skip


ValueTarget = Literal["wdl", "regression", "classes", "comparison"]


@dataclass(frozen=True, kw_only=True)
class Run:
    """All that a network depends on, its data folder apart."""

    network: Literal["policy", "value", "classes", "line", "residual"]

    shape: tuple[int, ...]
    """
    What the network's class takes: channels and kernel sizes (policy, value, classes), features, channels
    and blocks (line), channels and blocks (residual).
    """

    sets: tuple[str, ...] = ALL_SETS
    """Data sets ``*/NAME.npz`` to train on."""

    batch_size: int = 256
    steps: int = 10_000
    learning_rate: float = 2e-3
    """Peak of a one-cycle schedule (Smith 2018)."""

    weight_decay: float = 1e-4
    soft_policy: bool = True
    """Policy target: the teacher's best moves by their values; otherwise its move alone."""

    decided_weight: float = 0.2
    """Weight of positions where a five is to be made or stopped."""

    teacher_share: float = 0.5
    """Value target = so much of the teacher's win probability, the rest of the game's result."""

    average_from: float = 0.8
    """After this share of the steps the weights are averaged; the mean is what is exported."""

    lost_weight: float = 1.0
    """Weight in the policy's loss of moves whose player lost: 0 leaves them out, -1 turns the gradient's sign."""

    value_target: ValueTarget = "wdl"
    """What a value network learns; see `training.targets`."""

    seed: int = 1

    def build(self) -> nn.Module:
        """A fresh network."""
        return NETWORKS[self.network](*self.shape)


def thesis(network: Literal["policy", "value"], shape: tuple[int, ...], steps: int, decay: float = 1e-4) -> Run:
    """A run as the thesis had it: one-hot moves, every position counts alike."""
    return Run(
        network=network, shape=shape, steps=steps, weight_decay=decay, soft_policy=False, decided_weight=1.0
    )  # fmt: skip


RUNS = {
    "policy-l5": thesis("policy", (48, 5, 5, 3, 3, 3), 14_000),
    "value-l5": thesis("value", (48, 5, 3, 3, 3, 3), 8_000, 1e-3),
    "line": Run(network="line", shape=(64, 64, 2), steps=9_000),
    "residual": Run(network="residual", shape=(64, 6), steps=5_000),
}

EXPERIMENT_STEPS = 600
LAYERS = {2: (5, 3), 3: (5, 5, 3), 4: (5, 5, 3, 3), 5: (5, 5, 3, 3, 3), 6: (5, 5, 3, 3, 3, 3)}
KERNELS = ("53533", "53335", "35533", "33553", "33355")
VALUE_SHAPE = (48, 5, 3, 3, 3, 3)

EXPERIMENTS = {
    **{f"layers-{count}": thesis("policy", (48, *shape), EXPERIMENT_STEPS) for count, shape in LAYERS.items()},
    **{f"kernels-{order}": thesis("policy", (48, *map(int, order)), EXPERIMENT_STEPS) for order in KERNELS},
    "winners": replace(thesis("policy", (48, 5, 5, 3, 3, 3), EXPERIMENT_STEPS), lost_weight=0.0),
    "sign-turned": replace(thesis("policy", (48, 5, 5, 3, 3, 3), EXPERIMENT_STEPS), lost_weight=-1.0),
    "value-wdl": thesis("value", VALUE_SHAPE, EXPERIMENT_STEPS, 1e-3),
    "value-regression": replace(thesis("value", VALUE_SHAPE, EXPERIMENT_STEPS, 1e-3), value_target="regression"),
    "value-comparison": replace(thesis("value", VALUE_SHAPE, EXPERIMENT_STEPS, 1e-3), value_target="comparison"),
    "value-classes": replace(
        thesis("value", VALUE_SHAPE, EXPERIMENT_STEPS, 1e-3), network="classes", value_target="classes"
    ),
}
"""Short runs for the thesis' tables (layers and kernel orders) and for other ways to learn; see the README."""

RUNS |= EXPERIMENTS
