"""The shipped networks by name."""

from __future__ import annotations

import sys
from pathlib import Path

from gomoku_bot.evaluator.base import Evaluator

DEFAULT_NET = "line"
PROVIDERS = {
    "cpu": "CPUExecutionProvider",
    "cuda": "CUDAExecutionProvider",
    "directml": "DmlExecutionProvider",
    "openvino": "OpenVINOExecutionProvider",
}
"""What may compute a network, by our name and ONNX Runtime's; all but the first need another build of it."""

BATCHES = "batches.txt"
BATCH_SIZES = (2, 4, 8, 16, 32, 64, 128, 256)


def nets_folder() -> Path:
    """The folder of the shipped networks: beside an executable, inside the installed package, or in a checkout."""
    if getattr(sys, "frozen", False):
        beside = Path(sys.executable).parent / "nets"
        return beside if beside.is_dir() else Path(sys._MEIPASS) / "nets"  # type: ignore[attr-defined]
    package = Path(__file__).resolve().parents[1]
    installed = package / "nets"
    return installed if installed.is_dir() else package.parent / "nets"


def saved_batches() -> dict[str, int]:
    """The batch sizes that ``gomoku-bot bench --save`` has found, by provider; other lines do not count."""
    file = nets_folder() / BATCHES
    known = {str(size): size for size in BATCH_SIZES}
    lines = [line.split() for line in file.read_text().splitlines()] if file.is_file() else []
    return {line[0]: known[line[1]] for line in lines if len(line) == 2 and line[1] in known}


def save_batch(provider: str, batch: int) -> Path:
    """Keeps a batch size for later; raises `OSError` where the installation may not be written to."""
    file = nets_folder() / BATCHES
    file.write_text("".join(f"{name} {size}\n" for name, size in {**saved_batches(), provider: batch}.items()))
    return file


def load(
    threads: int | None = None, folder: Path | None = None, net: str = DEFAULT_NET, provider: str = "cpu"
) -> Evaluator:
    """
    The evaluator called *net*, for every rule and board; ONNX Runtime is imported here, not before.

    provider: a name in `PROVIDERS`.

    A file ``NET.onnx`` with a codebook ``NET.npz`` beside it is a line net, without one a residual net;
    ``policy-NET.onnx`` and ``value-NET.onnx`` are a pair of nets that see stones.

    :raises: `OSError` that names a missing file, or ONNX Runtime's error for a broken one.
    """
    from gomoku_bot.evaluator.joint_nets import LineNet, ResidualNet
    from gomoku_bot.evaluator.stone_nets import StoneNets

    folder = folder or nets_folder()
    joint = folder / f"{net}.onnx"
    pair = folder / f"policy-{net}.onnx", folder / f"value-{net}.onnx"
    if joint.is_file():
        return (LineNet if joint.with_suffix(".npz").is_file() else ResidualNet)(joint, threads, provider)
    for file in pair:
        if not file.is_file():
            raise FileNotFoundError(f"the network {joint} is missing, and so is {file}")
    return StoneNets(*pair, threads, provider)
