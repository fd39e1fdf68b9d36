"""
The brain's two threads: the main one reads, the other thinks.

So END, STOP, INFO and ABOUT are obeyed in mid-thought, START begins a new game at once, and every other
line waits for its turn. A third thread wakes up while a thought lasts: it ends the thought at its deadline,
and, by looking at the deadline all the time, lets it know of stops by a signal, which are not thinking time.
"""

from __future__ import annotations

import os
import queue
import signal
import threading
import time
from collections import deque
from collections.abc import Iterator
from typing import Literal

from gomoku_bot import openings
from gomoku_bot.clock import Deadline
from gomoku_bot.engine import Engine
from gomoku_bot.notation import format_point, point_name
from gomoku_bot.protocol.piskvork import Thought
from gomoku_bot.protocol.yixin import YixinPiskvork
from gomoku_bot.search.base import Result

BEAT_SECONDS = 0.01
LONGEST_LINE = 4096
"""What a line has more than this is thrown away."""

REPORT_SECONDS = 0.5
LINE_MOVES = 8

STARTS = frozenset({"START", "RECTSTART", "RESTART"})
IN_THOUGHT = frozenset({"INFO", "ABOUT", *STARTS})


def read_lines(descriptor: int) -> Iterator[str]:
    """Yields lines from a file descriptor as they come; CR, LF and CR LF end one, so does the end of the file."""
    line = bytearray()
    while True:
        try:
            data = os.read(descriptor, 65536)
        except OSError:
            data = b""
        if not data:
            break
        for part in data.replace(b"\r", b"\n").splitlines(keepends=True):
            if len(line) < LONGEST_LINE:
                line += part
            if part.endswith(b"\n"):
                yield line[:LONGEST_LINE].decode("utf-8", "replace").strip()
                line.clear()
    if line:
        yield line[:LONGEST_LINE].decode("utf-8", "replace").strip()


class Loop:
    """Talks for a `YixinPiskvork` on two file descriptors until END."""

    def __init__(self, engine: Engine, source: int = 0, sink: int = 1) -> None:
        self.piskvork = YixinPiskvork(engine)
        self.engine = engine
        self.source, self.sink = source, sink
        self.stop = threading.Event()
        self.deadline = Deadline(0.0)
        self.began = 0.0
        self._answer_wanted = True
        self._writing = threading.Lock()
        self._state = threading.Lock()
        self._busy = False
        self._waiting: deque[str] = deque()
        self._thoughts: queue.SimpleQueue[Thought | Literal["load"] | None] = queue.SimpleQueue()
        self._idle = threading.Condition(self._state)
        self._first_thought = True

    def write(self, text: str) -> None:
        """Writes lines, each with one write."""
        with self._writing:
            for line in text.split("\n"):
                try:
                    os.write(self.sink, line.encode("ascii", "replace") + b"\n")
                except OSError:
                    self._end()

    def run(self) -> None:
        """Reads until END or the end of the input, then ends the process' work; returns when all is at rest."""
        thinker = threading.Thread(target=self._think_forever, daemon=True)
        if hasattr(signal, "SIGCONT") and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGCONT, self._continued)
            # The thinker and its threads do not take the signal: it must interrupt the reading thread.
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCONT])
            thinker.start()
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCONT])
        else:
            thinker.start()
        for line in read_lines(self.source):
            if self._receive(line):
                break
        self._end()
        thinker.join(0.5)

    def _receive(self, line: str) -> bool:
        """Takes one line; returns whether it was END."""
        received = time.monotonic()
        word = line.split(None, 1)[0].upper() if line else ""
        if word == "END":
            return True
        if word in ("STOP", "YXSTOP"):
            self.stop.set()
            return False
        with self._state:
            if self._busy and (self._waiting or word not in IN_THOUGHT):
                if word:
                    self._waiting.append(line)
                return False
            if self._busy and word in STARTS and not self._drop_thought(line):
                return False
            self._obey(line, received)
            if self._busy and word == "INFO":
                self._set_deadline()
        return False

    def _drop_thought(self, line: str) -> bool:
        """Ends the thought, its answer unsaid, for a new game; an impossible start is only answered."""
        try:
            self.piskvork.board_of_start(line)
        except ValueError as error:
            self.write(f"ERROR {error}")
            return False
        self._answer_wanted = False
        self.stop.set()
        while self._busy:
            self._idle.wait()
        return True

    def _obey(self, line: str, received: float) -> None:
        """Carries out one line; the caller holds the state."""
        answer = self.piskvork.obey(line)
        if isinstance(answer, Thought):
            self.began = received
            if self._first_thought:  # the start counts against the first move
                self.began -= time.process_time()
                self._first_thought = False
            self._set_deadline()
            self.stop.clear()
            self._answer_wanted = self._busy = True
            self._thoughts.put(answer)
        elif answer is not None:
            self.write(answer)
            if answer == "OK":
                self._thoughts.put("load")

    def _set_deadline(self) -> None:
        self.deadline.set(self.began + self.engine.clock.budget_seconds())

    def _think_forever(self) -> None:
        while True:
            thought = self._thoughts.get()
            if thought is None:
                return
            if thought == "load":
                self.engine.preload()
                continue
            threading.Thread(target=self._beat, daemon=True).start()
            text, result = self._think(thought)
            with self._state:
                if self._answer_wanted:
                    if result:
                        self.piskvork.play_own(result.move)
                    self.engine.clock.spent(time.monotonic() - self.began)
                    self.write(text)
                self.stop.set()
                self._busy = False
                self._idle.notify_all()
                while self._waiting and not self._busy:
                    self._obey(self._waiting.popleft(), time.monotonic())

    def _think(self, thought: Thought) -> tuple[str, Result | None]:
        """The lines to write, and the result if a move is to be played."""
        engine, position = self.engine, self.engine.position
        if thought.kind == "swap2":
            return self._swap2(), None
        last_report = time.monotonic()

        def report(result: Result) -> None:
            nonlocal last_report
            if self.piskvork.show_detail and time.monotonic() - last_report > REPORT_SECONDS:
                last_report = time.monotonic()
                self.write(f"MESSAGE {describe(result)}")

        result = engine.think(self.deadline, self.stop, report, position)
        lines = [f"DEBUG {engine.trouble}"] if engine.trouble else []
        if thought.best > 1:
            lines += [
                f"MESSAGE {i}. {point_name(m.move)} win {100 * m.win:.1f}% visits {m.visits} prior {m.prior:.3f}"
                for i, m in enumerate(result.moves[: thought.best], 1)
            ]
        elapsed = time.monotonic() - self.began
        lines.append(f"MESSAGE {describe(result)} time {1000 * elapsed:.0f} ms")
        lines.append(format_point(result.move))
        return "\n".join(line.encode("ascii", "replace").decode().replace("\n", " ") for line in lines), result

    def _swap2(self) -> str:
        engine, position = self.engine, self.engine.position
        if not position.moves:
            points = openings.propose(position, engine.evaluator(self.deadline), engine.rng)
        else:
            points = openings.answer(
                position,
                lambda: engine.think(self.deadline, self.stop, position=position).move,
                engine.evaluator(self.deadline),
            )
        return " ".join(map(format_point, points)) or "SWAP"

    def _beat(self) -> None:
        """Lives as long as one thought; tells it when its time is over."""
        while not self.stop.wait(max(0.001, min(BEAT_SECONDS, self.deadline.left()))):
            if self.deadline.left() <= 0:
                self.stop.set()

    def _continued(self, *_: object) -> None:
        """After SIGCONT: the time of the stop was not ours."""
        if self._busy:
            self.began += self.deadline.resumed()

    def _end(self) -> None:
        self._answer_wanted = False
        self.stop.set()
        self._thoughts.put(None)


def describe(result: Result) -> str:
    """One line for people: value, visits and the expected moves."""
    win, draw, _ = result.wdl
    line = " ".join(map(point_name, result.line[:LINE_MOVES]))
    proven = "proven " if result.proven else ""
    return f"{proven}win {100 * (win + draw / 2):.1f}% visits {result.visits} line {line}"
