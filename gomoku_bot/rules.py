"""What each rule calls a win, and which points it forbids."""

from __future__ import annotations

import enum

MIN_SIZE, MAX_SIZE = 5, 32
"""Smallest and largest width and height of a board."""


class Color(enum.IntEnum):
    """Owner of a stone; black moves first."""

    BLACK = 1
    WHITE = 2

    @property
    def opponent(self) -> Color:
        return Color(3 - self)


class Rule(enum.IntEnum):
    """
    The rule of a game; the number is the bit mask of the protocol's ``INFO rule``.

    >>> Rule.from_mask(6)  # renju, continuous game
    <Rule.RENJU: 4>
    """

    FREESTYLE = 0
    """Five or more in a row win."""

    STANDARD = 1
    """Exactly five win."""

    RENJU = 4
    """Black wins with exactly five and has forbidden points; white wins with five or more."""

    CARO = 8
    """More than five win, and five that are not blocked by enemy stones at both ends."""

    CARO_EXACT = 9
    """Exactly five win, if not blocked by enemy stones at both ends."""

    @classmethod
    def from_mask(cls, mask: int) -> Rule:
        """The rule in a protocol mask; bit 2 (continuous game) and unknown bits are not part of it."""
        if mask & 4:
            return cls.RENJU
        return cls(mask & 9)

    @classmethod
    def from_name(cls, name: str) -> Rule:
        """
        The rule called *name*, in any case: freestyle, standard, renju, caro, caro_exact.

        :raises: `ValueError` if no rule has this name.
        """
        try:
            return cls[name.upper()]
        except KeyError:
            known = ", ".join(rule.name.lower() for rule in cls)
            raise ValueError(f"no rule is called {name!r}; there are {known}") from None

    def exact_five(self, color: Color) -> bool:
        """Whether six and more in a row do not win for *color*."""
        return self in (Rule.STANDARD, Rule.CARO_EXACT) or self.has_forbidden_points(color)

    @property
    def blocked_five_fails(self) -> bool:
        """Whether a five with enemy stones at both ends does not win."""
        return self in (Rule.CARO, Rule.CARO_EXACT)

    def has_forbidden_points(self, color: Color) -> bool:
        """Whether *color* may not make an overline, a double-four or a double-three."""
        return self is Rule.RENJU and color is Color.BLACK


CONTINUOUS = 2
"""The bit of the protocol's rule mask that lets play go on after a five."""
