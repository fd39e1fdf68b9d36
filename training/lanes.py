"""
Self-play of many games at once, whose leaves share one call of the network.

A position is searched in full or, more often, by a few playouts that only carry the game on (playout cap
randomisation; D. Wu, *Accelerating self-play learning in Go*, 2019). Full searches get Dirichlet noise at the root and
are what the policy learns from. A win that the solver or the tree proves ends the game.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from operator import itemgetter

import numpy as np

from gomoku_bot.core._board_cy import Board
from gomoku_bot.core.grid import point_of, square_of
from gomoku_bot.core.position import Point, Position
from gomoku_bot.evaluator.base import Floats
from gomoku_bot.evaluator.joint_nets import JointLeaves, JointNet
from gomoku_bot.search._grow_cy import MOST_CHILDREN, Grower
from gomoku_bot.search._tree_cy import Tree
from gomoku_bot.search.base import forced_move, root_priors
from gomoku_bot.search.puct import LOST, WON, Constants, expand_root
from gomoku_bot.tactics._vct_cy import ThreatSolver
from gomoku_bot.tactics.solver import Solver
from training.games import MOST_EVAL, MOST_WEIGHED, POLICY_TEMPERATURE, RESULTS, Game, eval_of, rule_and_size


@dataclass(frozen=True, kw_only=True)
class Style:
    """How self-play plays."""

    full_visits: int = 160
    fast_visits: int = 32
    full_share: float = 0.25
    """Share of positions that are searched in full."""

    noise_share: float = 0.25
    noise_total: float = 10.0
    """The root's priors are mixed with Dirichlet noise; its concentrations sum to this."""

    drawn_plies: int = 8
    """So many moves after the opening are drawn by their visits; later the most visited is played."""

    opening_stones: int = 8
    """An opening has 1 to this many stones near each other ..."""

    opening_value: float = 0.35
    """... and the network gives neither side more than this."""

    decided: float = 0.9
    """Beyond this value the game is carried on by fast searches."""

    most_plies: int = 160
    """A longer game is a draw."""

    solver_nodes: int = 2_000
    """For a forced win in each stage, before a position is searched."""


TREE_NODES = 24_000
VISITS_WEIGHED = 3
"""Moves with fewer visits are noise."""

Answer = tuple[Floats, Floats]
"""Policy ``[1, H * W]`` and win/draw/loss ``[1, 3]`` of the position last added."""

Asking = Generator[None, Answer, "Game"]


class Lane:
    """One game after another; asks for one network answer at a time."""

    def __init__(self, name: str, style: Style, add: Callable[[Board, int], None], rng: np.random.Generator) -> None:
        """name: rule and board size, such as ``standard15``; add: puts a position into the shared batch."""
        self.name = name
        self.rule, self.size = rule_and_size(name)
        self.style = style
        self.rng = rng
        self._add = add
        c = Constants()
        self._leaf_nodes = c.leaf_nodes
        self._tree = Tree(TREE_NODES, 1, c.c_base, c.c_log, c.fpu)
        self._temperature = c.temperature
        self._grower = Grower(1, c.temperature)
        self._leaf_solver = ThreatSolver(12)
        self._solver = Solver(1 << 18)

    def game(self) -> Asking:
        """Plays one game. Each ``yield`` comes after one ``add`` and wants its answer."""
        position = yield from self._opening()
        opening = len(position.moves)
        evals: list[int | None] = [None] * opening
        weighed: list[dict[Point, int]] = [{} for _ in evals]
        winner, value = None, 0.0
        self._tree.clear()
        while not position.is_over and len(position.moves) < self.style.most_plies:
            forced = forced_move(position)
            proof = None if forced else self._win(position)
            if forced:
                move, worth, best = forced, None, {}
            elif proof:
                winner, move, worth, best = position.turn, proof, MOST_EVAL, {proof: 0}
            else:
                full = abs(value) < self.style.decided and self.rng.random() < self.style.full_share
                move, value, best = yield from self._search(position, full=full, drawn=len(position.moves) - opening)
                winner = {LOST: position.turn.opponent, WON: position.turn}.get(self._proof())
                worth = eval_of((1 + value) / 2) if full or winner else None
            evals.append(worth)
            weighed.append(best)
            position.play(*move)
            if winner:
                break
            self._tree.advance(square_of(*move))
            value = -value
        result = RESULTS[winner or position.winner]
        return Game(self.name, list(position.moves), opening, result, evals, weighed)

    def _opening(self) -> Generator[None, Answer, Position]:
        """A few stones that leave the game open."""
        while True:
            position = Position(self.size, self.size, self.rule)
            for _ in range(self.rng.integers(1, self.style.opening_stones + 1)):
                centre = position.moves[self.rng.integers(len(position.moves))] if position.moves else None
                reach = 2 if centre else self.size // 4
                x, y = self.rng.integers(-reach, reach + 1, 2) + (centre or (self.size // 2, self.size // 2))
                if position.is_empty(int(x), int(y)) and (int(x), int(y)) not in position.forbidden():
                    position.play(int(x), int(y))
            if position.is_over or forced_move(position) or self._win(position):
                continue
            self._add(position.board, position.turn - 1)
            _, wdl = yield
            if abs(float(wdl[0, 0] - wdl[0, 2])) < self.style.opening_value:
                return position

    def _win(self, position: Position) -> Point | None:
        """The first move of a forced win."""
        proof = self._solver.vcf(position, position.turn, self.style.solver_nodes)
        if not proof.is_win:
            proof = self._solver.vct(position, position.turn, self.style.solver_nodes)
        return proof.line[0] if proof.is_win else None

    def _search(
        self, position: Position, *, full: bool, drawn: int
    ) -> Generator[None, Answer, tuple[Point, float, dict[Point, int]]]:
        """Grows the tree; returns the move, the position's value and, after a full search, what moves are worth."""
        tree = self._tree
        if full or not tree.root_children():
            tree.clear()
            self._add(position.board, position.turn - 1)
            policy, wdl = yield
            self._grow_root(position, policy[0], wdl[0], noise=full)
        visits = self.style.full_visits if full else self.style.fast_visits
        room = True
        while tree.root_visits() < visits and not tree.proof_of_root() and room:
            waiting, room = self._grower.gather(
                tree, position.board, position.turn - 1, self._leaf_solver, self._leaf_nodes, 1, self._add
            )
            if waiting:
                answer = yield
                self._grower.expand(tree, position.width, *answer)
        children = tree.root_children()
        counts = np.array([0 if child[4] == LOST else child[2] for child in children], float)
        won = [i for i, child in enumerate(children) if child[4] == WON]
        if won:
            chosen, value = won[0], 1.0
        elif not counts.any():
            chosen, value = int(np.argmax([child[5] for child in children])), -1.0 if self._proof() else 0.0
        else:
            chosen = int(self.rng.choice(len(counts), p=counts / counts.sum()) if drawn < self.style.drawn_plies
                         else counts.argmax())  # fmt: skip
            value = float(sum(child[2] * child[3] for child in children) / sum(child[2] for child in children))
        best = {point_of(children[chosen][0]): 0}
        if full and not won:
            order = [i for i in np.argsort(-counts)[:MOST_WEIGHED] if counts[i] >= VISITS_WEIGHED]
            shares = np.round(POLICY_TEMPERATURE * np.log(counts[order] / counts[order].sum()))
            best = {point_of(children[i][0]): int(share) for i, share in zip(order, shares, strict=True)} or best
        return point_of(children[chosen][0]), value, best if full else {}

    def _grow_root(self, position: Position, policy: Floats, wdl: Floats, *, noise: bool) -> None:
        chosen = root_priors(position, policy, None)[:MOST_CHILDREN]
        if noise:
            total, share = sum(prior for _, prior in chosen), self.style.noise_share
            drawn = self.rng.dirichlet(np.full(len(chosen), self.style.noise_total / len(chosen)))
            mixed = [
                (move, (1 - share) * prior / total + share * part)
                for (move, prior), part in zip(chosen, drawn, strict=True)
            ]
            chosen = sorted(mixed, key=itemgetter(1), reverse=True)
        expand_root(self._tree, chosen, float(wdl[0] - wdl[2]), self._temperature)

    def _proof(self) -> int:
        """`WON` or `LOST` for the side to move at the root, else another number."""
        return {1: LOST, 2: WON}.get(self._tree.proof_of_root(), 0)


class Lanes:
    """So many games of one rule and board at once."""

    def __init__(self, name: str, style: Style, count: int, net: JointNet, rng: np.random.Generator) -> None:
        _, size = rule_and_size(name)
        self._size = size
        self.use(net)
        self._leaves = self._next_leaves
        self._lanes = [Lane(name, style, lambda *leaf: self._leaves.add(*leaf), rng) for _ in range(count)]
        self._asking: list[tuple[Lane, Asking]] = []

    def use(self, net: JointNet) -> None:
        """From the next question on this network answers."""
        self._next_leaves = JointLeaves(net, self._size, self._size)

    def finished(self) -> list[Game]:
        """Plays on until at least one game is over; the others go on at the next call."""
        done: list[Game] = []
        if not self._asking:
            self._asking = [(lane, self._begin(lane)) for lane in self._lanes]
        while not done:
            policy, wdl = self._leaves.run()
            self._leaves = self._next_leaves
            for i, (lane, asking) in enumerate(self._asking):
                try:
                    asking.send((policy[i : i + 1], wdl[i : i + 1]))
                except StopIteration as end:
                    done.append(end.value)
                    self._asking[i] = lane, self._begin(lane)
        return done

    @staticmethod
    def _begin(lane: Lane) -> Asking:
        """A new game, its first question in the batch."""
        asking = lane.game()
        next(asking)
        return asking
