"""
The plane networks: two planes in, move logits or win/draw/loss logits out, on a board of any size.

Inputs are ``[B, 2, H, W]``: own stones, enemy stones. The border is padded with -1, so that the edge
of the board looks like neither stone nor empty point.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional


class Trunk(nn.Module):
    """Convolutions with ReLU between; one kernel size a layer."""

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

    def __init__(self, kernels: Sequence[int], channels: int) -> None:
        super().__init__()
        self.trunk = Trunk(kernels[:-1], channels)
        self.head = nn.Conv2d(channels, 1, kernels[-1], padding=kernels[-1] // 2)

    def forward(self, planes: Tensor) -> Tensor:
        """Move logits ``[B, H * W]``, stones included: the caller masks taken points."""
        return self.head(self.trunk(planes)).flatten(1)


class ValueNet(nn.Module):
    """Convolutions, then the mean and the maximum of every channel, then two dense layers."""

    def __init__(self, kernels: Sequence[int], channels: int) -> None:
        super().__init__()
        self.trunk = Trunk(kernels, channels)
        self.hidden = nn.Linear(2 * channels, channels)
        self.head = nn.Linear(channels, 3)

    def forward(self, planes: Tensor) -> Tensor:
        """Win, draw, loss logits ``[B, 3]`` of the side to move."""
        x = self.trunk(planes)
        pooled = torch.cat([x.mean((2, 3)), x.amax((2, 3))], 1)
        return self.head(torch.relu(self.hidden(pooled)))
