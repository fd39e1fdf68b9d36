"""The rules, slow and obvious: what the compiled core is checked against. A line is a tuple of cells."""

from __future__ import annotations

from functools import cache

from gomoku_bot.rules import Color, Rule

EMPTY, MINE, THEIRS = 0, 1, 2
Line = tuple[int, ...]
Stones = dict[tuple[int, int], Color]
DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))


def run_of(line: Line, at: int) -> tuple[int, int]:
    """First and last index of the own stones in a row through *at*."""
    low = high = at
    while low > 0 and line[low - 1] == MINE:
        low -= 1
    while high + 1 < len(line) and line[high + 1] == MINE:
        high += 1
    return low, high


def put(line: Line, at: int, cell: int) -> Line:
    return (*line[:at], cell, *line[at + 1 :])


@cache
def is_five(line: Line, at: int, exact: bool, blockable: bool) -> bool:
    """Whether the own stone at *at* stands in a winning row."""
    low, high = run_of(line, at)
    length = high - low + 1
    if length < 5 or (length > 5 and exact):
        return False
    if length == 5 and blockable:
        ends = [line[i] for i in (low - 1, high + 1) if 0 <= i < len(line)]
        return ends.count(THEIRS) < 2
    return True


def empties(line: Line, at: int) -> list[int]:
    return [i for i, cell in enumerate(line) if cell == EMPTY and abs(i - at) <= 5]


@cache
def is_four(line: Line, at: int, exact: bool, blockable: bool) -> bool:
    """Whether one more stone makes a winning five through *at*."""
    return any(
        run_of(put(line, i, MINE), at)[0] <= i <= run_of(put(line, i, MINE), at)[1]
        and is_five(put(line, i, MINE), at, exact, blockable)
        for i in empties(line, at)
    )


@cache
def is_open_four(line: Line, at: int, exact: bool, blockable: bool, straight: bool) -> bool:
    """Whether no single answer on the line stops the five; straight: by four stones side by side."""
    if is_five(line, at, exact, blockable) or not is_four(line, at, exact, blockable):
        return False
    if any(not is_four(put(line, i, THEIRS), at, exact, blockable) for i in empties(line, at)):
        return False
    low, high = run_of(line, at)
    return not straight or high - low == 3


def pattern(line: Line, at: int, exact: bool, blockable: bool, straight: bool) -> str:
    """What an own stone on the empty *at* makes of the line."""
    after = put(line, at, MINE)
    low, high = run_of(after, at)
    five = (exact, blockable)
    if is_five(after, at, *five):
        return "five"
    if exact and high - low >= 5:
        return "overline"
    if is_four(after, at, *five):
        if is_open_four(after, at, *five, straight):
            return "open four"
        if straight and is_open_four(after, at, *five, False):
            return "double four"
        return "four"
    if makes(after, at, five, straight, "open four"):
        return "open three"
    if makes(after, at, five, straight, "four"):
        return "three"
    for i in empties(after, at):
        if makes(put(after, i, MINE), at, five, straight, "open four"):
            return "open two"
    for i in empties(after, at):
        if makes(put(after, i, MINE), at, five, straight, "four"):
            return "two"
    return "nothing"


def makes(line: Line, at: int, five: tuple[bool, bool], straight: bool, goal: str) -> bool:
    """Whether one more own stone makes the goal through *at*."""
    for i in empties(line, at):
        after = put(line, i, MINE)
        if goal == "four" and is_four(after, at, *five):
            return True
        if goal == "open four" and is_open_four(after, at, *five, straight):
            return True
    return False


def line_through(
    stones: Stones, width: int, height: int, point: tuple[int, int], direction: tuple[int, int], color: Color
) -> tuple[Line, int]:
    """The whole line of the board through *point* in *color*'s view, and the point's index on it."""
    (x, y), (dx, dy) = point, direction
    while 0 <= x - dx < width and 0 <= y - dy < height:
        x, y = x - dx, y - dy
    cells, at = [], 0
    while 0 <= x < width and 0 <= y < height:
        if (x, y) == point:
            at = len(cells)
        owner = stones.get((x, y))
        cells.append(EMPTY if owner is None else MINE if owner is color else THEIRS)
        x, y = x + dx, y + dy
    return tuple(cells), at


def patterns(stones: Stones, width: int, height: int, point: tuple[int, int], color: Color, rule: Rule) -> list[str]:
    """The four line patterns of a stone of *color* on *point*."""
    exact, straight = rule.exact_five(color), rule.has_forbidden_points(color)
    lines = [line_through(stones, width, height, point, direction, color) for direction in DIRECTIONS]
    return [pattern(line, at, exact, rule.blocked_five_fails, straight) for line, at in lines]


def wins(stones: Stones, width: int, height: int, point: tuple[int, int], color: Color, rule: Rule) -> bool:
    """Whether a stone of *color* on the empty *point* wins at once."""
    return "five" in patterns(stones, width, height, point, color, rule)


def is_forbidden(stones: Stones, width: int, height: int, point: tuple[int, int]) -> bool:
    """Whether black may not play on *point* (Renju International Federation, rules 9.2 and 9.3)."""
    found = patterns(stones, width, height, point, Color.BLACK, Rule.RENJU)
    if "five" in found:
        return False
    if "overline" in found or "double four" in found or found.count("four") + found.count("open four") > 1:
        return True
    after = {**stones, point: Color.BLACK}
    threes = 0
    for (dx, dy), kind in zip(DIRECTIONS, found, strict=True):
        if kind != "open three":
            continue
        for step in [*range(-5, 0), *range(1, 6)]:
            x, y = point[0] + step * dx, point[1] + step * dy
            if not (0 <= x < width and 0 <= y < height) or (x, y) in after:
                continue
            between = [(point[0] + s * dx, point[1] + s * dy) for s in range(min(step, 0), max(step, 0) + 1)]
            together = all(after.get(p) is Color.BLACK for p in between if p != (x, y))
            there = patterns(after, width, height, (x, y), Color.BLACK, Rule.RENJU)
            straight = there[DIRECTIONS.index((dx, dy))] == "open four"
            if together and straight and "five" not in there and not is_forbidden(after, width, height, (x, y)):
                threes += 1
                break
    return threes > 1
