"""The arena's part of the ``gomoku-bot`` command: match, tournament, ratings, suite."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from gomoku_bot.arena.tournament import Meeting, Played, Player, Tournament, meetings, read_games, score_pairs
from gomoku_bot.rules import MAX_SIZE, MIN_SIZE, Rule

Add = Callable[[str, Callable[[argparse.Namespace], None], str], argparse.ArgumentParser]


def add_commands(add: Add) -> None:
    """Adds the subcommands; *add* makes a parser for a name, a function and a help text."""
    match = add("match", _match, "Two brains play many games, each opening with both colours.")
    _tournament_options(match)
    match.add_argument(
        "--sprt", nargs=2, type=float, metavar=("ELO0", "ELO1"),
        help="stop as soon as it is clear (5 %% error) which of the two differences is nearer the truth",
    )  # fmt: skip
    match.add_argument("players", nargs=2, metavar="PLAYER", help="[NAME=][{FOLDER}]COMMAND")

    tournament = add("tournament", _tournament, "Many brains, every one against every other one.")
    _tournament_options(tournament)
    tournament.add_argument("--gauntlet", action="store_true", help="only the first player against all others")
    _anchor_option(tournament)
    tournament.add_argument("players", nargs="+", metavar="PLAYER", help="[NAME=][{FOLDER}]COMMAND")

    ratings = add("ratings", _ratings, "The rating list of finished or unfinished tournaments.")
    _anchor_option(ratings)
    ratings.add_argument("--html", type=Path, help="also write a page with tables and plots")
    ratings.add_argument("--plot", type=Path, help="also write the list as a picture (.png, .svg)")
    ratings.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")

    suite = add("suite", _suite, "Puts a graded test suite (positions with points for good moves) to a brain.")
    suite.add_argument("file", nargs="?", type=Path, help="one task a line; default: the shipped 500")
    suite.add_argument("--brain", metavar="PLAYER", help="[NAME=][{FOLDER}]COMMAND; default: this bot")
    suite.add_argument("--turn-ms", type=int, default=100, help="time for a move")
    suite.add_argument("--tolerance-ms", type=int, default=1000)
    suite.add_argument("--every", type=int, default=1, metavar="N", help="only every n-th task")
    suite.add_argument("--wrong", action="store_true", help="print the tasks where the best move was not played")


def game_options(parser: argparse.ArgumentParser) -> None:
    """Adds rule, board and time of a move."""
    parser.add_argument("--rule", default="freestyle", choices=[rule.name.lower() for rule in Rule])
    parser.add_argument("--size", type=_size, default=15, metavar="N", help=f"board size, {MIN_SIZE} to {MAX_SIZE}")
    parser.add_argument("--turn-ms", type=int, default=1000, help="time for a move")


def _size(text: str) -> int:
    size = int(text)
    if not MIN_SIZE <= size <= MAX_SIZE:
        raise argparse.ArgumentTypeError(f"{size} is not from {MIN_SIZE} to {MAX_SIZE}")
    return size


def _anchor(text: str) -> tuple[str, float]:
    name, _, elo = text.rpartition("=")
    if not name:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=ELO")
    return name, float(elo)


def _anchor_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--anchor", type=_anchor, action="append", default=[], metavar="NAME=ELO", help="a player whose rating is known"
    )


def _tournament_options(parser: argparse.ArgumentParser) -> None:
    game_options(parser)
    parser.add_argument("--games", type=int, default=20, help="of each pair")
    parser.add_argument("--openings", type=Path, help="file with one opening a line")
    parser.add_argument("--match-ms", type=int, default=0, help="time for a whole game and side; 0: no limit")
    parser.add_argument("--tolerance-ms", type=int, default=1000)
    parser.add_argument("--memory-mb", type=int, default=350)
    parser.add_argument("--nodes", type=int, default=0, help="node limit told to the brains")
    parser.add_argument("--concurrency", type=int, default=1, help="games at the same time")
    parser.add_argument(
        "--suspend", action="store_true", help="stop a brain while it is not its turn, as the judge does"
    )
    parser.add_argument("--out", type=Path, help="folder for records; a tournament there goes on")


def _tell(line: str) -> None:
    print(line, flush=True)


def _match(options: argparse.Namespace) -> None:
    from gomoku_bot.arena.score import Score, Sprt

    players = [Player.parse(text) for text in options.players]
    first, second = (player.name for player in players)
    sprt = Sprt(*options.sprt) if options.sprt else None

    def score_of(played: Sequence[Played]) -> Score:
        score = Score()
        for points in score_pairs(played, first, second)[0]:
            score.add(points)
        return score

    def decided(played: Sequence[Played]) -> bool:
        return sprt is not None and sprt.verdict(score_pairs(played, first, second)[1]) is not None

    played = _run(
        options, players, meetings((first, second), options.games), decided, lambda played: str(score_of(played))
    )
    score = score_of(played)
    _tell(f"{first} against {second}: {score}, the stronger one with {100 * score.superiority():.1f}%")
    if sprt:
        pairs = score_pairs(played, first, second)[1]
        verdict = {None: "not decided", True: f"{sprt.elo1:+g} Elo accepted", False: f"{sprt.elo0:+g} Elo accepted"}
        _tell(f"SPRT: {verdict[sprt.verdict(pairs)]}, log-likelihood ratio {sprt.likelihood(pairs):.2f}")


def _tournament(options: argparse.Namespace) -> None:
    from gomoku_bot.arena.ratings import fit
    from gomoku_bot.arena.report import rating_lines

    players = [Player.parse(text) for text in options.players]
    if len(players) < 2:
        raise ValueError("a tournament takes at least two players")
    names = [player.name for player in players]
    anchors = dict(options.anchor)
    if unknown := anchors.keys() - set(names):
        raise ValueError(f"the anchor {min(unknown)} is no player; players are {', '.join(names)}")

    def standing(played: Sequence[Played]) -> str:
        seen = {name for game in played for name in game[:2]}
        ratings = fit(played, {name: elo for name, elo in anchors.items() if name in seen})
        return " ".join(f"{name} {elo:.0f}" for name, elo in zip(ratings.names, ratings.elo, strict=True))

    games = meetings(names, options.games, gauntlet=options.gauntlet)
    played = _run(options, players, games, lambda _: False, standing)
    _tell("\n".join(rating_lines(fit(played, anchors), played)))


def _run(
    options: argparse.Namespace, players: Sequence[Player], games: Iterable[Meeting],
    decided: Callable[[list[Played]], bool], standing: Callable[[list[Played]], str],
) -> list[Played]:  # fmt: skip
    from gomoku_bot.arena.brain import Conditions
    from gomoku_bot.records import read_openings

    conditions = Conditions(
        turn_ms=options.turn_ms, match_ms=options.match_ms, tolerance_ms=options.tolerance_ms,
        memory_bytes=options.memory_mb * 1_000_000, max_nodes=options.nodes, suspend=options.suspend,
    )  # fmt: skip
    openings = read_openings(options.openings, options.size, options.size) if options.openings else []
    tournament = Tournament(
        players=players, conditions=conditions, openings=openings, width=options.size, height=options.size,
        rule=Rule.from_name(options.rule), out=options.out,
    )  # fmt: skip
    return tournament.play(list(games), concurrency=options.concurrency, tell=_tell, decided=decided, standing=standing)


def _ratings(options: argparse.Namespace) -> None:
    from gomoku_bot.arena.ratings import fit
    from gomoku_bot.arena.report import played_of, rating_figure, rating_lines, write_html

    anchors = dict(options.anchor)
    played = played_of([game for folder in options.folders for game in read_games(folder)])
    ratings = fit(played, anchors)
    _tell("\n".join(rating_lines(ratings, played)))
    if options.plot:
        rating_figure(ratings).savefig(options.plot)
    if options.html:
        write_html(options.folders, anchors, options.html)


def _suite(options: argparse.Namespace) -> None:
    from gomoku_bot.arena.brain import Conditions, own_brain
    from gomoku_bot.arena.suite import SHIPPED, Marks, Task, read, run
    from gomoku_bot.notation import point_name

    tasks = read(options.file or SHIPPED)[:: options.every]
    if not tasks:
        raise ValueError(f"{options.file} holds no task")
    player = Player.parse(options.brain) if options.brain else Player("gomoku-bot", own_brain())
    conditions = Conditions(turn_ms=options.turn_ms, tolerance_ms=options.tolerance_ms, memory_bytes=0)

    def tell(number: int, task: Task, move: tuple[int, int] | None, marks: Marks) -> None:
        if options.wrong and (move is None or task.points.get(move, 0) < max(task.points.values())):
            _tell(f"{task.format()} -> {point_name(move) if move else 'no answer'}")
        if number % 25 == 0:
            _tell(f"{number}/{len(tasks)} {marks}")

    _tell(f"{player.name}: {run(player.command, tasks, conditions, player.folder, tell)}")
