"""Networks in ONNX Runtime."""

from __future__ import annotations

import os
from pathlib import Path

import onnxruntime

from gomoku_bot.evaluator.catalog import PROVIDERS


def allowed_cores() -> int:
    """How many processor cores this process may use: the tournament pins it to one of many."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    import ctypes

    process_mask, system_mask = ctypes.c_size_t(), ctypes.c_size_t()
    kernel = ctypes.windll.kernel32  # type: ignore[attr-defined]
    kernel.GetCurrentProcess.restype = ctypes.c_void_p
    done = kernel.GetProcessAffinityMask(
        ctypes.c_void_p(kernel.GetCurrentProcess()), ctypes.byref(process_mask), ctypes.byref(system_mask)
    )
    return bin(process_mask.value).count("1") if done else os.cpu_count() or 1


def missing(provider: str) -> str:
    """Why *provider* will not be used; empty if it will."""
    available = onnxruntime.get_available_providers()
    if PROVIDERS[provider] in available:
        return ""
    return f"this ONNX Runtime has no {provider}, only {', '.join(available)}: the CPU computes"


def open_session(path: Path, threads: int | None = None, provider: str = "cpu") -> onnxruntime.InferenceSession:
    """
    Loads a network for a provider of `catalog.PROVIDERS`, or for the CPU if that is `missing`.

    threads: of the CPU; by default as many as the process may use cores.

    Threads do not spin while they wait, so that a brain is at rest between moves.

    :raises: whatever ONNX Runtime raises for a missing or broken file.
    """
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads or allowed_cores()
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_session_config_entry("session.inter_op.allow_spinning", "0")
    providers = (
        [PROVIDERS["cpu"]] if missing(provider) else list(dict.fromkeys([PROVIDERS[provider], PROVIDERS["cpu"]]))
    )
    return onnxruntime.InferenceSession(str(path), options, providers=providers)
