"""
The line net: a mapping network turns the line patterns around a point into features, a light head does the rest.

The mapping network depends on one line of 11 cells alone, so after training it is evaluated once for every pattern and
becomes a table (*codebook*); at play the features of a point are five table rows added together. The idea is Mixnet's
(arXiv 2503.13178); a pattern and its mirror image share one row, and the fifth row is indexed by what a stone of either
side would make on the point.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from gomoku_bot.core._rows_cy import LINE_ROWS, POINT_ROWS, ROWS
from gomoku_bot.evaluator.line_codes import canonical_rows, line_cells, regions
from training.networks import Heads

LEVELS = 127
"""Codebook entries are int8: a feature is ``entry * ROW_LIMIT / LEVELS``."""

ROW_LIMIT = 2.0
"""Features of one row lie in (-ROW_LIMIT, ROW_LIMIT)."""

REGIONS = 9


class Mapping(nn.Module):
    """One line to features: windows of five cells first, as a five needs, then dense layers."""

    def __init__(self, features: int, windows: int = 48, hidden: int = 192) -> None:
        super().__init__()
        self.windows = nn.Conv1d(3, windows, 5)
        self.first = nn.Linear(7 * windows, hidden)
        self.second = nn.Linear(hidden, hidden)
        self.last = nn.Linear(hidden, features)

    def forward(self, cells: Tensor) -> Tensor:
        """``[N, 3, 11]`` (mine, theirs, beyond the edge) to ``[N, features]`` within the row limit."""
        x = torch.relu(self.windows(cells)).flatten(1)
        x = torch.relu(self.first(x))
        x = x + torch.relu(self.second(x))
        return ROW_LIMIT * torch.tanh(self.last(x) / ROW_LIMIT)


class Block(nn.Module):
    """A depthwise 5x5 and a pointwise convolution beside a short cut."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.depthwise = nn.Conv2d(channels, channels, 5, padding=2, groups=channels)
        self.pointwise = nn.Conv2d(channels, channels, 1)

    def forward(self, x: Tensor) -> Tensor:
        return x + torch.relu(self.pointwise(torch.relu(self.depthwise(x))))


class Head(nn.Module):
    """Summed features to a policy, whose last weights are made from the whole board, and a value."""

    def __init__(self, features: int, channels: int, blocks: int) -> None:
        super().__init__()
        self.mix = nn.Conv2d(features, channels, 1)
        self.blocks = nn.ModuleList(Block(channels) for _ in range(blocks))
        self.board = nn.Linear(2 * channels, 64)
        self.policy = nn.Linear(64, channels)
        self.value = nn.Linear((2 + REGIONS) * channels, 64)
        self.wdl = nn.Linear(64, 3)

    def forward(self, sums: Tensor, regions: Tensor) -> Heads:
        """
        Judges summed features.

        sums: ``[B, H, W, features]``, not below 0; regions: see `regions`.
        """
        x = torch.relu(self.mix(sums.permute(0, 3, 1, 2)))
        for block in self.blocks:
            x = block(x)
        board = torch.cat([x.mean((2, 3)), x.amax((2, 3))], 1)
        points = x.flatten(2)
        weights = self.policy(torch.relu(self.board(board)))
        policy = torch.matmul(weights[:, None], points)[:, 0]
        value = torch.cat([board, torch.matmul(points, regions).flatten(1)], 1)
        return Heads(policy, self.wdl(torch.relu(self.value(value))))


class LineNet(nn.Module):
    """
    Codebook rows in, policy and value out, on a board of any size.

    Trained end to end: each batch evaluates the mapping network once for every different line in it.
    """

    inputs = "rows"

    def __init__(self, features: int, channels: int, blocks: int) -> None:
        super().__init__()
        self.mapping = Mapping(features)
        self.points = nn.Parameter(torch.zeros(ROWS - LINE_ROWS, features))
        self.head = Head(features, channels, blocks)
        rows, lines = canonical_rows()
        self.register_buffer("rows", torch.from_numpy(rows.astype(np.int64)), persistent=False)
        self.register_buffer("cells", torch.from_numpy(line_cells(lines)), persistent=False)
        self.regions: dict[int, Tensor] = {}

    def forward(self, rows: Tensor) -> Heads:
        """Judges ``[B, A, 5]`` codebook rows of square boards."""
        lines = self.rows[rows[..., :4].long()]
        used = torch.zeros(len(self.cells), dtype=torch.bool, device=rows.device)
        used[lines.flatten()] = True
        numbers = used.cumsum(0) - 1
        features = self.mapping(self.one_hot(self.cells[used]))
        table = torch.cat([features, self.points.to(features.dtype).clamp(-ROW_LIMIT, ROW_LIMIT)])
        places = torch.cat([numbers[lines], rows[..., 4:].long() - LINE_ROWS + len(features)], -1)
        sums = functional.embedding_bag(places.flatten(0, 1), table.float(), mode="sum")
        size = round(rows.shape[1] ** 0.5)
        if size not in self.regions:
            self.regions[size] = torch.from_numpy(regions(size, size)).to(rows.device)
        sums = torch.relu(sums).unflatten(0, (-1, size, size))
        return self.head(sums, self.regions[size])

    @staticmethod
    def one_hot(cells: Tensor) -> Tensor:
        """``[N, 11]`` cells (0 empty, 1 mine, 2 theirs, 3 beyond) to ``[N, 3, 11]``."""
        return torch.stack([cells == 1, cells == 2, cells == 3], 1).float()

    @torch.no_grad()
    def lend_points_to_caro(self) -> None:
        """Copies the points of freestyle and standard to the two caro rules, for a net that has seen none of these."""
        views = self.points.unflatten(0, (-1, POINT_ROWS))
        views[4:] = views[:2]

    @torch.no_grad()
    def codebook(self) -> tuple[Tensor, Tensor]:
        """The table before rounding: lines ``[canonical lines, features]`` and points ``[.., features]``, in steps."""
        lines = torch.cat([self.mapping(self.one_hot(part)) for part in self.cells.split(16_384)])
        return lines * (LEVELS / ROW_LIMIT), self.points.clamp(-ROW_LIMIT, ROW_LIMIT) * (LEVELS / ROW_LIMIT)
