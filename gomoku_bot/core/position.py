"""A game position: the friendly door to the compiled board."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from gomoku_bot.core._board_cy import Board
from gomoku_bot.core._forbidden_cy import is_forbidden
from gomoku_bot.core.grid import point_of, square_of
from gomoku_bot.rules import MAX_SIZE, MIN_SIZE, Color, Rule

Point = tuple[int, int]

FIVE = 8
"""Point kind of a stone that makes a winning five (`core._patterns_cy`)."""


class IllegalMoveError(ValueError):
    """A stone cannot be put there: the point is taken or off the board, or the game is over."""


class Position:
    """
    Stones on a board, whose turn it is, and whether somebody has won.

    >>> position = Position(15, 15, Rule.STANDARD)
    >>> position.play(7, 7)
    >>> position.turn.name, position.moves
    ('WHITE', [(7, 7)])

    :raises: `ValueError` for a board outside 5x5 to 32x32.
    """

    def __init__(
        self, width: int = 15, height: int = 15, rule: Rule = Rule.FREESTYLE, *, continuous: bool = False
    ) -> None:
        self.check_size(width, height)
        self.width, self.height, self.rule = width, height, rule
        self.continuous = continuous
        """Whether play goes on after a five."""
        self.board = Board(width, height, int(rule))
        """The compiled board; squares and colours are numbered as `core._board_cy` says."""
        self.moves: list[Point] = []
        """The stones in order of play (after `from_stones` in an order that fits)."""
        self.turn = Color.BLACK
        self.winner: Color | None = None
        self.blocked: list[Point] = []
        """Points that neither side may use, such as the winning lines of a continuous game."""

    @staticmethod
    def check_size(width: int, height: int) -> None:
        """Raises `ValueError` for a board outside 5x5 to 32x32."""
        if not (MIN_SIZE <= width <= MAX_SIZE and MIN_SIZE <= height <= MAX_SIZE):
            least, most = f"{MIN_SIZE}x{MIN_SIZE}", f"{MAX_SIZE}x{MAX_SIZE}"
            raise ValueError(f"a board of {width}x{height} is outside {least} to {most}")

    @classmethod
    def from_moves(
        cls, moves: Iterable[Point], width: int = 15, height: int = 15, rule: Rule = Rule.FREESTYLE
    ) -> Position:
        """
        The position after *moves*, black first.

        :raises: `IllegalMoveError` that names the first stone that cannot be played.
        """
        position = cls(width, height, rule)
        for x, y in moves:
            position.play(x, y)
        return position

    @classmethod
    def from_stones(
        cls,
        black: Iterable[Point],
        white: Iterable[Point],
        width: int = 15,
        height: int = 15,
        rule: Rule = Rule.FREESTYLE,
        *,
        continuous: bool = False,
        blocked: Iterable[Point] = (),
    ) -> Position:
        """
        The position with these stones; black is to move if both have as many, else white.

        Stones that stand in a five are no obstacle: the game is then over.

        :raises: `ValueError` that names the stone or the wrong counts.
        """
        position = cls(width, height, rule, continuous=continuous)
        blacks, whites = list(black), list(white)
        if len(blacks) - len(whites) not in (0, 1):
            raise ValueError(f"{len(blacks)} black and {len(whites)} white stones cannot come from a game")
        for point in blocked:
            position._check(*point)
            position.blocked.append(point)
            position.board.make(square_of(*point), 2)
        for ply in range(len(blacks) + len(whites)):
            x, y = (blacks if ply % 2 == 0 else whites)[ply // 2]
            position._check(x, y)
            position._put(x, y)
        return position

    @classmethod
    def from_board(cls, board: Board, mover: int) -> Position:
        """A position of its own with the stones of *board*, *mover* (0 black, 1 white) to move."""
        position = cls(board.width, board.height, Rule(board.rule), continuous=True)
        for x, y in position.points:
            cell = board.cell_at(square_of(x, y))
            if cell:
                position.board.make(square_of(x, y), cell - 1)
        position.turn = Color(mover + 1)
        return position

    def play(self, x: int, y: int) -> None:
        """
        Puts a stone of the side to move on column *x*, row *y*.

        A forbidden point may be played: it loses, as the rules have it.

        :raises: `IllegalMoveError` if the point is taken or off the board, or the game is over.
        """
        if self.winner is not None:
            self._check(x, y)
            raise IllegalMoveError(f"{x},{y} comes too late: {self.winner.name.lower()} has won")
        self.put(x, y)

    def put(self, x: int, y: int) -> None:
        """
        As `play`, but the game may be over: whoever asks for another stone has other rules in mind.

        :raises: `IllegalMoveError` if the point is taken or off the board.
        """
        self._check(x, y)
        self._put(x, y)

    def _check(self, x: int, y: int) -> None:
        if not (0 <= x < self.width and 0 <= y < self.height):
            raise IllegalMoveError(f"{x},{y} is off the {self.width}x{self.height} board")
        if self.board.cell_at(square_of(x, y)):
            stone = f"stone {self.moves.index((x, y)) + 1}" if (x, y) in self.moves else "blocked"
            raise IllegalMoveError(f"{x},{y} is taken ({stone})")

    def _put(self, x: int, y: int) -> None:
        square, mover = square_of(x, y), self.turn
        if self.winner is None and not self.continuous:
            if self.board.point_at(square, mover - 1) & 15 == FIVE:
                self.winner = mover
            elif mover is Color.BLACK and is_forbidden(self.board, square):
                self.winner = Color.WHITE
        self.board.make(square, mover - 1)
        self.moves.append((x, y))
        self.turn = mover.opponent

    def undo(self) -> Point:
        """
        Takes back the newest stone and returns its point.

        :raises: `IndexError` if there is none.
        """
        point = self.moves.pop()
        self.board.unmake()
        self.turn = self.turn.opponent
        self.winner = None
        return point

    @property
    def is_full(self) -> bool:
        return len(self.moves) + len(self.blocked) == self.width * self.height

    @property
    def is_over(self) -> bool:
        """Whether somebody has won or no point is left."""
        return self.winner is not None or self.is_full

    @property
    def key(self) -> int:
        """Zobrist hash of the stones; 64 bits."""
        return int(self.board.key)

    @cached_property
    def points(self) -> list[Point]:
        """All points of the board, row by row."""
        return [(x, y) for y in range(self.height) for x in range(self.width)]

    def is_empty(self, x: int, y: int) -> bool:
        """Whether *x*, *y* is a point of the board without a stone."""
        return 0 <= x < self.width and 0 <= y < self.height and not self.board.cell_at(square_of(x, y))

    def stones(self, color: Color) -> list[Point]:
        """The points with stones of *color*, oldest first."""
        return self.moves[color - 1 :: 2]

    def forbidden(self) -> list[Point]:
        """Black's forbidden points (renju), row by row; of no meaning for white."""
        if self.rule is not Rule.RENJU:
            return []
        return [p for p in self.points if self.is_empty(*p) and is_forbidden(self.board, square_of(*p))]

    def legal_moves(self) -> list[Point]:
        """The points that do not lose by rule, row by row: empty and not forbidden to the side to move."""
        empty = [p for p in self.points if self.is_empty(*p)]
        if not self.rule.has_forbidden_points(self.turn):
            return empty
        return [p for p in empty if not is_forbidden(self.board, square_of(*p))]

    def fives(self, color: Color) -> list[Point]:
        """The points where a stone of *color* makes a winning five, row by row."""
        if not self.board.total_of(color - 1, FIVE):
            return []
        return [
            p for p in self.points
            if self.is_empty(*p) and self.board.point_at(square_of(*p), color - 1) & 15 == FIVE
        ]  # fmt: skip

    def near(self, distance: int = 2) -> list[Point]:
        """The empty points at most *distance* columns and rows from a stone, row by row."""
        reach = range(-distance, distance + 1)
        close = {(x + dx, y + dy) for x, y in self.moves for dx in reach for dy in reach}
        return [p for p in self.points if p in close and self.is_empty(*p)]

    def copy(self) -> Position:
        """A position of its own with the same stones, turn and winner."""
        other = Position(self.width, self.height, self.rule, continuous=self.continuous)
        for point in self.blocked:
            other.blocked.append(point)
            other.board.make(square_of(*point), 2)
        for x, y in self.moves:
            other.board.make(square_of(x, y), other.turn - 1)
            other.moves.append((x, y))
            other.turn = other.turn.opponent
        other.winner = self.winner
        return other

    def __str__(self) -> str:
        """The board drawn with ``X`` for black, ``O`` for white, row 0 on top."""
        marks = ".XO#"
        return "\n".join(
            " ".join(marks[self.board.cell_at(square_of(x, y))] for x in range(self.width)) for y in range(self.height)
        )


__all__ = ["IllegalMoveError", "Position", "point_of", "square_of"]
