"""The ``gomoku-bot`` command."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

from gomoku_bot.engine import DEFAULT_SEARCH, SEARCHES
from gomoku_bot.rules import MAX_SIZE, MIN_SIZE, Color, Rule
from gomoku_bot.version import __version__


def main(arguments: list[str] | None = None) -> None:
    """Runs one subcommand; bad arguments end with exit status 2 and a line that names them."""
    parser = argparse.ArgumentParser(prog="gomoku-bot", description="A gomoku brain to play, watch and measure.")
    parser.add_argument("--version", action="version", version=f"gomoku-bot {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, run: Callable[[argparse.Namespace], None], text: str) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=text, description=text)
        command.set_defaults(run=run)
        return command

    game = add("game", _game, "Two brains play one game over the protocol, drawn live and saved as .psq.")
    _game_options(game)
    game.add_argument("--out", type=Path, default=Path("games/game.psq"))
    game.add_argument(
        "players", nargs="*", metavar="PLAYER", help="[NAME=][{FOLDER}]COMMAND, twice; default: this bot"
    )

    match = add("match", _match, "Two brains play many games, each opening with both colours.")
    _game_options(match)
    match.add_argument("--games", type=int, default=20)
    match.add_argument("--openings", type=Path, help="file with one opening a line")
    match.add_argument("--match-ms", type=int, default=0, help="time for a whole game and side; 0: no limit")
    match.add_argument("--tolerance-ms", type=int, default=1000)
    match.add_argument("--memory-mb", type=int, default=350)
    match.add_argument("--nodes", type=int, default=0, help="node limit told to the brains")
    match.add_argument(
        "--suspend", action="store_true", help="stop a brain while it is not its turn, as the judge does"
    )
    match.add_argument("--out", type=Path, help="folder for records; a match there goes on")
    match.add_argument("players", nargs=2, metavar="PLAYER", help="[NAME=][{FOLDER}]COMMAND")

    play = add("play", _play, "Play against the bot in the terminal.")
    _game_options(play)
    play.add_argument("--color", choices=["black", "white"], default="black", help="your colour")
    play.add_argument("--search", choices=SEARCHES, default=DEFAULT_SEARCH)

    add("analysis", _analysis, "Reads JSON queries, one a line, and answers each with one line.")
    add("bench", _bench, "Measures speeds, memory, start-up, and prints the signature of the play.")
    parsed = parser.parse_args(arguments)
    try:
        parsed.run(parsed)
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        sys.exit(130)
    except (ValueError, OSError) as error:
        print(f"gomoku-bot: {error}", file=sys.stderr)
        sys.exit(2)


def _game_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rule", default="freestyle", choices=[rule.name.lower() for rule in Rule])
    parser.add_argument("--size", type=_size, default=15, metavar="N", help=f"board size, {MIN_SIZE} to {MAX_SIZE}")
    parser.add_argument("--turn-ms", type=int, default=1000, help="time for a move")


def _size(text: str) -> int:
    size = int(text)
    if not MIN_SIZE <= size <= MAX_SIZE:
        raise argparse.ArgumentTypeError(f"{size} is not from {MIN_SIZE} to {MAX_SIZE}")
    return size


def _game(options: argparse.Namespace) -> None:
    from gomoku_bot import terminal
    from gomoku_bot.arena.brain import Conditions, own_brain
    from gomoku_bot.arena.match import Player
    from gomoku_bot.arena.referee import play_game

    players = [Player.parse(text) for text in options.players]
    if len(players) not in (0, 2):
        raise ValueError(f"a game takes two players, not {len(players)}")
    black, white = players or [
        Player("gomoku-bot", own_brain()),
        Player("gomoku-bot-policy", (*own_brain(), "--search", "policy")),
    ]
    console = terminal.console()
    live = terminal.LiveGame(console)
    with live.live:
        record, trouble = play_game(
            (black.command, white.command), (black.name, white.name), Conditions(turn_ms=options.turn_ms),
            width=options.size, height=options.size, rule=Rule.from_name(options.rule),
            folders=(black.folder, white.folder), watch=live.watch,
        )  # fmt: skip
    terminal.finish(record, trouble, options.out, console)


def _match(options: argparse.Namespace) -> None:
    from gomoku_bot.arena.brain import Conditions
    from gomoku_bot.arena.match import Player, play_match
    from gomoku_bot.records import read_openings

    conditions = Conditions(
        turn_ms=options.turn_ms, match_ms=options.match_ms, tolerance_ms=options.tolerance_ms,
        memory_bytes=options.memory_mb * 1_000_000, max_nodes=options.nodes, suspend=options.suspend,
    )  # fmt: skip
    openings = read_openings(options.openings, options.size, options.size) if options.openings else []
    first, second = (Player.parse(text) for text in options.players)
    began = time.monotonic()
    score = play_match(
        (first, second), conditions, openings, options.games, width=options.size, height=options.size,
        rule=Rule.from_name(options.rule), out=options.out, tell=lambda line: print(line, flush=True),
    )  # fmt: skip
    print(f"{first.name} against {second.name}: {score}, {time.monotonic() - began:.0f} s")


def _play(options: argparse.Namespace) -> None:
    from gomoku_bot import terminal
    from gomoku_bot.engine import Engine

    engine = Engine(options.search)
    engine.set_rule(Rule.from_name(options.rule), continuous=False)
    engine.new_game(options.size, options.size)
    terminal.play_person(engine, Color[options.color.upper()], options.turn_ms / 1000, terminal.console())


def _analysis(options: argparse.Namespace) -> None:
    from gomoku_bot.analysis import serve

    for answer in serve(sys.stdin):
        print(answer, flush=True)


def _bench(options: argparse.Namespace) -> None:
    from gomoku_bot.bench import run

    run(lambda line: print(line, flush=True))


if __name__ == "__main__":
    main()
