"""
The plane networks: planes in, move logits and win/draw/loss logits out, on a board of any size.

Every network says what it sees (``inputs``, see `training.data.Inputs`) and answers with `Heads`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from gomoku_bot.core._planes_cy import PLANES


class Heads(NamedTuple):
    """A network's answer; None for a head that it does not have."""

    policy: Tensor | None
    """Move logits ``[B, H * W]``, taken points included: the caller masks them."""

    value: Tensor | None
    """Win, draw, loss logits ``[B, 3]`` of the side to move."""

    classes: Tensor | None = None
    """Logits ``[B, 7]`` of the classes that `ClassNet` sorts by, worst first."""


class Trunk(nn.Module):
    """
    Convolutions with ReLU between; one kernel size a layer.

    Sees own and enemy stones, ``[B, 2, H, W]``; the border is padded with -1, so that the edge of the board looks
    like neither stone nor empty point.
    """

    def __init__(self, kernels: Sequence[int], channels: int) -> None:
        super().__init__()
        inputs = [2] + [channels] * (len(kernels) - 1)
        self.border = kernels[0] // 2
        paddings = [0] + [kernel // 2 for kernel in kernels[1:]]
        self.layers = nn.ModuleList(
            nn.Conv2d(count, channels, kernel, padding=padding)
            for count, kernel, padding in zip(inputs, kernels, paddings, strict=True)
        )

    def forward(self, planes: Tensor) -> Tensor:
        """``[B, 2, H, W]`` to ``[B, channels, H, W]``."""
        x = functional.pad(planes, [self.border] * 4, value=-1.0)
        for layer in self.layers:
            x = torch.relu(layer(x))
        return x


class PolicyNet(nn.Module):
    """The thesis' move predictor: as many convolutions as *kernels*, the last of them to one plane."""

    inputs = "stones"

    def __init__(self, channels: int, *kernels: int) -> None:
        super().__init__()
        self.trunk = Trunk(kernels[:-1], channels)
        self.head = nn.Conv2d(channels, 1, kernels[-1], padding=kernels[-1] // 2)

    def forward(self, planes: Tensor) -> Heads:
        """Judges ``[B, 2, H, W]``."""
        return Heads(self.head(self.trunk(planes)).flatten(1), None)


class ValueNet(nn.Module):
    """Convolutions, then the mean and the maximum of every channel, then two dense layers."""

    inputs = "stones"

    def __init__(self, channels: int, *kernels: int) -> None:
        super().__init__()
        self.trunk = Trunk(kernels, channels)
        self.hidden = nn.Linear(2 * channels, channels)
        self.head = nn.Linear(channels, 3)

    def forward(self, planes: Tensor) -> Heads:
        """Judges ``[B, 2, H, W]``."""
        x = self.trunk(planes)
        pooled = torch.cat([x.mean((2, 3)), x.amax((2, 3))], 1)
        return Heads(None, self.head(torch.relu(self.hidden(pooled))))


class ClassNet(ValueNet):
    """Sorts into seven classes of winning chances, from lost to won; the value is their mean."""

    BOUNDS = (0.02, 0.15, 0.4, 0.6, 0.85, 0.98)
    MEANS = (0.005, 0.08, 0.27, 0.5, 0.73, 0.92, 0.995)

    def __init__(self, channels: int, *kernels: int) -> None:
        super().__init__(channels, *kernels)
        self.head = nn.Linear(channels, len(self.MEANS))

    def forward(self, planes: Tensor) -> Heads:
        """Judges ``[B, 2, H, W]``."""
        classes = super().forward(planes).value
        assert classes is not None
        win = (classes.float().softmax(1) * classes.new_tensor(self.MEANS, dtype=torch.float32)).sum(1)
        return Heads(None, torch.stack([win, torch.full_like(win, 1e-6), 1 - win], 1).log(), classes)


class ResidualBlock(nn.Module):
    """Two 3x3 convolutions beside a short cut; batch normalisation is folded into them for play."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels), nn.ReLU(),
            nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels),
        )  # fmt: skip

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(x + self.layers(x))


class ResidualNet(nn.Module):
    """A residual tower on the 48 planes with both heads (D. Silver et al. 2017), fully convolutional."""

    inputs = "planes"

    def __init__(self, channels: int, blocks: int) -> None:
        super().__init__()
        self.stem = nn.Conv2d(PLANES, channels, 3, padding=1)
        self.blocks = nn.Sequential(*(ResidualBlock(channels) for _ in range(blocks)))
        self.policy = nn.Sequential(nn.Conv2d(channels, channels // 2, 1), nn.ReLU(), nn.Conv2d(channels // 2, 1, 1))
        self.hidden = nn.Linear(2 * channels, 64)
        self.wdl = nn.Linear(64, 3)

    def forward(self, planes: Tensor) -> Heads:
        """Judges ``[B, 48, H, W]``."""
        x = self.blocks(torch.relu(self.stem(planes)))
        pooled = torch.cat([x.mean((2, 3)), x.amax((2, 3))], 1)
        return Heads(self.policy(x).flatten(1), self.wdl(torch.relu(self.hidden(pooled))))
