"""What people look at in a terminal: a game between brains, live, and a game against one."""

from __future__ import annotations

import sys
from pathlib import Path

from rich.console import Console, Group
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from gomoku_bot.clock import Deadline
from gomoku_bot.core.position import IllegalMoveError, Point, Position
from gomoku_bot.engine import Engine
from gomoku_bot.notation import parse_name, point_name
from gomoku_bot.protocol.loop import describe
from gomoku_bot.records import GameRecord, format_psq
from gomoku_bot.rules import Color

HELP = "a point such as h8, or: undo, hint, board, quit"


def draw(position: Position, last: Point | None = None) -> Text:
    """The board with letters and numbers, black ``●``, white ``○``, the last stone marked."""
    text = Text()
    columns = " ".join(f"{point_name((x, 0))[0]}" if x < 26 else "·" for x in range(position.width))
    text.append(f"   {columns}\n", "dim")
    black = set(position.stones(Color.BLACK))
    forbidden = set(position.forbidden()) if position.turn is Color.BLACK else set()
    for y in range(position.height):
        text.append(f"{y + 1:>2} ", "dim")
        for x in range(position.width):
            if position.is_empty(x, y):
                mark, style = ("×", "red") if (x, y) in forbidden else ("·", "dim")
            elif (x, y) in black:
                mark, style = "●", "bold cyan"
            else:
                mark, style = "○", "bold yellow"
            text.append(mark, f"{style} reverse" if (x, y) == last else style)
            text.append(" ")
        text.append("\n")
    return text


class LiveGame:
    """Draws a game while the referee plays it; give `watch` to `arena.referee.play_game`."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.live = Live(console=console, auto_refresh=False)

    def watch(self, record: GameRecord, position: Position) -> None:
        """Draws the position and what both sides think of it."""
        table = Table("move", "stone", "time", "win estimate", box=None)
        start = max(record.opening, len(record.moves) - 8)
        for ply in range(start, len(record.moves)):
            name = record.black if ply % 2 == 0 else record.white
            estimate = record.estimates[ply]
            table.add_row(
                str(ply + 1),
                f"{'●' if ply % 2 == 0 else '○'} {point_name(record.moves[ply])} {name}",
                f"{record.times_ms[ply]} ms",
                f"{100 * estimate:.1f} %" if estimate is not None else "",
            )
        board = draw(position, record.moves[-1] if record.moves else None)
        title = f"● {record.black} against ○ {record.white}, {record.rule.name.lower()}"
        self.live.update(Panel(Group(board, table), title=title, expand=False), refresh=True)


def finish(record: GameRecord, trouble: str, path: Path, console: Console) -> None:
    """Says how the game ended and saves it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(format_psq(record), newline="")
    winner = (
        "draw" if record.winner is None else f"{record.black if record.winner is Color.BLACK else record.white} wins"
    )
    console.print(f"{winner} ({record.reason}) after {len(record.moves)} moves; saved as {path}", highlight=False)
    if trouble:
        console.print(trouble, style="red", highlight=False)


def play_person(engine: Engine, person: Color, seconds: float, console: Console) -> None:
    """A game against *engine* on its position, until it is over or the person quits."""
    position = engine.position
    console.print(HELP)
    while not position.is_over:
        if position.turn is not person:
            console.print(draw(position, position.moves[-1] if position.moves else None))
            with console.status("thinking"):
                result = engine.think(Deadline.in_seconds(seconds))
            position.play(*result.move)
            console.print(f"I play {point_name(result.move)} ({describe(result)})", highlight=False)
            continue
        console.print(draw(position, position.moves[-1] if position.moves else None))
        try:
            words = console.input(f"{'●' if person is Color.BLACK else '○'} > ").split()
        except (EOFError, KeyboardInterrupt):
            words = ["quit"]
        if not words:
            continue
        if words[0] in ("quit", "q", "exit"):
            return
        if words[0] == "undo":
            for _ in range(min(2, len(position.moves))):
                position.undo()
            if position.turn is not person and position.moves:
                position.undo()
        elif words[0] == "hint":
            result = engine.think(Deadline.in_seconds(seconds))
            console.print(f"{point_name(result.move)} ({describe(result)})", highlight=False)
        elif words[0] != "board":
            try:
                position.play(*parse_name(words[0]))
            except IllegalMoveError as error:
                console.print(str(error), style="red", highlight=False)
            except ValueError:
                console.print(f"{words[0]!r} is not {HELP}", style="red", highlight=False)
    console.print(draw(position, position.moves[-1]))
    winner = position.winner
    console.print("a draw" if winner is None else "you win" if winner is person else "I win")


def console() -> Console:
    """The terminal that the commands draw on."""
    return Console(file=sys.stdout)
