"""The ``gomoku-bot`` command."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

from gomoku_bot.arena.commands import add_commands as arena_commands
from gomoku_bot.arena.commands import game_options
from gomoku_bot.engine import DEFAULT_SEARCH, SEARCHES
from gomoku_bot.evaluator.catalog import PROVIDERS, save_batch
from gomoku_bot.rules import Color, Rule
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
    game_options(game)
    game.add_argument("--out", type=Path, default=Path("games/game.psq"))
    game.add_argument("players", nargs="*", metavar="PLAYER", help="[NAME=][{FOLDER}]COMMAND, twice; default: this bot")

    arena_commands(add)

    play = add("play", _play, "Play against the bot in the terminal.")
    game_options(play)
    play.add_argument("--color", choices=["black", "white"], default="black", help="your colour")
    play.add_argument("--level", type=int, default=10, help="1 (a beginner) to 10 (full strength)")
    play.add_argument("--search", choices=SEARCHES, default=DEFAULT_SEARCH)

    add("analysis", _analysis, "Reads JSON queries, one a line, and answers each with one line.")
    bench = add("bench", _bench, "Measures speeds, memory, start-up, and prints the signature of the play.")
    bench.add_argument("--brain", type=shlex.split, metavar="COMMAND", help="only start-up and memory of this brain")
    bench.add_argument("--turn-ms", type=int, default=200, help="time for a move while memory is measured")
    bench.add_argument("--moves", type=int, default=60, help="so many of them")
    bench.add_argument("--provider", choices=PROVIDERS, default="cpu", help="only find its best batch")
    bench.add_argument("--save", action="store_true", help="and keep it for all later games")
    parsed = parser.parse_args(arguments)
    try:
        parsed.run(parsed)
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        sys.exit(130)
    except (ValueError, OSError) as error:
        print(f"gomoku-bot: {error}", file=sys.stderr)
        sys.exit(2)


def _game(options: argparse.Namespace) -> None:
    from gomoku_bot import terminal
    from gomoku_bot.arena.brain import Conditions, own_brain
    from gomoku_bot.arena.referee import play_game
    from gomoku_bot.arena.tournament import Player

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


def _play(options: argparse.Namespace) -> None:
    from gomoku_bot import terminal
    from gomoku_bot.engine import Engine

    engine = Engine(options.search)
    engine.set_level(options.level)
    engine.set_rule(Rule.from_name(options.rule), continuous=False)
    engine.new_game(options.size, options.size)
    terminal.play_person(engine, Color[options.color.upper()], options.turn_ms / 1000, terminal.console())


def _analysis(options: argparse.Namespace) -> None:
    from gomoku_bot.analysis import serve

    for answer in serve(sys.stdin):
        print(answer, flush=True)


def _bench(options: argparse.Namespace) -> None:
    from gomoku_bot.bench import best_batch, run
    from gomoku_bot.evaluator.session import missing

    if options.save or options.provider != "cpu":
        if missing(options.provider):
            raise ValueError(missing(options.provider).partition(":")[0])
        batch = best_batch(options.provider, print)
        print(f"best batch: {batch}")
        if options.save:
            print(f"kept in {save_batch(options.provider, batch)}")
        return
    run(lambda line: print(line, flush=True), options.brain, options.turn_ms, options.moves)


if __name__ == "__main__":
    main()
