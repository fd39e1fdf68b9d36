"""Every training run that made a shipped network, as a value; it is kept inside its checkpoints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from torch import nn

from training.networks import PolicyNet, ValueNet

ALL_SETS = ("freestyle20", "freestyle15", "standard15", "renju15")


@dataclass(frozen=True, kw_only=True)
class Run:
    """All that a network depends on, its data folder apart."""

    head: Literal["policy", "value"]
    """What the network says: move logits ``[B, H * W]`` or win/draw/loss logits ``[B, 3]``."""

    kernels: tuple[int, ...]
    """Kernel size of each convolution, first to last."""

    channels: int

    sets: tuple[str, ...] = ALL_SETS
    """Data sets ``*/NAME.npz`` to train on."""

    batch_size: int = 256
    steps: int = 10_000
    learning_rate: float = 2e-3
    """Peak of a one-cycle schedule (Smith 2018)."""

    weight_decay: float = 1e-4
    teacher_share: float = 0.5
    """Value target = so much of the teacher's win probability, the rest of the game's result."""

    average_from: float = 0.8
    """After this share of the steps the weights are averaged; the mean is what is exported."""

    seed: int = 1

    def network(self) -> nn.Module:
        return (PolicyNet if self.head == "policy" else ValueNet)(self.kernels, self.channels)


RUNS = {
    "policy-l5": Run(head="policy", kernels=(5, 5, 3, 3, 3), channels=48, steps=14_000),
    "value-l5": Run(head="value", kernels=(5, 3, 3, 3, 3), channels=48, steps=8_000, weight_decay=1e-3),
}
