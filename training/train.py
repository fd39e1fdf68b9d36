"""
Trains one network: ``python -m training.train RUN --data FOLDER --out FOLDER``.

A checkpoint is written every few minutes and on Ctrl-C; the same command goes on from it.
The held-out figures go to ``OUT/RUN.csv`` and, at the end, into ``OUT/RUN.pt`` beside the weights.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.optim.swa_utils import AveragedModel

from training.curves import append_row
from training.data import Batch, Games, load, training_batches, whole_batches
from training.runs import RUNS, Run
from training.targets import errors, masked, ordered

REPORT_STEPS = 250
TEST_POSITIONS = 4_000
"""At most so many held-out positions of each file; the evaluation at the end takes all."""


def computes_bfloat16(device: str) -> bool:
    """Whether *device* multiplies bfloat16 itself (a processor without AVX512 is 20 times slower with it)."""
    if device == "cuda":
        return torch.cuda.is_bf16_supported()
    return "AVX512" in torch.backends.cpu.get_cpu_capability()


def loss(run: Run, network: nn.Module, batch: Batch, device: str) -> Tensor:
    """The errors of all heads added; the network computes in bfloat16 where the device `computes_bfloat16`."""
    with torch.autocast(device, torch.bfloat16, enabled=computes_bfloat16(device)):
        heads = network(torch.from_numpy(batch.inputs).to(device))
        return sum(errors(run, network, heads, batch), torch.zeros((), device=device))


@torch.no_grad()
def test(run: Run, network: nn.Module, sets: list[Games], device: str, most: int) -> dict[str, float]:
    """
    Held-out figures over all positions, decided ones too: cross-entropy with the teacher's move, top-1 and top-5
    (policy); log-loss of the result, how often it is called right, and `ordered` (value); the losses trained on.
    """
    network.eval()
    sums: dict[str, float] = {}
    count = 0
    for batch in whole_batches(sets, 500, most, network.inputs):
        heads = network(torch.from_numpy(batch.inputs).to(device))
        size = len(batch.move)
        figures = {"loss": sum(errors(run, network, heads, batch))}
        if heads.policy is not None:
            policy, move = masked(heads.policy, batch).cpu(), torch.from_numpy(batch.move)
            best = policy.topk(5).indices == move[:, None]
            figures |= {"policy_loss": functional.cross_entropy(policy, move)}
            figures |= {"top1": best[:, 0].float().mean(), "top5": best.any(1).float().mean()}
        if heads.value is not None:
            value, result = heads.value.float().cpu(), torch.from_numpy(batch.value)
            right = value.argmax(1) == result.argmax(1)
            figures |= {"result_loss": functional.cross_entropy(value, result), "result_right": right.float().mean()}
            figures |= {"ordered": ordered(value.softmax(1), result)}
        for name, figure in figures.items():
            sums[name] = sums.get(name, 0.0) + float(figure) * size
        count += size
    network.train()
    return {name: total / count for name, total in sums.items()}


def train(
    run: Run, name: str, sets: list[Games], held_out: list[Games], out: Path, *, shares: Sequence[float] = (),
    start: dict[str, Tensor] | None = None, minutes_between: float = 3,
) -> bool:  # fmt: skip
    """
    Trains *run* to its last step and writes ``out/NAME.pt``; goes on from ``out/NAME.checkpoint``.

    shares: of each set in the batches; by default, by their positions. start: first weights; default: random ones.
    Returns False if Ctrl-C has stopped it.

    :raises: `ValueError` if the checkpoint belongs to another run.
    """
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(run.seed)
    out.mkdir(parents=True, exist_ok=True)
    network = run.build().to(device, memory_format=torch.channels_last)
    if start:
        network.load_state_dict(start)
    average = AveragedModel(network, use_buffers=True)
    optimizer = torch.optim.AdamW(network.parameters(), run.learning_rate, weight_decay=run.weight_decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, run.learning_rate, run.steps, pct_start=0.1)
    checkpoint, step, seconds = out / f"{name}.checkpoint", 0, 0.0
    parts: dict[str, Any] = {
        "network": network, "average": average, "optimizer": optimizer, "schedule": schedule,
    }  # fmt: skip
    if checkpoint.exists():
        saved = torch.load(checkpoint, weights_only=False)
        if saved["run"] != asdict(run):
            raise ValueError(f"{checkpoint} belongs to another run: {saved['run']}")
        for key, part in parts.items():
            part.load_state_dict(saved[key])
        step, seconds = saved["step"], saved["seconds"]

    def save() -> None:
        state = {key: part.state_dict() for key, part in parts.items()}
        temporary = checkpoint.with_suffix(".tmp")
        torch.save(state | {"run": asdict(run), "step": step, "seconds": seconds}, temporary)
        temporary.replace(checkpoint)

    rng = np.random.default_rng([run.seed, step])
    batches = training_batches(sets, run.batch_size, rng, network.inputs, shares)
    print(f"{name}: {sum(map(len, sets)):,} positions, {sum(map(len, held_out)):,} held out, on {device}")
    began = last_save = time.monotonic()
    running = waited = 0.0
    try:
        while step < run.steps:
            asked = time.monotonic()
            batch = next(batches)
            waited += time.monotonic() - asked
            optimizer.zero_grad(set_to_none=True)
            error = loss(run, network, batch, device)
            error.backward()
            optimizer.step()
            schedule.step()
            step += 1
            if step >= run.average_from * run.steps:
                average.update_parameters(network)
            running += error.item()
            now = time.monotonic()
            seconds, began = seconds + now - began, now
            if step % REPORT_STEPS == 0 or step == run.steps:
                figures = test(run, network, held_out, device, TEST_POSITIONS // 8)
                report(out / f"{name}.csv", step, run, seconds, running / REPORT_STEPS, waited, figures)
                running = waited = 0.0
            if now - last_save > 60 * minutes_between:
                save()
                last_save = now
    except KeyboardInterrupt:
        save()
        print(f"stopped at step {step}; the same command goes on")
        return False
    save()
    figures = {games.name: test(run, average.module, [games], device, len(games)) for games in held_out}
    result = {
        "run": asdict(run), "weights": average.module.state_dict(), "seconds": seconds, "held_out": figures,
        "positions": sum(map(len, sets)), "held_out_positions": sum(map(len, held_out)),
    }  # fmt: skip
    torch.save(result, out / f"{name}.pt")
    for key, row in figures.items():
        print(key, {figure: round(number, 4) for figure, number in row.items()})
    return True


def report(
    path: Path, step: int, run: Run, seconds: float, train_loss: float, waited: float, held_out: dict[str, float]
) -> None:
    """Appends one line to the curve and prints it; *waited* is the time spent waiting for data."""
    row = {"step": step, "seconds": round(seconds), "train_loss": round(train_loss, 4)}
    row |= {name: round(figure, 4) for name, figure in held_out.items()} | {"waited": round(waited, 1)}
    append_row(path, row)
    left = seconds / step * (run.steps - step)
    print(f"{row}  {left / 60:.0f} min left", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", choices=RUNS)
    parser.add_argument("--data", type=Path, required=True, help="folder of the teacher's games")
    parser.add_argument("--out", type=Path, default=Path("runs"), help="checkpoints and curves")
    arguments = parser.parse_args()
    run = RUNS[arguments.run]
    sets, held_out = (load(arguments.data, run.sets, held_out=held) for held in (False, True))
    train(run, arguments.run, sets, held_out, arguments.out)


if __name__ == "__main__":
    main()
