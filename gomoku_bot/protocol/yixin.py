"""The extensions that the Yixin-Board family and c-gomoku-cli send."""

from __future__ import annotations

from gomoku_bot.protocol.piskvork import Answer, Block, Piskvork, Thought, whole_number

MOST_LINES = 20


class YixinPiskvork(Piskvork):
    """`Piskvork` and the extensions; stopping a thought (``YXSTOP``, ``STOP``) is the loop's business."""

    def do_yxboard(self, rest: str) -> Answer:
        """``BOARD`` without an answer."""
        self._need_start()
        self.block = Block("YXBOARD")
        return None

    def do_yxnbest(self, rest: str) -> Answer:
        """Thinks on the board as it stands and tells of the *n* best moves before the answer."""
        self._need_start()
        count = whole_number(rest)
        if not 1 <= count <= MOST_LINES:
            raise ValueError(f"YXNBEST takes 1 to {MOST_LINES}, not {count}")
        if self.engine.position.is_over:
            raise ValueError("the game is over")
        return Thought(best=count)

    def do_yxshowforbid(self, rest: str) -> Answer:
        """``FORBID`` with two digits each for x and y of every forbidden point, and a full stop."""
        self._need_start()
        points = self.engine.position.forbidden()
        return "FORBID " + "".join(f"{x:02}{y:02}" for x, y in points) + "."

    def do_yxhashclear(self, rest: str) -> Answer:
        """Forgets what earlier thoughts have found."""
        self.engine.forget()
        return None

    def do_yxshowinfo(self, rest: str) -> Answer:
        """One line for people: search, rule, board."""
        position = self.engine.position
        return (
            f"MESSAGE search {self.engine.search}, rule {position.rule.name.lower()}, board "
            f"{position.width}x{position.height}, {len(position.moves)} stones"
        )
