"""
Turns games on disk into training data: ``python -m training.recorder FOLDER ... --out data/mine``.

Takes ``.psq`` files of any manager and this project's ``games.jsonl``, of any two players. Games that were played
before, turned and mirrored ones included, are counted and dropped. Writes ``RULEnn.npz`` for each rule and board, and
``games.png``: how often games were repeated and how long they are.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gomoku_bot.core.position import IllegalMoveError, Position
from gomoku_bot.notation import parse_point
from gomoku_bot.records import GameRecord, parse_psq
from gomoku_bot.rules import Color, Rule
from training.games import MOST_EVAL, RESULTS, Game, canonical, eval_of, save_arrays

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def from_summary(entry: dict[str, Any]) -> GameRecord:
    """The game of one line of ``games.jsonl``."""
    width, height = entry["size"]
    return GameRecord(
        width, height, Rule.from_name(entry["rule"]), entry["black"], entry["white"],
        moves=[parse_point(text) for text in entry["moves"].split()], opening=entry["opening"],
        winner={"1-0": Color.BLACK, "0-1": Color.WHITE, "1/2": None}[entry["result"]], reason=entry["reason"],
        estimates=entry["estimates"],
    )  # fmt: skip


def records(folders: Iterable[Path]) -> Iterator[tuple[str, GameRecord | str]]:
    """Where each game lies, and the game or why it cannot be read; a tournament's ``.psq`` are not read twice."""
    for folder in folders:
        for file in sorted(folder.rglob("games.jsonl")):
            for number, line in enumerate(file.read_text().splitlines(), 1):
                try:
                    yield f"{file}:{number}", from_summary(json.loads(line))
                except (ValueError, KeyError, TypeError) as error:
                    yield f"{file}:{number}", f"{type(error).__name__} {error}"
        for file in sorted(folder.rglob("*.psq")):
            if not (file.parent / "games.jsonl").exists():
                try:
                    yield str(file), parse_psq(file.read_text(errors="replace"))
                except ValueError as error:
                    yield str(file), str(error)


def to_game(record: GameRecord) -> Game:
    """
    The game with the players' own estimates; where there are none, the result stands for them.

    :raises: `ValueError` if the board is no square, or the game is not legal or not over.
    """
    if record.width != record.height:
        raise ValueError(f"the board is {record.width}x{record.height}, not a square")
    position = Position(record.width, record.height, record.rule)
    try:
        for move in record.moves:
            position.play(*move)
    except IllegalMoveError as error:
        raise ValueError(str(error)) from None
    winner = position.winner or record.winner
    if winner is None and not position.is_over and record.reason != "move limit":
        raise ValueError("the game is not over")
    result = RESULTS[winner]
    estimates = list(record.estimates) + [None] * (len(record.moves) - len(record.estimates))
    evals = [
        None if ply < record.opening
        else eval_of(estimate) if estimate is not None
        else MOST_EVAL * result * (1 if ply % 2 == 0 else -1)
        for ply, estimate in enumerate(estimates)
    ]  # fmt: skip
    name = f"{record.rule.name.lower()}{record.width}"
    return Game(name, record.moves, record.opening, result, evals, [{}] * len(record.moves))


def gather(folders: Sequence[Path]) -> tuple[dict[str, list[Game]], Counter[int], list[str]]:
    """Different games by set, how many were played how often, and what could not be used."""
    found: dict[str, list[Game]] = defaultdict(list)
    often: Counter[tuple[Any, ...]] = Counter()
    refused = []
    for place, record in records(folders):
        try:
            if isinstance(record, str):
                raise ValueError(record)
            game = to_game(record)
        except ValueError as error:
            refused.append(f"{place}: {error}")
            continue
        key = game.set, *canonical(game.moves, record.width)
        often[key] += 1
        if often[key] == 1:
            found[game.set].append(game)
    return found, Counter(often.values()), refused


def histograms(found: dict[str, list[Game]], repeated: Counter[int]) -> Figure:
    """How often games were repeated, and how long they are."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3), layout="constrained")
    often, long = figure.subplots(1, 2)
    often.bar(list(repeated), list(repeated.values()))
    often.set(title="Repetition", xlabel="times played", ylabel="games", yscale="log")
    long.hist([[len(game.moves) for game in games] for games in found.values()], bins=30, stacked=True, label=[*found])
    long.set(title="Length", xlabel="moves", ylabel="games")
    long.legend()
    return figure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    found, repeated, refused = gather(options.folders)
    for line in refused:
        print(f"left out: {line}")
    options.out.mkdir(parents=True, exist_ok=True)
    for name, games in found.items():
        save_arrays(options.out / f"{name}.npz", games)
        print(f"{options.out / name}.npz: {len(games)} games, {sum(len(g.moves) - g.opening for g in games)} positions")
    doubles = sum(count * (times - 1) for times, count in repeated.items())
    print(f"{doubles} games were played before, {len(refused)} left out")
    if found:
        histograms(found, repeated).savefig(options.out / "games.png")


if __name__ == "__main__":
    main()
