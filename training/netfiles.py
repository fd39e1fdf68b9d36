"""Networks as bytes, so that they can be sent to wherever games are played."""

from __future__ import annotations

import hashlib
import tempfile
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from gomoku_bot.evaluator import catalog
from gomoku_bot.evaluator.joint_nets import JointNet

PARTS = (".onnx", ".npz")


@dataclass(frozen=True)
class NetFiles:
    """The files of one line or residual net."""

    name: str
    files: tuple[tuple[str, bytes], ...]

    @classmethod
    def read(cls, path: Path | None = None) -> NetFiles:
        """
        Takes ``NAME.onnx`` and the codebook beside it; without a *path*, the shipped net.

        :raises: `OSError` if there is no such file.
        """
        path = path or catalog.nets_folder() / f"{catalog.DEFAULT_NET}.onnx"
        parts = [path.with_suffix(suffix) for suffix in PARTS]
        return cls(path.stem, tuple((p.suffix, p.read_bytes()) for p in parts if p == path or p.is_file()))

    @cached_property
    def digest(self) -> str:
        """Equal for equal files."""
        return hashlib.sha256(b"".join(data for _, data in self.files)).hexdigest()

    def load(self) -> JointNet:
        """The net on one thread; the latest ones are kept."""
        return _load(self)

    def __hash__(self) -> int:
        return hash(self.digest)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NetFiles) and self.digest == other.digest


@lru_cache(maxsize=2)
def _load(net: NetFiles) -> JointNet:
    with tempfile.TemporaryDirectory() as folder:
        for suffix, data in net.files:
            (Path(folder) / f"{net.name}{suffix}").write_bytes(data)
        loaded = catalog.load(1, Path(folder), net.name)
    assert isinstance(loaded, JointNet)
    return loaded
