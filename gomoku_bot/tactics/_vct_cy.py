"""
Wins by continuous threats (VCT): fours, threes and quiet moves that threaten a VCF, by df-pn. Compiled.

A position without stones taken off never repeats, so the search meets no cycle. df-pn: A. Nagai, *Df-pn algorithm
for searching AND/OR trees and its applications* (2002), with the 1+epsilon trick of J. Pawlewicz and L. Lew (2006).
"""

from __future__ import annotations

import cython
from cython.cimports.gomoku_bot.core._board_cy import Board
from cython.cimports.gomoku_bot.tactics._threats_cy import allowed, answers, winning_point
from cython.cimports.gomoku_bot.tactics._vcf_cy import FourSolver

LOSS = cython.declare(cython.int, 0)
WIN = cython.declare(cython.int, 1)
UNKNOWN = cython.declare(cython.int, 2)

INFINITE = cython.declare(cython.uint, 100000000)
THREES = cython.declare(cython.int, 1)
FOURS = cython.declare(cython.int, 2)
FIVES = cython.declare(cython.int, 3)
POINT_TWO = cython.declare(cython.int, 1)
POINT_THREE = cython.declare(cython.int, 2)
POINT_OPEN_FOUR = cython.declare(cython.int, 7)
POINT_FIVE = cython.declare(cython.int, 8)
MAX_PLY = cython.declare(cython.int, 400)

LEAF_NODES = cython.declare(cython.int, 100)
"""Positions of the VCF that is tried at every new node, and at every answer to a quiet move."""

ATTACKER_KEY = cython.declare(cython.ulonglong, 0x5851F42D4C957F2D)
QUIET_KEY = cython.declare(cython.ulonglong, 0x14057B7EF767814F)


@cython.final
@cython.cclass
class ThreatSolver(FourSolver):
    """Adds `vct` to the solver of fours; both share the table."""

    quiet_threats: cython.bint
    root_move: cython.int
    root_left: cython.int

    def vct(
        self, board: Board, attacker: cython.int, nodes: cython.longlong, quiet: cython.int = 0
    ) -> tuple[int, list[int]]:
        """
        The same by continuous threats: fours, threes, and at most *quiet* moves that only threaten a VCF.

        0 means that such threats do not win.
        """
        self.nodes = 0
        self.node_limit = nodes
        self.quiet_threats = quiet > 0
        self.root_move = -1
        count: cython.int = board.count
        with cython.nogil:
            self._search(board, attacker, True, INFINITE, INFINITE, 0, quiet)
        key: cython.ulonglong = self._key(board, attacker, quiet)
        at: cython.ulonglong = key & self.mask
        if self.keys[at] != key or (self.proof[at] and self.disproof[at]):
            return UNKNOWN, []
        if self.proof[at]:
            return LOSS, []
        line = self._line_of(board, attacker, nodes, quiet)
        while board.count > count:
            board.unmake()
        return WIN, line

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _store(self, key: cython.ulonglong, proof: cython.uint, disproof: cython.uint) -> cython.void:
        at: cython.ulonglong = key & self.mask
        self.keys[at] = key
        self.proof[at] = proof
        self.disproof[at] = disproof

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _key(self, board: Board, attacker: cython.int, quiet: cython.int) -> cython.ulonglong:
        return board.key ^ (ATTACKER_KEY * (attacker + 1)) ^ (QUIET_KEY * quiet)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _quiet_moves(self, board: Board, attacker: cython.int, at: cython.int) -> cython.int:
        """Lists the moves that build twos and threes but threaten nothing at once; the index behind them."""
        y: cython.int
        x: cython.int
        kind: cython.int
        if board.total[1 - attacker][POINT_FIVE] or board.total[1 - attacker][POINT_OPEN_FOUR]:
            return at
        for y in range(board.height):
            for x in range((y + 5) * 42 + 5, (y + 5) * 42 + 5 + board.width):
                kind = board.point[attacker][x]
                if kind == POINT_TWO or kind == POINT_THREE:
                    self.stack[at] = x
                    at += 1
        return at

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _quiet_answers(self, board: Board, attacker: cython.int, at: cython.int) -> cython.int:
        """
        Lists every answer that may hold against a VCF threatened after a quiet move, or returns -1: no threat.

        A move off all lines through the winning line's squares changes nothing on them unless it makes a four,
        so in games without forbidden points or blocked fives only the others are tried; else all are.
        """
        defender: cython.int = 1 - attacker
        i: cython.int
        j: cython.int
        end: cython.int
        square: cython.int
        first: cython.int
        y: cython.int
        result: cython.int
        limit: cython.longlong = self.node_limit
        if board.total[defender][POINT_FIVE]:
            return -1
        if self.nodes + LEAF_NODES < limit:
            self.node_limit = self.nodes + LEAF_NODES
        result = self._vcf(board, attacker, 0, at)
        self.node_limit = limit
        if result != WIN:
            return -1
        first = at + 512
        end = first
        for y in range(board.height):
            for square in range((y + 5) * 42 + 5, (y + 5) * 42 + 5 + board.width):
                if board.cell[square] == 0 and (
                    board.forbids
                    or board.blockable
                    or self._near_line(square)
                    or board.group[board.point[defender][square]] >= FOURS
                ):
                    self.stack[end] = square
                    end += 1
        for i in range(first, end):
            square = self.stack[i]
            if not allowed(board, square, defender):
                continue
            board.make(square, defender)
            if self.nodes + LEAF_NODES < limit:
                self.node_limit = self.nodes + LEAF_NODES
            result = self._vcf(board, attacker, 0, end)
            self.node_limit = limit
            board.unmake()
            if result != WIN:
                self.stack[at] = square
                at += 1
        return at

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _near_line(self, square: cython.int) -> cython.bint:
        """Whether *square* shares a line, at most five apart, with a square of the line found last."""
        i: cython.int
        dx: cython.int
        dy: cython.int
        for i in range(self.length):
            dx = square % 42 - self.line[i] % 42
            dy = square // 42 - self.line[i] // 42
            if -5 <= dx <= 5 and -5 <= dy <= 5 and (dx == 0 or dy == 0 or dx == dy or dx == -dy):
                return True
        return False

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _attacks(self, board: Board, attacker: cython.int, at: cython.int) -> cython.int:
        """Lists the attacker's threats, fours first, or what stops the defender's five; the index behind them."""
        start: cython.int = at
        i: cython.int
        end: cython.int
        square: cython.int
        if board.total[1 - attacker][POINT_FIVE]:
            square = board.first(1 - attacker, FIVES)
            if (board.total[1 - attacker][POINT_FIVE] == 1 or board.blockable) and allowed(board, square, attacker):
                self.stack[at] = square
                at += 1
            return at
        end = board.list_points(attacker, FOURS, self.stack, at)
        end = board.list_points(attacker, THREES, self.stack, end)
        for i in range(start, end):
            if allowed(board, self.stack[i], attacker):
                self.stack[at] = self.stack[i]
                at += 1
        return at

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _search(
        self, board: Board, attacker: cython.int, attacking: cython.bint,
        proof_limit: cython.uint, disproof_limit: cython.uint, base: cython.int, quiet: cython.int,
    ) -> cython.void:  # fmt: skip
        """
        Df-pn: stores proof and disproof numbers of this node until one reaches its limit.

        quiet: how many more quiet moves the attacker has; the stack is free from *base*. A win's first move is kept
        in ``root_move``, with the quiet moves left after it: the table may forget it.
        """
        key: cython.ulonglong = self._key(board, attacker, quiet)
        mover: cython.int = attacker if attacking else 1 - attacker
        end: cython.int
        loud: cython.int = 0
        after: cython.int
        i: cython.int
        result: cython.int
        self.nodes += 1
        if attacking:
            if winning_point(board, attacker) >= 0:
                self._store(key, 0, INFINITE)
                return
            if self.keys[key & self.mask] != key:
                end_limit: cython.longlong = self.node_limit
                if self.nodes + LEAF_NODES < end_limit:
                    self.node_limit = self.nodes + LEAF_NODES
                result = self._vcf(board, attacker, 0, base)
                self.node_limit = end_limit
                if result == WIN:
                    self._store(key, 0, INFINITE)
                    return
            loud = end = self._attacks(board, attacker, base)
            if quiet:
                end = self._quiet_moves(board, attacker, end)
        else:
            end = answers(board, attacker, self.stack, base)
            if end < 0 and self.quiet_threats:
                end = self._quiet_answers(board, attacker, base)
            if end < 0:
                self._store(key, INFINITE, 0)
                return
        if end == base:
            if attacking:
                self._store(key, INFINITE, 0)
            else:
                self._store(key, 0, INFINITE)
            return
        proof: cython.uint
        disproof: cython.uint
        own: cython.uint
        other: cython.uint
        total: cython.uint
        unsolved: cython.uint
        least: cython.uint
        second: cython.uint
        best_other: cython.uint
        best: cython.int
        child: cython.ulonglong
        slot: cython.ulonglong
        while True:
            least = second = INFINITE
            best_other = 0
            total = 0
            unsolved = 0
            best = base
            for i in range(base, end):
                child = key ^ board.zobrist[mover, self.stack[i]]
                if attacking and i >= loud:
                    child ^= (QUIET_KEY * quiet) ^ (QUIET_KEY * (quiet - 1))
                slot = child & self.mask
                proof = disproof = 1
                if self.keys[slot] == child:
                    proof = self.proof[slot]
                    disproof = self.disproof[slot]
                elif attacking and i >= loud:
                    proof = 4
                elif attacking and board.group[board.point[attacker][self.stack[i]]] == THREES:
                    proof = 2
                own = proof if attacking else disproof
                other = disproof if attacking else proof
                if other:
                    unsolved += 1
                if other > total:
                    total = other
                if own < least:
                    second = least
                    least = own
                    best_other = other
                    best = i
                elif own < second:
                    second = own
            # The largest of them and one for each other, not their sum: in a graph of transpositions sums count
            # the same position many times (T. Ueda et al., Weak proof-number search, 2008).
            if 0 < total < INFINITE:
                total += unsolved - 1
            if attacking:
                proof = least
                disproof = total
            else:
                proof = total
                disproof = least
            self._store(key, proof, disproof)
            if attacking and base == 0 and proof == 0:
                self.root_move = self.stack[best]
                self.root_left = quiet if best < loud else quiet - 1
            if proof >= proof_limit or disproof >= disproof_limit or proof == 0 or disproof == 0:
                return
            if self.stopped or self.nodes >= self.node_limit or base + 3000 > (1 << 17):
                return
            second = second + second // 4 + 1
            board.make(self.stack[best], mover)
            if attacking:
                after = quiet if best < loud else quiet - 1
                self._search(
                    board, attacker, False, second if second < proof_limit else proof_limit,
                    disproof_limit - (total - best_other) if disproof_limit < INFINITE else INFINITE, end, after,
                )  # fmt: skip
            else:
                self._search(
                    board, attacker, True,
                    proof_limit - (total - best_other) if proof_limit < INFINITE else INFINITE,
                    second if second < disproof_limit else disproof_limit, end, quiet,
                )  # fmt: skip
            board.unmake()

    def _line_of(self, board: Board, attacker: cython.int, nodes: cython.longlong, quiet: cython.int) -> list[int]:
        """A winning line through the proven tree; it ends early if the table has forgotten the rest."""
        line: list[int] = []
        i: cython.int
        end: cython.int
        while len(line) < MAX_PLY:
            self.node_limit = self.nodes + nodes
            if self._vcf(board, attacker, 0, 0) == WIN:
                return line + [self.line[i] for i in range(self.length)]
            move, left = self._proven_move(board, attacker, quiet)
            if move < 0 and line:
                self.root_move = -1
                self._search(board, attacker, True, INFINITE, INFINITE, 0, quiet)
            if move < 0:
                move, left = self.root_move, self.root_left
            if move < 0:
                return line
            quiet = left
            line.append(move)
            board.make(move, attacker)
            end = answers(board, attacker, self.stack, 0)
            if end < 0:
                end = self._quiet_answers(board, attacker, 0)
            if end <= 0:
                return line
            line.append(self.stack[0])
            board.make(self.stack[0], 1 - attacker)
        return line

    def _proven_move(self, board: Board, attacker: cython.int, quiet: cython.int) -> tuple[int, int]:
        """A move that the table calls winning, and the quiet moves left after it; -1 if there is none."""
        i: cython.int
        loud: cython.int = self._attacks(board, attacker, 0)
        end: cython.int = self._quiet_moves(board, attacker, loud) if quiet else loud
        for i in range(end):
            left: cython.int = quiet if i < loud else quiet - 1
            key: cython.ulonglong = self._key(board, attacker, left) ^ board.zobrist[attacker, self.stack[i]]
            at: cython.ulonglong = key & self.mask
            if self.keys[at] == key and self.proof[at] == 0:
                return self.stack[i], left
        return -1, 0
