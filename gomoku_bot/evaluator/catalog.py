"""The shipped networks by name."""

from __future__ import annotations

import sys
from pathlib import Path

from gomoku_bot.evaluator.base import Evaluator

DEFAULT_NET = "line"


def nets_folder() -> Path:
    """The folder of the shipped networks: beside an executable, inside the installed package, or in a checkout."""
    if getattr(sys, "frozen", False):
        beside = Path(sys.executable).parent / "nets"
        return beside if beside.is_dir() else Path(sys._MEIPASS) / "nets"  # type: ignore[attr-defined]
    package = Path(__file__).resolve().parents[1]
    installed = package / "nets"
    return installed if installed.is_dir() else package.parent / "nets"


def load(threads: int | None = None, folder: Path | None = None, net: str = DEFAULT_NET) -> Evaluator:
    """
    The evaluator called *net*, for every rule and board; ONNX Runtime is imported here, not before.

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
        return (LineNet if joint.with_suffix(".npz").is_file() else ResidualNet)(joint, threads)
    for file in pair:
        if not file.is_file():
            raise FileNotFoundError(f"the network {joint} is missing, and so is {file}")
    return StoneNets(*pair, threads)
