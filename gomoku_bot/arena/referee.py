"""One game between two brains."""

from __future__ import annotations

import re
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from gomoku_bot.arena.brain import Brain, BrainError, Conditions
from gomoku_bot.core.position import IllegalMoveError, Point, Position
from gomoku_bot.notation import format_point
from gomoku_bot.records import GameRecord
from gomoku_bot.rules import Color, Rule

RENJU_DRAW_MOVES = 200
"""The tournament's judge calls a renju game with so many stones a draw."""

WIN = re.compile(r"win\s+(\d+(?:\.\d+)?)\s*%", re.IGNORECASE)

Watcher = Callable[[GameRecord, Position], None]
"""Called after every move, opening included."""


def play_game(
    commands: tuple[Sequence[str], Sequence[str]],
    names: tuple[str, str],
    conditions: Conditions,
    *,
    width: int = 15,
    height: int = 15,
    rule: Rule = Rule.FREESTYLE,
    opening: Sequence[Point] = (),
    folders: tuple[Path | None, Path | None] = (None, None),
    watch: Watcher | None = None,
    stop: threading.Event | None = None,
) -> tuple[GameRecord, str]:
    """
    Plays black against white in fresh processes.

    Crash, time, memory and illegal or forbidden moves lose. Returns the record, and the loser's last lines
    if the game did not end on the board.

    :raises: `Stopped` soon after *stop* is set.
    """
    record = GameRecord(width, height, rule, *names, opening=len(opening))
    position = Position(width, height, rule)
    for x, y in opening:
        position.play(x, y)
        record.moves.append((x, y))
        record.times_ms.append(0)
        record.estimates.append(None)
    if watch:
        watch(record, position)
    brains: dict[Color, Brain] = {}
    with tempfile.TemporaryDirectory() as storage:
        try:
            for color in (Color.BLACK, Color.WHITE):
                loser = color
                brains[color] = Brain(commands[color - 1], conditions, folders[color - 1], stop)
                brains[color].start(width, height, int(rule), Path(storage))
                record.versions.append(brains[color].about())
            asked: set[Color] = set()
            began = time.monotonic()
            while not position.is_over and not (rule is Rule.RENJU and len(position.moves) >= RENJU_DRAW_MOVES):
                loser = position.turn
                turn = f"TURN {format_point(position.moves[-1])}" if loser in asked else ""
                request = [turn] if turn else board_request(position)
                asked.add(loser)
                reply = brains[loser].move(request)
                try:
                    position.play(*reply.point)
                except IllegalMoveError as error:
                    raise BrainError("illegal", str(error)) from None
                record.moves.append(reply.point)
                record.times_ms.append(round(1000 * reply.seconds))
                record.estimates.append(_estimate(reply.messages))
                record.wall_ms = round(1000 * (time.monotonic() - began))
                if watch:
                    watch(record, position)
            record.winner = position.winner
            record.reason = "five" if position.winner else "full board" if position.is_full else "move limit"
            if position.winner and position.winner is position.turn:
                record.reason = "forbidden"
            return record, ""
        except BrainError as error:
            record.winner, record.reason = loser.opponent, error.reason
            lines = list(brains[loser].last_lines) if loser in brains else []
            return record, "\n".join([str(error), *lines])
        finally:
            for brain in brains.values():
                brain.close()


def board_request(position: Position) -> list[str]:
    """``BOARD`` as the judge sends it, in order of play, from the side to move's view."""
    stones = [
        f"{format_point(move)},{1 if (len(position.moves) - ply) % 2 == 0 else 2}"
        for ply, move in enumerate(position.moves)
    ]
    return ["BOARD", *stones, "DONE"]


def _estimate(messages: Sequence[str]) -> float | None:
    """The chance to win, 0 to 1, in the last message that names one (``win 63.1%``)."""
    for message in reversed(messages):
        match = WIN.search(message)
        if match:
            return float(match[1]) / 100
    return None
