"""What networks learn: the cross-entropy of each head, and other teachers for a value network."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from training.data import Batch
from training.networks import ClassNet, Heads
from training.runs import Run


def errors(run: Run, network: nn.Module, heads: Heads, batch: Batch) -> Iterator[Tensor]:
    """The weighted mean error of each head that the network has, the policy's first."""
    weight = torch.from_numpy(np.where(batch.decided, run.decided_weight, 1.0).astype(np.float32))
    if heads.policy is not None:
        target = torch.from_numpy(batch.policy if run.soft_policy else batch.move).to(heads.policy.device)
        error = functional.cross_entropy(masked(heads.policy, batch), target, reduction="none")
        lost = torch.from_numpy(batch.value[:, 2] == 1)
        yield _mean(error, torch.where(lost, run.lost_weight, 1.0) * weight)
    if heads.value is None:
        return
    if run.value_target == "comparison":
        yield _comparison(network, heads.value.float(), batch)
    elif run.value_target == "classes":
        assert heads.classes is not None
        target = torch.bucketize(torch.from_numpy(batch.teacher), torch.tensor(ClassNet.BOUNDS))
        error = functional.cross_entropy(heads.classes.float(), target.to(heads.value.device), reduction="none")
        yield _mean(error, weight)
    elif run.value_target == "regression":
        win = (heads.value.float().softmax(1) * heads.value.new_tensor([1.0, 0.5, 0.0], dtype=torch.float32)).sum(1)
        yield _mean((win - torch.from_numpy(batch.teacher).to(win.device)) ** 2, weight)
    else:
        target = _mixed(run, batch).to(heads.value.device)
        yield _mean(functional.cross_entropy(heads.value.float(), target, reduction="none"), weight)


def masked(policy: Tensor, batch: Batch) -> Tensor:
    """Move logits ``[B, A]`` with those of taken points far below the rest."""
    return policy.float().masked_fill(~torch.from_numpy(batch.empty).to(policy.device), -1e9)


def ordered(value: Tensor, result: Tensor) -> float:
    """
    How likely a position that was won has a better value than one that was lost (the area under the ROC curve).

    value, result: ``[B, 3]``, win, draw and loss; 1/2 is chance.
    """
    score = value[:, 0] - value[:, 2]
    won, lost = score[result[:, 0] == 1], score[result[:, 2] == 1]
    differences = won[:, None] - lost[None, :]
    return float(((differences > 0).float() + (differences == 0).float() / 2).mean()) if differences.numel() else 0.5


def _mean(error: Tensor, weight: Tensor) -> Tensor:
    weight = weight.to(error.device)
    return (error * weight).sum() / weight.abs().sum()


def _mixed(run: Run, batch: Batch) -> Tensor:
    """Win, draw and loss ``[B, 3]``: a share of the teacher's probabilities, the rest of the game's result."""
    teacher = np.stack([batch.teacher, np.zeros_like(batch.teacher), 1 - batch.teacher], 1)
    return torch.from_numpy(run.teacher_share * teacher + (1 - run.teacher_share) * batch.value)


def _comparison(network: nn.Module, value: Tensor, batch: Batch) -> Tensor:
    """
    A position that was won above one that was lost, and the enemy better off after a random move than after the played.

    Both as RankNet has it (C. Burges et al., *Learning to rank using gradient descent*, 2005).
    """
    score = value[:, 0] - value[:, 2]
    won, lost = (torch.from_numpy(np.flatnonzero(batch.value[:, outcome])).to(score.device) for outcome in (0, 2))
    pairs = min(len(won), len(lost))
    error = functional.softplus(score[lost[:pairs]] - score[won[:pairs]]).sum()
    stones = torch.from_numpy(batch.inputs)
    likely = torch.rand(batch.empty.shape) * torch.from_numpy(batch.empty)
    after = []
    for move in (likely.argmax(1), torch.from_numpy(batch.move)):
        own = stones[:, 0].flatten(1).scatter(1, move[:, None], 1.0).unflatten(1, stones.shape[2:])
        after.append(torch.stack([stones[:, 1], own], 1).to(score.device))
    enemy = network(torch.cat(after)).value.float()
    random, played = (enemy[:, 0] - enemy[:, 2]).chunk(2)
    return (error + functional.softplus(played - random).sum()) / (pairs + len(played))
