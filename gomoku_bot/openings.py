"""Swap2 and the first stone, given a way to judge positions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from gomoku_bot.core.position import Point, Position
from gomoku_bot.evaluator.base import Evaluator

FAIR = 0.1
"""A value (win minus loss) so near to 0 is as good for either colour."""

OPENING_TRIES = 256
REPLY_MOVES = 12
"""Fourth and fifth stones are sought among so many of the policy's best moves each."""


def first_move(position: Position) -> Point:
    """The free point nearest the middle."""
    x, y = (position.width - 1) / 2, (position.height - 1) / 2
    empty = [p for p in position.points if position.is_empty(*p)]
    return min(empty, key=lambda p: ((p[0] - x) ** 2 + (p[1] - y) ** 2, p))


def propose(position: Position, evaluator: Evaluator, rng: np.random.Generator) -> list[Point]:
    """
    The first three stones of swap2 (black, white, black) on the empty *position*: of many random triples near a
    random corner region or the middle, the one that the value network calls most even.
    """
    tries: list[Position] = []
    while len(tries) < OPENING_TRIES:
        low = np.array([position.width, position.height]) // 5
        corner = [
            rng.integers(side, max(side + 1, full - side))
            for side, full in zip(low, (position.width, position.height), strict=True)
        ]
        stones = {(int(corner[0] + dx), int(corner[1] + dy)) for dx, dy in rng.integers(-3, 4, (3, 2))}
        if len(stones) == 3 and all(position.is_empty(*stone) for stone in stones):
            tries.append(_after(position, sorted(stones, key=lambda _: rng.random())))
    return tries[int(np.argmin(np.abs(_values(tries, evaluator))))].moves


def answer(position: Position, think: Callable[[], Point], evaluator: Evaluator) -> list[Point]:
    """
    Our answer after three or five stones of swap2, white to move: an empty list swaps.

    After three: keep white and play if white is better, swap if black is, else two stones that leave it even.
    After five: keep white and play unless black is better.
    """
    value = _values([position], evaluator)[0]
    if len(position.moves) == 3 and abs(value) < FAIR:
        return _two_stones(position, evaluator)
    if value < 0:
        return []
    return [think()]


def _two_stones(position: Position, evaluator: Evaluator) -> list[Point]:
    """The fourth and fifth stone after which the position is most even."""
    pairs = [
        [fourth, fifth]
        for fourth in _likely(position, evaluator)
        for fifth in _likely(_after(position, [fourth]), evaluator)
    ]
    values = _values([_after(position, pair) for pair in pairs], evaluator)
    return pairs[int(np.argmin(np.abs(values)))]


def _likely(position: Position, evaluator: Evaluator) -> list[Point]:
    order = np.argsort(-evaluator.policy([position])[0], kind="stable")[:REPLY_MOVES]
    return [(int(i) % position.width, int(i) // position.width) for i in order]


def _after(position: Position, moves: Sequence[Point]) -> Position:
    copy = position.copy()
    for move in moves:
        copy.play(*move)
    return copy


def _values(positions: Sequence[Position], evaluator: Evaluator) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """Win minus loss of each side to move, ``[B]``."""
    wdl = evaluator.value(positions)
    return wdl[:, 0] - wdl[:, 2]
