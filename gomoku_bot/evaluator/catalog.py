"""Which network plays which rule."""

from __future__ import annotations

from pathlib import Path

from gomoku_bot.evaluator.base import Evaluator


def nets_folder() -> Path:
    """The folder of the shipped networks: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parents[1]
    installed = package / "nets"
    return installed if installed.is_dir() else package.parent / "nets"


def load(threads: int | None = None, folder: Path | None = None) -> Evaluator:
    """
    The evaluator of every rule and board; ONNX Runtime is imported here, not before.

    :raises: `OSError` that names a missing file, or ONNX Runtime's error for a broken one.
    """
    from gomoku_bot.evaluator.session import PlaneNets

    folder = folder or nets_folder()
    policy, value = folder / "policy-l5.onnx", folder / "value-l5.onnx"
    for file in (policy, value):
        if not file.is_file():
            raise FileNotFoundError(f"the network {file} is missing")
    return PlaneNets(policy, value, threads)
