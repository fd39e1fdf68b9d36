"""``pbrain-gomoku-bot --selfcheck``: is this installation whole, and how fast is it here?"""

from __future__ import annotations

import hashlib
import json
import platform
import sys
import threading
import time
from collections.abc import Iterator

import numpy as np

from gomoku_bot.core.position import Position
from gomoku_bot.engine import Engine
from gomoku_bot.evaluator import catalog
from gomoku_bot.notation import format_point, parse_position
from gomoku_bot.rules import Rule
from gomoku_bot.search.base import Limits
from gomoku_bot.search.puct import PuctSearch
from gomoku_bot.version import __version__

TASKS = (
    ("h8a1i8c1j8e1k8g1", "freestyle", "g8 l8"),
    ("h8i8a1j8c1k8e1l8", "freestyle", "m8"),
    ("a1h8c1i8e1j8", "freestyle", "f8 g8 k8 l8"),
    ("h8a1i8c1j8e1k8g1m8a15", "standard", "g8"),
    ("h8a1i8c1j8e1l8a15m8g1", "freestyle", "k8"),
    ("h8a1i8b3j8d1g9f1g10o1", "renju", "g8 k8 f8"),
    ("j8g10g6f8i6h5g9f9h6f6f7i7e8j5e6e7g5g8g4g3f5h3e4d3e3d4e5e2", "freestyle", "proven"),
    ("c4d5h5d6f6c5f5d7d4e7b4e4f3f7g7d9d8e5f4f2e8b7c7", "caro_exact", ""),
    ("h8i9i7g9j8g8j9h6j7j10k7h7j5j6l7m7k8i10n5m6l8i8m8n8", "freestyle", "k6"),
    ("h8g8i8", "caro", ""),
)
"""Position, rule, and the moves that are right; ``proven``: any that is seen to win; none: any legal move."""


def lines() -> Iterator[tuple[str, bool]]:
    """Yields what was found, line by line, and whether it is as it should be."""
    machine = f"{platform.system()} {platform.machine()}"
    yield f"gomoku-bot {__version__}, Python {platform.python_version()}, {machine}", True
    try:
        import onnxruntime

        provider = onnxruntime.get_available_providers()
        yield f"numpy {np.__version__}, onnxruntime {onnxruntime.__version__} on {', '.join(provider)}", True
        yield from _nets()
        evaluator = catalog.load()
    except Exception as error:
        yield f"networks: {type(error).__name__}: {error}", False
        return
    engine = Engine(load_evaluator=lambda: evaluator)
    for number, (game, rule, right) in enumerate(TASKS, 1):
        yield _task(engine, number, game, Rule.from_name(rule), right)
    position = Position.from_moves(parse_position("k11j10l10m11"), 20, 20)
    began = time.perf_counter()
    visits = PuctSearch(evaluator).think(position, Limits(visits=4_000), threading.Event(), lambda _: None).visits
    yield f"speed {visits / (time.perf_counter() - began):,.0f} playouts/s, 20x20", True
    yield f"memory {_memory() / 1e6:.0f} MB at its peak", True


def _nets() -> Iterator[tuple[str, bool]]:
    """Every file that the default network's card names, with its hash."""
    folder = catalog.nets_folder()
    card = json.loads((folder / f"{catalog.DEFAULT_NET}.json").read_text())
    for name, said in card["sha256"].items():
        found = hashlib.sha256((folder / name).read_bytes()).hexdigest()
        whole = "as its card says" if found == said else f"but its card says {said}"
        yield f"{folder / name}: sha256 {found}, {whole}", found == said


def _task(engine: Engine, number: int, game: str, rule: Rule, right: str) -> tuple[str, bool]:
    engine.position = Position.from_moves(parse_position(game), 15, 15, rule)
    engine.max_visits = 200
    result = engine.think()
    good = not engine.trouble and result.move in engine.position.legal_moves()
    if right == "proven":
        good &= result.proven and result.wdl[0] == 1
    elif right:
        good &= result.move in [parse_position(point)[0] for point in right.split()]
    told = f"{rule.name.lower()}, {game} -> {format_point(result.move)}"
    return f"position {number}: {told}{' ' + engine.trouble if engine.trouble else ''}", good


def _memory() -> int:
    """Peak bytes of this process; 0 where the system does not say."""
    if sys.platform == "win32":
        import ctypes
        from ctypes import wintypes

        class Counters(ctypes.Structure):
            """PROCESS_MEMORY_COUNTERS of Windows' psapi."""

            _fields_ = (
                ("size", wintypes.DWORD), ("faults", wintypes.DWORD), ("peak", ctypes.c_size_t),
                *((f"other{i}", ctypes.c_size_t) for i in range(7)),
            )  # fmt: skip

        counters = Counters(size=ctypes.sizeof(Counters))
        kernel = ctypes.windll.kernel32
        kernel.GetCurrentProcess.restype = ctypes.c_void_p
        ask = kernel.K32GetProcessMemoryInfo
        ask.argtypes = (ctypes.c_void_p, ctypes.POINTER(Counters), wintypes.DWORD)
        return int(counters.peak) if ask(kernel.GetCurrentProcess(), ctypes.byref(counters), counters.size) else 0
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def main() -> int:
    """Prints the lines, ``ok`` or ``WRONG`` before each; returns the exit status."""
    wrong = 0
    for line, good in lines():
        print(f"{'ok   ' if good else 'WRONG'} {line}", flush=True)
        wrong += not good
    print("all is well" if not wrong else f"{wrong} things are wrong")
    return min(wrong, 1)
