"""
JSON lines in, JSON lines out: the interface for tools, tests and boards (after KataGo's analysis engine).

Query keys: ``id``, ``rule``, ``width``, ``height``, ``moves`` [[x, y], ...] in order of play, or ``black`` and
``white`` stone lists with ``toMove`` (``black`` or ``white``); ``engine`` (a search), ``maxVisits``, ``maxTimeMs``,
``topMoves``, ``include`` (any of ``policy``, ``forbidden``, ``forcedWin``). README.md lists the answer's keys.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from typing import Any

from gomoku_bot.clock import Deadline
from gomoku_bot.core.position import Point, Position
from gomoku_bot.engine import DEFAULT_SEARCH, SEARCHES, Engine
from gomoku_bot.rules import Color, Rule
from gomoku_bot.tactics.solver import Solver

DEFAULT_TIME_MS = 1_000
DEFAULT_TOP_MOVES = 10
INCLUDES = ("policy", "forbidden", "forcedWin")
KEYS = frozenset("id rule width height moves black white toMove engine maxVisits maxTimeMs topMoves include".split())


def serve(lines: Iterable[str]) -> Iterator[str]:
    """Answers every line that is not empty with one line; a bad query gets an ``error`` and the next is served."""
    engines: dict[str, Engine] = {}
    for line in lines:
        if not line.strip():
            continue
        identity: object = None
        try:
            query = json.loads(line)
            if not isinstance(query, dict):
                raise ValueError("a query is a JSON object")
            identity = query.get("id")
            answer = _answer(query, engines)
        except (ValueError, RecursionError) as error:
            answer = {"error": str(error) or type(error).__name__}
        yield json.dumps({"id": identity, **answer})


def _answer(query: dict[str, Any], engines: dict[str, Engine]) -> dict[str, Any]:
    """The answer without its id; raises `ValueError` that names the bad key."""
    began = time.monotonic()
    unknown = sorted(set(query) - KEYS)
    if unknown:
        raise ValueError(f"unknown key {unknown[0]!r}")
    position = _position(query)
    search = query.get("engine", DEFAULT_SEARCH)
    if search not in SEARCHES:
        raise ValueError(f"engine {search!r} is none of {', '.join(SEARCHES)}")
    include = query.get("include", [])
    if not isinstance(include, list) or any(part not in INCLUDES for part in include):
        raise ValueError(f"include {include!r} is not a list out of {', '.join(INCLUDES)}")
    visits = _number(query, "maxVisits", None, 1)
    milliseconds = _number(query, "maxTimeMs", None if visits else DEFAULT_TIME_MS, 0)
    top = _number(query, "topMoves", DEFAULT_TOP_MOVES, 0)
    if position.is_over:
        raise ValueError("the game is over")
    engine = engines.setdefault(search, Engine(search))
    engine.max_visits = visits
    deadline = Deadline(began + milliseconds / 1000) if milliseconds is not None else None
    result = engine.think(deadline, position=position)
    win, draw, _ = result.wdl
    answer: dict[str, Any] = {
        "move": list(result.move),
        "winrate": round(win + draw / 2, 6),
        "draw": round(draw, 6),
        "value": round(result.value, 6),
        "visits": result.visits,
        "proven": result.proven,
        "moves": [
            {
                "move": list(m.move), "visits": m.visits, "prior": round(m.prior, 6), "winrate": round(m.win, 6),
                "pv": [list(p) for p in m.line],
            }
            for m in result.moves[:top]
        ],
    }  # fmt: skip
    if engine.trouble:
        answer["warning"] = engine.trouble
    if "policy" in include:
        policy = engine.evaluator().policy([position])[0].reshape(position.height, position.width)
        answer["policy"] = [[float(p) for p in row] for row in policy]
    if "forbidden" in include:
        answer["forbidden"] = [list(p) for p in position.forbidden()]
    if "forcedWin" in include:
        proof = Solver().solve(position, (milliseconds or DEFAULT_TIME_MS) / 1000)
        answer["forcedWin"] = (
            {"moves": [list(p) for p in proof.line], "plies": len(proof.line)} if proof.is_win else None
        )
    answer["timeMs"] = round(1000 * (time.monotonic() - began), 3)
    return answer


def _position(query: dict[str, Any]) -> Position:
    rule = Rule.from_name(query.get("rule", "freestyle")) if isinstance(query.get("rule", ""), str) else None
    if rule is None:
        raise ValueError(f"rule {query['rule']!r} is not a name")
    width = _number(query, "width", 15, 1) or 15
    height = _number(query, "height", width, 1) or width
    if "black" not in query and "white" not in query:
        if "toMove" in query:
            raise ValueError("toMove goes with black and white")
        return Position.from_moves(_points(query, "moves"), width, height, rule)
    if "moves" in query:
        raise ValueError("moves and black or white exclude each other")
    position = Position.from_stones(_points(query, "black"), _points(query, "white"), width, height, rule)
    to_move = query.get("toMove", position.turn.name.lower())
    if to_move not in ("black", "white"):
        raise ValueError(f"toMove {to_move!r} is neither black nor white")
    if Color[to_move.upper()] is not position.turn:
        stones = len(position.moves)
        raise ValueError(f"toMove {to_move} does not fit {stones - stones // 2} black and {stones // 2} white stones")
    return position


def _points(query: dict[str, Any], key: str) -> list[Point]:
    points = query.get(key, [])
    if not isinstance(points, list):
        raise ValueError(f"{key} is not a list of [x, y]")
    for point in points:
        if not (isinstance(point, list) and len(point) == 2 and all(type(part) is int for part in point)):
            raise ValueError(f"{key} holds {json.dumps(point)[:60]}, which is not [x, y]")
    return [(x, y) for x, y in points]


def _number(query: dict[str, Any], key: str, default: int | None, least: int) -> int | None:
    number = query.get(key, default)
    if number is not None and (type(number) is not int or number < least):
        raise ValueError(f"{key} {number!r} is not a whole number from {least}")
    return number
