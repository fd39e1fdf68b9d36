"""A brain in a process of its own, with a clock and a memory limit."""

from __future__ import annotations

import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gomoku_bot.notation import Point

KEPT_LINES = 20
LONGEST_LINE = 4096
MOST_WAITING = 10_000
"""Lines of a brain that floods its output are kept so far, then dropped."""

START_SECONDS = 60.0
"""Time to answer START."""

ABOUT_SECONDS = 1.0
"""Time to answer ABOUT; a brain that does not has no version."""

END_SECONDS = 1.0
POLL_SECONDS = 0.1

MOVE = re.compile(r"\s*(-?\d+)\s*,\s*(-?\d+)\s*")
IGNORED = ("message", "debug", "ok", "error", "unknown", "info")


class BrainError(Exception):
    """A brain has lost by its own doing; *reason* is one word for the record."""

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason


class Stopped(Exception):
    """Whoever wanted the answer wants it no more."""


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """What the judge allows; 0 means no limit."""

    turn_ms: int = 1_000
    match_ms: int = 0
    tolerance_ms: int = 1_000
    memory_bytes: int = 350_000_000
    """Told to the brains, and enforced after every answer: private memory of the process and its children."""

    max_nodes: int = 0
    suspend: bool = False
    """Whether a brain is stopped while it is not its turn, as the tournament's judge does."""


def own_brain() -> tuple[str, ...]:
    """The command of this very installation's brain."""
    script = Path(sys.executable).with_name("pbrain-gomoku-bot" + (".exe" if os.name == "nt" else ""))
    return (str(script),) if script.exists() else (sys.executable, "-m", "gomoku_bot")


@dataclass(frozen=True)
class Reply:
    """A brain's move."""

    point: Point
    seconds: float
    messages: tuple[str, ...]


class Brain:
    """Starts a command and speaks the protocol with it; use it as a context manager."""

    def __init__(
        self, command: Sequence[str], conditions: Conditions, folder: Path | None = None,
        stop: threading.Event | None = None,
    ) -> None:  # fmt: skip
        """
        folder: where the process works, by default here. stop: ends every wait for an answer by `Stopped`.

        :raises: `BrainError` if the process cannot be started.
        """
        self.conditions = conditions
        self._stop = stop or threading.Event()
        self.last_lines: deque[str] = deque(maxlen=KEPT_LINES)
        self.used_ms = 0.0
        self.peak_bytes = 0
        self._late_about = False
        self._lines: queue.Queue[str | None] = queue.Queue()
        try:
            self._process = subprocess.Popen(
                list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                cwd=folder, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise BrainError("crash", f"{command[0]} cannot be started: {error}") from None
        threading.Thread(target=self._read, daemon=True).start()

    @property
    def pid(self) -> int:
        """The process' number."""
        return self._process.pid

    def __enter__(self) -> Brain:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self, width: int, height: int, rule: int, folder: Path | None = None) -> None:
        """
        Begins a game and tells the conditions.

        :raises: `BrainError` if the answer is not ``OK`` in time.
        """
        c = self.conditions
        self.used_ms = 0.0
        self.send(f"START {width}" if width == height else f"RECTSTART {width},{height}")
        deadline = time.monotonic() + START_SECONDS
        while True:
            line = self._next_line(deadline, "START")
            if line.upper() == "OK":
                break
            if line.upper().startswith("ERROR"):
                raise BrainError("crash", f"START {width}x{height} is answered {line}")
        infos = {
            "timeout_turn": c.turn_ms, "timeout_match": c.match_ms, "max_memory": c.memory_bytes, "game_type": 1,
            "rule": rule, "max_node": c.max_nodes, "folder": folder,
        }  # fmt: skip
        for key, value in infos.items():
            if value is not None and (key != "max_node" or value):
                self.send(f"INFO {key} {value}")
        self._suspend()

    def about(self) -> str:
        """What the brain says of itself, empty if nothing in time; to be asked after `start`."""
        self._resume()
        self.send("ABOUT")
        deadline = time.monotonic() + ABOUT_SECONDS
        try:
            while True:
                line = self._next_line(deadline, "ABOUT")
                if "=" in line and not line.lower().startswith(IGNORED):
                    return line
        except BrainError:
            self._late_about = True
            return ""
        finally:
            self._suspend()

    def move(self, request: Sequence[str]) -> Reply:
        """
        Sends *request* (the lines of ``BOARD`` or ``TURN``) and waits for the move.

        :raises: `BrainError` when time is over, the process ends, or the answer is nonsense.
        """
        c = self.conditions
        allowed = float(c.turn_ms)
        if c.match_ms:
            allowed = min(allowed, c.match_ms - self.used_ms)
        self._resume()
        left = int(c.match_ms - self.used_ms) if c.match_ms else 2147483647
        began = time.monotonic()
        self.send("\r\n".join([f"INFO time_left {left}", *request]))
        messages = []
        while True:
            line = self._next_line(began + (allowed + c.tolerance_ms) / 1000, request[0])
            match = MOVE.fullmatch(line)
            if match:
                break
            if self._late_about and "=" in line:
                self._late_about = False
            elif not line.lower().startswith(IGNORED):
                raise BrainError("illegal", f"{request[0]} is answered {line[:80]!r}")
            messages.append(line)
        seconds = time.monotonic() - began
        self.used_ms += 1000 * seconds
        self._check_memory()
        self._suspend()
        return Reply((int(match[1]), int(match[2])), seconds, tuple(messages))

    def send(self, line: str) -> None:
        """Writes a line; a closed pipe shows when the answer is awaited."""
        assert self._process.stdin
        try:
            self._process.stdin.write(line.encode() + b"\r\n")
            self._process.stdin.flush()
        except OSError:
            pass

    def close(self) -> None:
        """END, then whatever it takes."""
        self._resume()
        self.send("END")
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            pass
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            try:
                if pipe:
                    pipe.close()
            except OSError:
                pass

    def _read(self) -> None:
        assert self._process.stdout
        descriptor = self._process.stdout.fileno()
        rest = b""
        while True:
            try:
                data = os.read(descriptor, 65536)
            except (OSError, ValueError):
                data = b""
            if not data:
                break
            *lines, rest = (rest + data).replace(b"\r", b"\n").split(b"\n")
            rest = rest[:LONGEST_LINE]
            for raw in lines:
                line = raw[:LONGEST_LINE].decode("ascii", "replace").strip()
                if line and self._lines.qsize() < MOST_WAITING:
                    self.last_lines.append(line)
                    self._lines.put(line)
        self._lines.put(None)

    def _next_line(self, deadline: float, asked: str) -> str:
        line: str | None = ""
        while not line:
            if self._stop.is_set():
                raise Stopped
            left = deadline - time.monotonic()
            try:
                line = self._lines.get(timeout=max(0.0, min(left, POLL_SECONDS)))
            except queue.Empty:
                if left <= 0:
                    break
                continue
            if line is None:
                break
        if line is None:
            raise BrainError("crash", f"the process ended before it answered {asked}")
        if not line or time.monotonic() > deadline:
            raise BrainError("time", f"no answer to {asked} in time")
        return line

    def _suspend(self) -> None:
        if self.conditions.suspend:
            self._signal(signal.SIGSTOP)

    def _resume(self) -> None:
        if self.conditions.suspend:
            self._signal(signal.SIGCONT)

    def _signal(self, number: int) -> None:
        try:
            os.kill(self._process.pid, number)
        except ProcessLookupError:
            pass

    def _check_memory(self) -> None:
        if not self.conditions.memory_bytes:
            return
        self.peak_bytes = max(self.peak_bytes, private_bytes(self._process.pid))
        if self.peak_bytes > self.conditions.memory_bytes:
            raise BrainError("memory", f"{self.peak_bytes:,} bytes are more than {self.conditions.memory_bytes:,}")


def private_bytes(pid: int) -> int:
    """Memory that only this process and its children hold (USS); 0 where it cannot be read."""
    total = 0
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith(("Private_Clean:", "Private_Dirty:")):
                total += 1024 * int(line.split()[1])
        for task in Path(f"/proc/{pid}/task").iterdir():
            total += sum(private_bytes(int(child)) for child in (task / "children").read_text().split())
    except (OSError, ValueError):
        pass
    return total
