"""A real brain in a real process, and dialogues with it: ``>`` is sent, ``<`` must come back."""

from __future__ import annotations

import queue
import re
import subprocess
import threading
import time
from collections.abc import Sequence

from gomoku_bot.arena.brain import own_brain

POINT = re.compile(r"\d+,\d+")
PATIENCE = 30.0


class Process:
    """The installed ``pbrain-gomoku-bot``; standard error is kept apart, to see that it stays silent."""

    def __init__(self, arguments: Sequence[str] = (), command: Sequence[str] | None = None) -> None:
        self.process = subprocess.Popen(
            [*(command or own_brain()), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.lines: queue.Queue[bytes] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(b"")

    def send(self, data: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def line(self, seconds: float = PATIENCE) -> str:
        """The next line that is no MESSAGE and no DEBUG."""
        while True:
            raw = self.lines.get(timeout=seconds)
            assert raw, "the brain has ended"
            assert raw.isascii()
            assert raw.endswith(b"\n")
            text = raw.decode().strip()
            if not text.startswith(("MESSAGE", "DEBUG")):
                return text

    def quiet(self, seconds: float = 0.15) -> bool:
        """Whether nothing comes for a while."""
        try:
            self.line(seconds)
        except queue.Empty:
            return True
        return False

    def talk(self, script: str, end: bytes = b"\r\n") -> list[str]:
        """
        Plays a script. ``< point`` expects a move, ``< ...text`` a line that begins so, ``< -`` nothing.

        Returns the moves that came.
        """
        moves = []
        for number, raw in enumerate(script.strip().splitlines(), 1):
            side, _, text = raw.strip().partition(" ")
            if side == ">":
                self.send(text.encode() + end)
            elif text == "-":
                assert self.quiet(), f"line {number}: an answer to nothing"
            else:
                answer = self.line()
                if text == "point":
                    assert POINT.fullmatch(answer), f"line {number}: {answer}"
                    moves.append(answer)
                elif text.endswith("..."):
                    assert answer.startswith(text[:-3]), f"line {number}: {answer!r} is not {text!r}"
                else:
                    assert answer == text, f"line {number}: {answer!r} is not {text!r}"
        return moves

    def end(self) -> tuple[float, str]:
        """Sends END; returns the seconds until the process was gone, and what it wrote on standard error."""
        began = time.monotonic()
        try:
            self.send(b"END\r\n")
        except BrokenPipeError:
            pass
        self.process.wait(PATIENCE)
        seconds = time.monotonic() - began
        assert self.process.stderr
        return seconds, self.process.stderr.read().decode()

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe:
                pipe.close()
