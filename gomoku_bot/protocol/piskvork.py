"""
The protocol, one method a command; what a method returns is what the manager reads.

A method changes nothing before it knows that the command can be carried out. Thinking is left to the
caller (`protocol.loop`): a method that needs a move returns a `Thought`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from gomoku_bot.clock import UNLIMITED_MS
from gomoku_bot.core.position import Point, Position
from gomoku_bot.engine import Engine
from gomoku_bot.notation import format_point, parse_point
from gomoku_bot.rules import CONTINUOUS, Rule
from gomoku_bot.version import __version__

ABOUT = f'name="gomoku_bot", version="{__version__}", author="the gomoku_bot developers", country="Earth"'

ECHO = 80
"""An unknown line is answered with so many of its characters."""


@dataclass(frozen=True)
class Thought:
    """Work for the thinking thread: find a move, or answer in swap2."""

    kind: Literal["move", "swap2"] = "move"
    best: int = 1
    """How many moves to tell of (multi-PV)."""


Answer = str | Thought | None


class Block:
    """The lines between ``BOARD`` (or its like) and ``DONE``."""

    def __init__(self, word: str) -> None:
        self.word = word
        self.stones: list[tuple[Point, int]] = []
        self.error = ""

    def add(self, line: str) -> None:
        """Takes ``x,y,f`` (``x,y`` in swap2); what cannot be read is kept as the block's error."""
        try:
            point, kind = line, "0"
            if self.word != "SWAP2BOARD":
                point, _, kind = line.rpartition(",")
            self.stones.append((parse_point(point), int(kind)))
        except ValueError:
            self.error = self.error or f"{self.word} line {line[:ECHO]!r} is not x,y,who"


class Piskvork:
    """Obeys commands on an engine."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.started = False
        self.show_detail = False
        self.block: Block | None = None
        self._infos: dict[str, Callable[[str], None]] = {
            "timeout_turn": lambda text: setattr(engine.clock, "turn_limit_ms", max(0, whole_number(text))),
            "timeout_match": lambda text: setattr(engine.clock, "match_limit_ms", max(0, whole_number(text))),
            "time_left": lambda text: setattr(engine.clock, "time_left_ms", whole_number(text)),
            "time_increment": lambda text: setattr(engine.clock, "increment_ms", max(0, whole_number(text))),
            "max_memory": self._set_memory,
            "rule": self._set_rule,
            "max_node": lambda text: setattr(
                engine, "max_visits", whole_number(text) if whole_number(text) > 0 else None
            ),
            "level": lambda text: engine.set_level(whole_number(text)),
            "show_detail": lambda text: setattr(self, "show_detail", whole_number(text) > 0),
        }

    def obey(self, line: str) -> Answer:
        """
        Carries out one line.

        Returns the text to write, a `Thought`, or None for nothing to say. Nothing raises: a command that
        cannot be carried out is answered ``ERROR``, a word that is none ``UNKNOWN``.
        """
        words = line.split(None, 1)
        if not words:
            return None
        word, rest = words[0].upper(), words[1].strip() if len(words) > 1 else ""
        try:
            if self.block and not self._is_command(word):
                self.block.add(line.strip())
                return None
            if self.block and word != "DONE":
                unfinished, self.block = self.block.word, None
                return _join(f"ERROR {unfinished} without DONE", self.obey(line))
            if not self._is_command(word):
                return f"UNKNOWN {_printable(line)}"
            method: Callable[[str], Answer] = getattr(self, f"do_{word.lower()}")
            return method(rest)
        except ValueError as error:
            return f"ERROR {_printable(str(error))}"

    def _is_command(self, word: str) -> bool:
        return word.isascii() and word.isalnum() and hasattr(self, f"do_{word.lower()}")

    def play_own(self, point: Point) -> None:
        """Puts the engine's answer on the board."""
        self.engine.position.put(*point)

    # Starting

    def board_of_start(self, line: str) -> tuple[int, int]:
        """Width and height that a START, RECTSTART or RESTART asks for; raises `ValueError` if it cannot be."""
        word, _, rest = line.strip().partition(" ")
        if word.upper() == "RESTART":
            self._need_start()
            return self.engine.position.width, self.engine.position.height
        size = whole_number(rest) if word.upper() == "START" else None
        width, height = (size, size) if size is not None else parse_point(rest)
        Position.check_size(width, height)
        return width, height

    def do_start(self, rest: str) -> Answer:
        return self._start(f"START {rest}")

    def do_rectstart(self, rest: str) -> Answer:
        return self._start(f"RECTSTART {rest}")

    def do_restart(self, rest: str) -> Answer:
        return self._start("RESTART")

    def _start(self, line: str) -> Answer:
        self.engine.new_game(*self.board_of_start(line))
        self.started = True
        return "OK"

    # Moves

    def do_begin(self, rest: str) -> Answer:
        self._need_start()
        if self.engine.position.moves:
            raise ValueError(f"BEGIN on a board with {len(self.engine.position.moves)} stones")
        return Thought()

    def do_turn(self, rest: str) -> Answer:
        self._need_start()
        position = self.engine.position
        x, y = parse_point(rest)
        if position.is_empty(x, y) and len(position.moves) + len(position.blocked) + 1 == len(position.points):
            raise ValueError(f"{x},{y} fills the board, there is no answer to it")
        position.put(x, y)
        return Thought()

    def do_play(self, rest: str) -> Answer:
        raise ValueError("PLAY without a SUGGEST")

    def do_takeback(self, rest: str) -> Answer:
        self._need_start()
        position, point = self.engine.position, parse_point(rest)
        if position.moves and position.moves[-1] == point:
            position.undo()
            return "OK"
        if point not in position.moves:
            raise ValueError(f"no stone stands on {format_point(point)}")
        raise ValueError(f"{format_point(point)} is not the newest stone")

    # Blocks

    def do_board(self, rest: str) -> Answer:
        self._need_start()
        self.block = Block("BOARD")
        return None

    def do_swap2board(self, rest: str) -> Answer:
        self._need_start()
        self.block = Block("SWAP2BOARD")
        return None

    def do_done(self, rest: str) -> Answer:
        block, self.block = self.block, None
        if block is None:
            raise ValueError("DONE without BOARD")
        if block.error:
            raise ValueError(block.error)
        old = self.engine.position
        size = (old.width, old.height, old.rule)
        if block.word == "SWAP2BOARD":
            if len(block.stones) not in (0, 3, 5):
                raise ValueError(f"SWAP2BOARD with {len(block.stones)} stones, not 0, 3 or 5")
            self.engine.position = Position.from_moves([point for point, _ in block.stones], *size)
            return Thought("swap2")
        by_kind: dict[int, list[Point]] = {1: [], 2: [], 3: []}
        for point, kind in block.stones:
            if kind not in by_kind:
                raise ValueError(f"stone {format_point(point)} belongs to {kind}, not 1, 2 or 3")
            by_kind[kind].append(point)
        own, enemy, marked = by_kind[1], by_kind[2], by_kind[3]
        black, white = (own, enemy) if len(own) == len(enemy) else (enemy, own)
        blocked = marked if old.continuous else []
        position = Position.from_stones(black, white, *size, continuous=old.continuous, blocked=blocked)
        if position.is_full:
            raise ValueError("the board is full")
        self.engine.position = position
        return Thought() if block.word == "BOARD" else None

    # Everything else

    def do_info(self, rest: str) -> Answer:
        """Never answers; what it cannot use it ignores."""
        key, _, text = rest.partition(" ")
        setting = self._infos.get(key.lower())
        if setting:
            try:
                setting(text.strip())
            except ValueError:
                return None
        return None

    def _set_memory(self, text: str) -> None:
        self.engine.max_memory_bytes = max(0, whole_number(text))
        self.engine.forget()  # the next thought makes tables that fit

    def _set_rule(self, text: str) -> None:
        mask = whole_number(text)
        self.engine.set_rule(Rule.from_mask(mask), bool(mask & CONTINUOUS))

    def do_about(self, rest: str) -> Answer:
        return ABOUT

    def _need_start(self) -> None:
        if not self.started:
            raise ValueError("there is no board yet, send START")


def whole_number(text: str) -> int:
    """A whole number of sane length; raises `ValueError` that quotes anything else."""
    text = text.strip()
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 20):
        raise ValueError(f"{text[:ECHO]!r} is not a whole number")
    return max(-UNLIMITED_MS, min(int(text), 2**62))


def _printable(text: str) -> str:
    """The beginning of *text*, printable ASCII on one line."""
    return "".join(c if " " <= c <= "~" else "?" for c in text[:ECHO])


def _join(first: str, second: Answer) -> Answer:
    """Two answers in order; a thought comes alone, since its move answers both."""
    return f"{first}\n{second}" if isinstance(second, str) else second if second else first
