"""Many games between two brains, and what they say about strength."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gomoku_bot.arena.brain import Conditions
from gomoku_bot.arena.referee import play_game
from gomoku_bot.core.position import Point
from gomoku_bot.notation import format_point
from gomoku_bot.records import GameRecord, format_psq
from gomoku_bot.rules import Color, Rule


@dataclass(frozen=True)
class Player:
    """A brain in a match."""

    name: str
    command: Sequence[str]
    folder: Path | None = None

    @classmethod
    def parse(cls, text: str) -> Player:
        """
        Reads ``NAME=COMMAND`` or ``COMMAND``; ``{FOLDER}COMMAND`` works in FOLDER.

        :raises: `ValueError` for a command without a word.
        """
        name, found, command = text.partition("=")
        if not found or not name.replace("-", "").replace("_", "").replace(".", "").isalnum():
            name, command = "", text
        folder = None
        if command.startswith("{") and "}" in command:
            where, _, command = command[1:].partition("}")
            folder = Path(where)
        words = shlex.split(command)
        if not words:
            raise ValueError(f"player {text!r} has no command")
        return cls(name or Path(words[-1]).name, words, folder)


@dataclass
class Score:
    """Wins, draws and losses of the first player."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def rate(self) -> float:
        return (self.wins + self.draws / 2) / self.games if self.games else 0.5

    def interval(self) -> tuple[float, float]:
        """95 % interval of the rate (Wilson's score interval, 1927, draws as half wins)."""
        n, z = max(1, self.games), 1.96
        middle = (self.rate + z * z / (2 * n)) / (1 + z * z / n)
        half = z * math.sqrt(self.rate * (1 - self.rate) / n + z * z / (4 * n * n)) / (1 + z * z / n)
        return middle - half, middle + half

    def __str__(self) -> str:
        low, high = self.interval()
        elo = " to ".join(f"{elo_of(rate):+.0f}" for rate in (low, high))
        return (
            f"+{self.wins} ={self.draws} -{self.losses}, {100 * self.rate:.1f}% "
            f"(95% interval {100 * low:.1f} to {100 * high:.1f}%, Elo {elo})"
        )


def elo_of(rate: float) -> float:
    """Rating difference that makes this score expected, -999 to 999 (Elo, 1978)."""
    if not 0 < rate < 1:
        return math.copysign(999, rate - 0.5)
    return max(-999.0, min(999.0, -400 * math.log10(1 / rate - 1)))


def play_match(
    players: tuple[Player, Player],
    conditions: Conditions,
    openings: Sequence[Sequence[Point]],
    games: int,
    *,
    width: int,
    height: int,
    rule: Rule,
    out: Path | None = None,
    tell: Callable[[str], None] = print,
) -> Score:
    """
    Plays *games* games, each opening twice with colours swapped; records go to *out* as ``.psq`` and JSON lines.

    A match in the same folder goes on behind its last recorded game.
    """
    score = Score()
    log = out / "games.jsonl" if out else None
    done = 0
    if out and log:
        out.mkdir(parents=True, exist_ok=True)
        if log.exists():
            for line in log.read_text().splitlines():
                _count(score, json.loads(line)["score"])
                done += 1
    for game in range(done, games):
        opening = openings[game // 2 % len(openings)] if openings else ()
        first_is_black = game % 2 == 0
        black, white = players if first_is_black else players[::-1]
        record, trouble = play_game(
            (black.command, white.command), (black.name, white.name), conditions, width=width, height=height,
            rule=rule, opening=opening, folders=(black.folder, white.folder),
        )  # fmt: skip
        points = 0.5 if record.winner is None else float((record.winner is Color.BLACK) == first_is_black)
        _count(score, points)
        if out and log:
            (out / f"{game + 1:04}.psq").write_text(format_psq(record), newline="")
            with log.open("a") as file:
                file.write(json.dumps(_summary(record, game, points, trouble)) + "\n")
        told = f"{black.name} - {white.name} {record.result} {record.reason} {trouble[:200]}"
        tell(f"{game + 1}/{games} {told} | {score}")
    return score


def _count(score: Score, points: float) -> None:
    score.wins += points == 1
    score.draws += points == 0.5
    score.losses += points == 0


def _summary(record: GameRecord, game: int, points: float, trouble: str) -> dict[str, object]:
    return {
        "game": game + 1, "score": points, "black": record.black, "white": record.white, "result": record.result,
        "reason": record.reason, "rule": record.rule.name.lower(), "size": [record.width, record.height],
        "opening": record.opening, "moves": " ".join(map(format_point, record.moves)),
        "times_ms": record.times_ms, "estimates": record.estimates, "trouble": trouble,
    }  # fmt: skip
