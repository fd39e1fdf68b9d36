"""A tournament as a page: rating list, cross table, how games ended, plots."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gomoku_bot.arena.ratings import Ratings, fit
from gomoku_bot.arena.score import Score
from gomoku_bot.arena.tournament import Played, read_games

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAGE = """<!doctype html><meta charset="utf-8"><title>{{ title }}</title>
<style>body{font:15px sans-serif;max-width:70em;margin:2em auto}table{border-collapse:collapse;margin:1em 0}
td,th{padding:.2em .7em;border-bottom:1px solid #ccc;text-align:right}td:first-child,th:first-child{text-align:left}
svg{max-width:100%;height:auto}</style>
<h1>{{ title }}</h1><p>{{ conditions }}</p>
<table><tr><th>player</th><th>Elo</th><th>95 %</th><th>games</th><th>score</th><th>stronger than the next</th></tr>
{% for row in rows %}<tr><td>{{ row.name }}</td><td>{{ row.elo }}</td><td>{{ row.half }}</td><td>{{ row.games }}</td>
<td>{{ row.rate }}</td><td>{{ row.los }}</td></tr>{% endfor %}</table>
<p>Black's advantage: {{ advantage }} Elo. Anchored: {{ anchors }}.</p>
<h2>Cross table</h2><table><tr><th></th>{% for name in names %}<th>{{ name }}</th>{% endfor %}</tr>
{% for name, cells in cross %}<tr><td>{{ name }}</td>
{% for cell in cells %}<td>{{ cell }}</td>{% endfor %}</tr>{% endfor %}
</table><h2>How games ended</h2><table>
{% for reason, count in reasons %}<tr><td>{{ reason }}</td><td>{{ count }}</td></tr>{% endfor %}</table>{{ plots }}
"""


def scores(played: list[Played]) -> dict[tuple[str, str], Score]:
    """The score of every ordered pair that met."""
    table: dict[tuple[str, str], Score] = {}
    for game in played:
        table.setdefault((game.black, game.white), Score()).add(game.points)
        table.setdefault((game.white, game.black), Score()).add(1 - game.points)
    return table


def total(table: Mapping[tuple[str, str], Score], name: str) -> Score:
    """All games of one player."""
    own = [score for (first, _), score in table.items() if first == name]
    return Score(sum(s.wins for s in own), sum(s.draws for s in own), sum(s.losses for s in own))


def rating_lines(ratings: Ratings, played: list[Played]) -> list[str]:
    """The rating list as text, for the terminal and for Markdown."""
    table = scores(played)
    lines = ["| player | Elo | 95 % | games | score |", "|---|---|---|---|---|"]
    for name, elo in zip(ratings.names, ratings.elo, strict=True):
        own = total(table, name)
        half = ratings.half_width(name)
        interval = f"± {half:.0f}" if half else "fixed"
        lines.append(f"| {name} | {elo:.0f} | {interval} | {own.games} | {100 * own.rate:.0f} % |")
    return lines


def write_html(folders: list[Path], anchors: Mapping[str, float], file: Path) -> None:
    """
    Writes the page of all games in *folders*.

    :raises: `ValueError` if there is no game, or an anchor has not played.
    """
    from jinja2 import Template

    games = [game for folder in folders for game in read_games(folder)]
    played = played_of(games)
    ratings = fit(played, anchors)
    table = scores(played)
    rows = []
    for i, name in enumerate(ratings.names):
        own = total(table, name)
        following = ratings.names[i + 1] if i + 1 < len(ratings.names) else ""
        rows.append(
            {
                "name": name, "elo": f"{ratings.elo[i]:.0f}", "half": f"± {ratings.half_width(name):.0f}",
                "games": own.games, "rate": f"{100 * own.rate:.1f} %",
                "los": f"{100 * ratings.superiority(name, following):.1f} %" if following else "",
            }
        )  # fmt: skip
    cross = [
        (name, [_cell(table.get((name, other))) if other != name else "" for other in ratings.names])
        for name in ratings.names
    ]
    first = games[0]
    page = Template(PAGE, autoescape=True).render(
        title="gomoku tournament", rows=rows, names=ratings.names, cross=cross, advantage=f"{ratings.advantage:.0f}",
        conditions=f"{len(games)} games, {first['rule']} {first['size'][0]}x{first['size'][1]}",
        anchors=", ".join(f"{name} {elo:.0f}" for name, elo in anchors.items()) or "nobody",
        reasons=Counter(game["reason"] for game in games).most_common(), plots="PLOTS",
    )  # fmt: skip
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(page.replace("PLOTS", _svg(rating_figure(ratings)) + _svg(_length_figure(games))))


def played_of(games: list[dict[str, Any]]) -> list[Played]:
    """
    What the records of games count.

    :raises: `ValueError` if there are none.
    """
    if not games:
        raise ValueError("there are no games to rate")
    return [Played(game["black"], game["white"], game["round"], game["points"]) for game in games]


def _cell(score: Score | None) -> str:
    return f"+{score.wins} ={score.draws} -{score.losses}" if score else ""


def rating_figure(ratings: Ratings) -> Figure:
    """The list as points with intervals."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 0.4 * len(ratings.names) + 1.2), layout="constrained")
    axes = figure.subplots()
    halves = [ratings.half_width(name) for name in ratings.names]
    places = range(len(ratings.names), 0, -1)
    axes.errorbar(ratings.elo, places, xerr=halves, fmt="o", capsize=4, color="#1f4e79")
    axes.set_yticks(places, ratings.names)
    axes.set_xlabel("Elo, 95 % intervals")
    axes.grid(axis="x", alpha=0.4)
    return figure


def _length_figure(games: list[dict[str, Any]]) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 2.6), layout="constrained")
    axes = figure.subplots()
    axes.hist([len(game["moves"].split()) for game in games], bins=40, color="#1f4e79")
    axes.set_xlabel("moves of a game")
    return figure


def _svg(figure: Figure) -> str:
    text = io.StringIO()
    figure.savefig(text, format="svg")
    return text.getvalue()[text.getvalue().index("<svg") :]
