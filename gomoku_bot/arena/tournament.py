"""Many games between two brains or more: who meets whom, records as they come, stop and go on."""

from __future__ import annotations

import json
import shlex
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from gomoku_bot.arena.brain import Conditions, Stopped
from gomoku_bot.arena.referee import play_game
from gomoku_bot.arena.score import POINTS
from gomoku_bot.core.position import Point
from gomoku_bot.notation import format_point
from gomoku_bot.records import GameRecord, format_psq, whole_lines
from gomoku_bot.rules import Rule


@dataclass(frozen=True)
class Player:
    """A brain in a tournament."""

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


class Meeting(NamedTuple):
    """One game to be played; the two games of a round have the same opening and swapped colours."""

    black: str
    white: str
    round: int


class Played(NamedTuple):
    """What a finished game counts."""

    black: str
    white: str
    round: int
    points: float
    """Black's: 1, 0.5 or 0."""


def meetings(names: Sequence[str], games: int, *, gauntlet: bool = False) -> Iterator[Meeting]:
    """*games* of every pair, or of the first player with each other one; all pairs meet once before any meets again."""
    pairs = [(a, b) for a, b in combinations(names, 2) if not gauntlet or a == names[0]]
    for game in range(0, games, 2):
        for first, second in pairs:
            yield Meeting(first, second, game // 2)
            if game + 1 < games:
                yield Meeting(second, first, game // 2)


@dataclass(frozen=True, kw_only=True)
class Tournament:
    """
    Brains, conditions, openings, and a folder for the records.

    The folder gets ``games.jsonl`` (one line a game), a ``.psq`` file a game, ``games.pgn`` for rating tools and
    ``tournament.json``. A tournament in the same folder goes on: finished games are not played again, new players may
    join. Without a folder nothing is kept.
    """

    players: Sequence[Player]
    conditions: Conditions
    openings: Sequence[Sequence[Point]]
    width: int
    height: int
    rule: Rule
    out: Path | None = None

    def play(
        self, games: Sequence[Meeting], *, concurrency: int = 1, tell: Callable[[str], None] = print,
        decided: Callable[[list[Played]], bool] = lambda _: False,
        standing: Callable[[list[Played]], str] = lambda _: "",
    ) -> list[Played]:  # fmt: skip
        """
        Plays what is missing of *games* and returns all games of the folder.

        After every game *tell* gets a line that ends with *standing*; *decided* may end the tournament. Ctrl-C breaks
        off the games in progress, keeps the finished ones and goes through.

        :raises: `ValueError` if the folder holds a tournament with other conditions.
        """
        names = [player.name for player in self.players]
        if len(set(names)) < len(names):
            raise ValueError(f"two players have the same name: {', '.join(names)}")
        played = self._open()
        known = {game[:3] for game in played}
        to_play = [meeting for meeting in games if meeting not in known]
        missing = iter(to_play)
        stop, began, here = threading.Event(), time.monotonic(), 0
        running: dict[Future[tuple[GameRecord, str]], Meeting] = {}
        with ThreadPoolExecutor(concurrency) as pool:
            try:
                while not decided(played):
                    while len(running) < concurrency and (meeting := next(missing, None)):
                        running[pool.submit(self._game, meeting, stop)] = meeting
                    if not running:
                        break
                    for future in wait(running, return_when=FIRST_COMPLETED).done:
                        meeting = running.pop(future)
                        record, trouble = future.result()
                        played.append(Played(*meeting, POINTS[record.winner]))
                        self._keep(len(played), meeting, record, trouble)
                        here += 1
                        minutes = (time.monotonic() - began) / here * (len(to_play) - here) / 60
                        tell(
                            f"{len(games) - len(to_play) + here}/{len(games)} {record.black} - {record.white} "
                            f"{record.result} {record.reason} {trouble[:200]} | {standing(played)} | "
                            f"{minutes:.0f} min left"
                        )
            finally:
                stop.set()
                for future in running:
                    if not isinstance(future.exception(), Stopped | None):
                        tell(f"a game was lost: {future.exception()}")
                self._write_pgn()
        return played

    def _game(self, meeting: Meeting, stop: threading.Event) -> tuple[GameRecord, str]:
        black, white = (self._player(name) for name in meeting[:2])
        opening = self.openings[meeting.round % len(self.openings)] if self.openings else ()
        return play_game(
            (black.command, white.command), (black.name, white.name), self.conditions, width=self.width,
            height=self.height, rule=self.rule, opening=opening, folders=(black.folder, white.folder), stop=stop,
        )  # fmt: skip

    def _player(self, name: str) -> Player:
        return next(player for player in self.players if player.name == name)

    def _settings(self) -> dict[str, Any]:
        return {
            "rule": self.rule.name.lower(), "size": [self.width, self.height], "conditions": asdict(self.conditions),
            "openings": [" ".join(map(format_point, opening)) for opening in self.openings],
        }  # fmt: skip

    def _open(self) -> list[Played]:
        """Checks that the folder is this tournament's, and reads the games in it."""
        if not self.out:
            return []
        self.out.mkdir(parents=True, exist_ok=True)
        file, commands, settings = self.out / "tournament.json", {p.name: list(p.command) for p in self.players}, {}
        if file.exists():
            settings = json.loads(file.read_text())
            for name, command in settings.pop("players").items():
                if commands.setdefault(name, command) != command:
                    raise ValueError(f"{self.out} has games of {name} as {shlex.join(command)}: choose another folder")
            for key, value in self._settings().items():
                if settings.get(key) != value:
                    raise ValueError(f"{self.out} holds a tournament with another {key}: choose another folder")
        file.write_text(json.dumps({"players": commands, **self._settings()}, indent=1) + "\n")
        return [Played(game["black"], game["white"], game["round"], game["points"]) for game in read_games(self.out)]

    def _keep(self, number: int, meeting: Meeting, record: GameRecord, trouble: str) -> None:
        if not self.out:
            return
        (self.out / f"{number:04}.psq").write_text(format_psq(record), newline="")
        summary = {
            "round": meeting.round, "black": record.black, "white": record.white, "result": record.result,
            "points": POINTS[record.winner], "reason": record.reason,
            "rule": record.rule.name.lower(), "size": [record.width, record.height], "opening": record.opening,
            "moves": " ".join(map(format_point, record.moves)), "times_ms": record.times_ms,
            "estimates": record.estimates, "wall_ms": record.wall_ms, "versions": record.versions, "trouble": trouble,
        }  # fmt: skip
        with (self.out / "games.jsonl").open("a") as file:
            file.write(json.dumps(summary) + "\n")

    def _write_pgn(self) -> None:
        """Names and results for rating tools; these call the one who moves first White, here it is black."""
        if self.out:
            (self.out / "games.pgn").write_text(
                "".join(
                    f'[White "{game["black"]}"]\n[Black "{game["white"]}"]\n[Round "{game["round"] + 1}"]\n'
                    f'[Result "{PGN_RESULT[game["result"]]}"]\n\n{PGN_RESULT[game["result"]]}\n\n'
                    for game in read_games(self.out)
                )
            )


PGN_RESULT = {"1-0": "1-0", "0-1": "0-1", "1/2": "1/2-1/2"}


def read_games(folder: Path) -> list[dict[str, Any]]:
    """The games of a tournament's folder; a last line that was broken off in the middle is cut from the file."""
    return [json.loads(line) for line in whole_lines(folder / "games.jsonl")]


def score_pairs(played: Sequence[Played], first: str, second: str) -> tuple[list[float], list[float]]:
    """The first player's points against the second: of each game, and of each round whose two games are played."""
    rounds: dict[int, list[float]] = {}
    points = []
    for game in played:
        if {game.black, game.white} == {first, second}:
            points.append(game.points if game.black == first else 1 - game.points)
            rounds.setdefault(game.round, []).append(points[-1])
    return points, [sum(pair) for pair in rounds.values() if len(pair) == 2]
