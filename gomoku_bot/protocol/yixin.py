"""The extensions that the Yixin-Board family and c-gomoku-cli send."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gomoku_bot.protocol.piskvork import Answer, Piskvork

MOST_LINES = 20


class YixinCommands:
    """Mixed into `Piskvork`; stopping a thought (``YXSTOP``, ``STOP``) is the loop's business."""

    def do_yxboard(self: Piskvork, rest: str) -> Answer:
        """``BOARD`` without an answer."""
        from gomoku_bot.protocol.piskvork import Block

        self._need_start()
        self.block = Block("YXBOARD")
        return None

    def do_yxnbest(self: Piskvork, rest: str) -> Answer:
        """Thinks on the board as it stands and tells of the *n* best moves before the answer."""
        from gomoku_bot.protocol.piskvork import Thought, _number

        self._need_start()
        count = _number(rest)
        if not 1 <= count <= MOST_LINES:
            raise ValueError(f"YXNBEST takes 1 to {MOST_LINES}, not {count}")
        if self.engine.position.is_over:
            raise ValueError("the game is over")
        return Thought(best=count)

    def do_yxshowforbid(self: Piskvork, rest: str) -> Answer:
        """``FORBID`` with two digits each for x and y of every forbidden point, and a full stop."""
        self._need_start()
        points = self.engine.position.forbidden()
        return "FORBID " + "".join(f"{x:02}{y:02}" for x, y in points) + "."

    def do_yxhashclear(self: Piskvork, rest: str) -> Answer:
        """Forgets what earlier thoughts have found."""
        self.engine.forget()
        return None

    def do_yxshowinfo(self: Piskvork, rest: str) -> Answer:
        position = self.engine.position
        return (
            f"MESSAGE search {self.engine.search}, rule {position.rule.name.lower()}, board "
            f"{position.width}x{position.height}, {len(position.moves)} stones"
        )
