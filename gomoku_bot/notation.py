"""Points as text: ``7,7`` on the wire, ``h8`` for people, position strings such as ``h8i9``."""

from __future__ import annotations

import re
from collections.abc import Iterable

Point = tuple[int, int]
"""Column and row, both from zero."""

_POINT = re.compile(r"\s*(-?[0-9]{1,9})\s*,\s*(-?[0-9]{1,9})\s*", re.ASCII)
_NAMED = re.compile(r"([a-z])([1-9][0-9]?)", re.ASCII)


def parse_point(text: str) -> Point:
    """
    Reads ``x,y``.

    >>> parse_point("3,14")
    (3, 14)

    :raises: `ValueError` if *text* is anything but two whole numbers and a comma.
    """
    match = _POINT.fullmatch(text)
    if not match:
        raise ValueError(f"{text!r} is not a point x,y")
    return int(match[1]), int(match[2])


def format_point(point: Point) -> str:
    """The point as the protocol writes it, ``x,y``."""
    return f"{point[0]},{point[1]}"


def point_name(point: Point) -> str:
    """
    The point for people: letter of the column, number of the row. Past column z it is ``x,y``.

    >>> point_name((7, 7))
    'h8'
    """
    x, y = point
    return f"{chr(ord('a') + x)}{y + 1}" if x < 26 else format_point(point)


def parse_name(text: str) -> Point:
    """
    Reads ``h8``, or ``7,7``.

    :raises: `ValueError` if it is neither.
    """
    match = _NAMED.fullmatch(text.strip().lower())
    return (ord(match[1]) - ord("a"), int(match[2]) - 1) if match else parse_point(text)


def parse_position(text: str) -> list[Point]:
    """
    Reads a position string: the moves in order of play, black first.

    >>> parse_position("h8i9")
    [(7, 7), (8, 8)]

    :raises: `ValueError` that quotes what could not be read.
    """
    text = text.strip().lower()
    moves = []
    at = 0
    while at < len(text):
        match = _NAMED.match(text, at)
        if not match:
            raise ValueError(f"{text[at:]!r} in position string {text!r} does not begin with a point like h8")
        moves.append((ord(match[1]) - ord("a"), int(match[2]) - 1))
        at = match.end()
    return moves


def format_position(moves: Iterable[Point]) -> str:
    """The position string of *moves*; columns past z have none."""
    return "".join(point_name(move) for move in moves)
