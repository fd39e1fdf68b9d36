"""
Alpha-beta: negamax with iterative deepening, a transposition table, aspiration, killers and history.

Quiescence is the threat solver. Leaves are judged by shapes or by the value network, moves near the root are ordered by
the policy network; each of these can be switched, to be compared.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from operator import itemgetter

import numpy as np

from gomoku_bot.core._board_cy import Board
from gomoku_bot.core._planes_cy import write_allowed, write_kinds
from gomoku_bot.core.grid import square_of
from gomoku_bot.core.position import Point, Position
from gomoku_bot.evaluator.base import Evaluator, Floats, masked_softmax
from gomoku_bot.search._alphabeta_cy import SURE, WIN, AlphaBeta
from gomoku_bot.search.base import Limits, Report, Result, RootMove, root_priors

OWN_VALUES = (0, 3, 7, 17, 37, 37, 296, 606, 1000)
ENEMY_VALUES = (0, -1, -6, -11, -25, -33, -123, -86, -500)
"""
Hundredths of log-odds by point kind (`core._patterns_cy`), as ``python -m training.pattern_values`` fits them; the
last, a five, only orders moves.
"""

TABLE_BITS = 19
WIDTH = 24
"""Moves looked at of a position."""

LEAF_NODES = 60
"""Positions that the solver visits at a leaf, looking for a VCF."""

WINDOW = 120
"""Half of the first aspiration window, in hundredths of log-odds."""

UNTIMED_NODES = 20_000
DEEPEST = 40


Ranked = list[tuple[int, Point, float]]
"""Root moves: score, move, prior."""


class AlphaBetaSearch:
    """Keeps its table from move to move of one game."""

    def __init__(
        self, evaluator: Evaluator, *, table: bool = True, net_order: bool = True, net_leaf: bool = False
    ) -> None:
        """table, net_order, net_leaf: whether these parts are used; without them shapes order and judge."""
        self.name = f"alpha-beta ({evaluator.name if net_order or net_leaf else 'shapes'})"
        self.evaluator = evaluator
        self.net_order = net_order
        self._core = AlphaBeta(
            list(OWN_VALUES), list(ENEMY_VALUES), TABLE_BITS if table else 0, WIDTH, LEAF_NODES,
            self._chance if net_leaf else None, self._policy if net_order else None,
        )  # fmt: skip
        self._game: tuple[object, ...] = ()

    def think(self, position: Position, limits: Limits, stop: threading.Event, report: Report) -> Result:
        """Limits count positions as visits. Without a deadline and a visit limit, `UNTIMED_NODES` are visited."""
        game = (position.width, position.height, position.rule)
        if game != self._game:
            self._core.clear()
            self._game = game
        policy = self._policy(position.board, position.turn - 1)
        moves = [(move, prior) for move, prior in root_priors(position, policy, limits.among)][:WIDTH]
        most = limits.visits or (UNTIMED_NODES if limits.deadline is None else 1 << 60)
        visited, told = 0, time.monotonic()
        best: Ranked = [(0, move, prior) for move, prior in moves]

        def over() -> bool:
            return stop.is_set() or limits.seconds_left() <= 0

        for depth in range(1, DEEPEST + 1):
            window = WINDOW
            guess = best[0][0]
            while True:
                low, high = guess - window, guess + window
                scores, used, whole = self._depth(position, best, depth, low, high, most - visited, over)
                visited += used
                if not whole or low < scores[0][0] < high or window > 2 * WIN:
                    break
                window *= 4
            if whole or (scores and scores[0][0] > best[0][0]):
                seen = {move for _, move, _ in scores}
                best = scores + [entry for entry in best if entry[1] not in seen]
            if not whole or abs(best[0][0]) > SURE or over() or visited >= most:
                break
            if time.monotonic() - told > 0.1:
                told = time.monotonic()
                report(self._result(best, visited))
        return self._result(best, visited)

    def _depth(
        self, position: Position, best: Ranked, depth: int, alpha: int, beta: int, most: int, over: Callable[[], bool]
    ) -> tuple[Ranked, int, bool]:
        """One iteration over the root moves; the best first, positions visited, whether it came to its end."""
        scores: Ranked = []
        used, top, mover = 0, alpha, position.turn - 1
        for i, (_, move, prior) in enumerate(best):
            low, high = (top, beta) if i == 0 else (top, top + 1)
            while True:
                score, nodes, whole = self._core.search(
                    position.board, mover, square_of(*move), depth - 1, low, high, most - used, over
                )
                used += nodes
                if not whole:
                    return sorted(scores, key=itemgetter(0), reverse=True), used, False
                if i == 0 or not top < score < beta or high == beta:
                    break
                high = beta
            scores.append((score if score > top or i == 0 else min(score, top), move, prior))
            top = max(top, score)
            if top >= beta:
                break
        return sorted(scores, key=itemgetter(0), reverse=True), used, True

    def _result(self, best: Ranked, visited: int) -> Result:
        """Chances out of scores; a proven win is one, since every answer to a threat is looked at."""
        moves = [RootMove(move, prior, 0, _chance_of(score), (move,)) for score, move, prior in best]
        win = moves[0].win
        return Result(moves[0].move, (win, 0.0, 1 - win), visited, moves, best[0][0] > SURE)

    def _policy(self, board: Board, mover: int) -> Floats:
        """Move probabilities ``[H * W]`` of the network, or what shapes are worth."""
        if self.net_order:
            leaves = self.evaluator.leaves(board.height, board.width)
            leaves.add(board, mover)
            return np.ascontiguousarray(leaves.run()[0][0])
        kinds = np.empty((2, board.height, board.width), np.uint8)
        allowed = np.empty((board.height, board.width), np.uint8)
        write_kinds(board, mover, kinds[0])
        write_kinds(board, 1 - mover, kinds[1])
        write_allowed(board, mover, allowed)
        worth = np.take(OWN_VALUES, kinds[0] & 15) - np.take(ENEMY_VALUES, kinds[1] & 15)
        policy: Floats = masked_softmax(worth.reshape(1, -1) / np.float32(100), allowed.reshape(1, -1) > 0)[0]
        return policy

    def _chance(self, board: Board, mover: int) -> float:
        """The value network's chance to win."""
        leaves = self.evaluator.leaves(board.height, board.width)
        leaves.add(board, mover)
        wdl = leaves.run()[1][0]
        return float(wdl[0] + wdl[1] / 2)


def _chance_of(score: int) -> float:
    """Win probability of hundredths of log-odds."""
    return 1.0 if score > SURE else 0.0 if score < -SURE else 1 / (1 + math.exp(-score / 100))
