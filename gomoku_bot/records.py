"""Game records: Piskvork's ``.psq`` files, and opening files of every kind."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from gomoku_bot.notation import Point, parse_position
from gomoku_bot.rules import Color, Rule


@dataclass
class GameRecord:
    """One game, finished or not."""

    width: int
    height: int
    rule: Rule = Rule.FREESTYLE
    black: str = "black"
    white: str = "white"
    moves: list[Point] = field(default_factory=list)
    """In order of play, black first."""

    times_ms: list[int] = field(default_factory=list)
    """Thinking time of each move; 0 in the opening."""

    opening: int = 0
    """The first so many moves were given."""

    winner: Color | None = None
    reason: str = ""
    """How the game ended: five, full board, forbidden, time, crash, illegal, memory."""

    estimates: list[float | None] = field(default_factory=list)
    """What the player of each move thought of its chance to win, 0 to 1, if it said so."""

    wall_ms: int = 0
    """From the first question to the last answer; what it is more than the thinking times is the judge's own."""

    versions: list[str] = field(default_factory=list)
    """What black and white say of themselves."""

    @property
    def result(self) -> str:
        """``1-0`` black won, ``0-1`` white won, ``1/2`` draw."""
        return {Color.BLACK: "1-0", Color.WHITE: "0-1", None: "1/2"}[self.winner]


def whole_lines(path: Path) -> list[str]:
    """The lines of a file, none if it is not there; a last one that was broken off in writing is cut from it."""
    if not path.exists():
        return []
    lines = path.read_bytes().splitlines(keepends=True)
    if lines and not lines[-1].endswith(b"\n"):
        with path.open("r+b") as file:
            file.truncate(sum(map(len, lines[:-1])))
        lines.pop()
    return [line.decode() for line in lines]


def format_psq(record: GameRecord) -> str:
    """
    The record as Piskvork saves it: board, a line ``x,y,ms`` a move with columns and rows from one, both names.

    The last line says who won (1 black, 2 white, -1 nobody); rule and reason follow it, which Piskvork ignores.
    """
    times = record.times_ms + [0] * (len(record.moves) - len(record.times_ms))
    lines = [f"Piskvorky {record.width}x{record.height}, 11:11, 0"]
    lines += [f"{x + 1},{y + 1},{ms}" for (x, y), ms in zip(record.moves, times, strict=True)]
    lines += [record.black, record.white, str(int(record.winner) if record.winner else -1)]
    lines += [f"rule={record.rule.name.lower()} reason={record.reason} opening={record.opening}"]
    return "\r\n".join(lines) + "\r\n"


def parse_psq(text: str) -> GameRecord:
    """
    Reads a ``.psq`` of any manager; who won is taken from the board later if the file does not say.

    :raises: `ValueError` that names the line.
    """
    lines = text.replace("\r", "\n").split("\n")
    lines = [line.strip() for line in lines if line.strip()]
    try:
        size = lines[0].split()[1].split(",")[0]
        width, height = (int(part) for part in size.lower().split("x"))
    except (IndexError, ValueError):
        raise ValueError(f"line 1 {lines[0][:60] if lines else ''!r} does not name a board like 20x20") from None
    record = GameRecord(width, height)
    rest = len(lines)
    for number, line in enumerate(lines[1:], 1):
        parts = line.split(",")
        if len(parts) < 2 or not all(part.strip().lstrip("-").isdigit() for part in parts):
            rest = number
            break
        x, y = int(parts[0]) - 1, int(parts[1]) - 1
        if not (0 <= x < width and 0 <= y < height):
            raise ValueError(f"line {number + 1} {line!r} is off the {width}x{height} board")
        if (x, y) in record.moves:
            raise ValueError(f"line {number + 1} {line!r} is a point that is taken")
        record.moves.append((x, y))
        record.times_ms.append(int(parts[2]) if len(parts) > 2 else 0)
    names = lines[rest : rest + 2]
    record.black, record.white = (names + ["black", "white"][len(names) :])[:2]
    if len(lines) > rest + 2 and lines[rest + 2] in ("1", "2"):
        record.winner = Color(int(lines[rest + 2]))
    for word in " ".join(lines[rest + 3 : rest + 4]).split():
        key, _, text = word.partition("=")
        if key == "rule":
            record.rule = Rule.from_name(text)
        elif key == "reason":
            record.reason = text
        elif key == "opening":
            record.opening = int(text)
    return record


def parse_opening(line: str, width: int, height: int) -> list[Point]:
    """
    Reads one opening: a position string (``h8i9``), or Gomocup's offsets from the middle (``0,0, 1,-1``).

    :raises: `ValueError` if a stone is off the board, twice there, or cannot be read.
    """
    text = line.strip()
    if text[:1].isalpha():
        stones = parse_position(text)
    else:
        try:
            numbers = [int(part) for part in text.replace(",", " ").split()]
        except ValueError:
            raise ValueError(f"opening {text[:60]!r} is neither points like h8 nor offsets like 0,1") from None
        if len(numbers) % 2:
            raise ValueError(f"opening {text[:60]!r} has half a point")
        stones = [(width // 2 + numbers[i], height // 2 + numbers[i + 1]) for i in range(0, len(numbers), 2)]
    for i, (x, y) in enumerate(stones):
        if not (0 <= x < width and 0 <= y < height):
            raise ValueError(f"opening {text[:60]!r}: stone {i + 1} at {x},{y} is off the {width}x{height} board")
        if (x, y) in stones[:i]:
            raise ValueError(f"opening {text[:60]!r}: stone {i + 1} at {x},{y} is on another")
    return stones


def read_openings(path: Path, width: int, height: int) -> list[list[Point]]:
    """
    Reads an opening file, one opening a line; empty lines and lines after ``#`` are left out.

    :raises: `ValueError` that names file and line.
    """
    found = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            try:
                found.append(parse_opening(line, width, height))
            except ValueError as error:
                raise ValueError(f"{path}, line {number}: {error}") from None
    return found
