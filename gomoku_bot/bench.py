"""What the machine makes of the bot: speeds, memory, start-up, and a signature that changes only with the play."""

from __future__ import annotations

import os
import subprocess
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from gomoku_bot.arena.brain import Brain, Conditions, own_brain, private_bytes
from gomoku_bot.core import _planes_cy, _rows_cy
from gomoku_bot.core.grid import square_of
from gomoku_bot.core.position import Position
from gomoku_bot.evaluator import catalog
from gomoku_bot.evaluator.base import Evaluator, PatternEvaluator
from gomoku_bot.notation import format_point, parse_position
from gomoku_bot.rules import Rule
from gomoku_bot.search.base import Limits
from gomoku_bot.search.puct import Constants, PuctSearch
from gomoku_bot.search.rollout import VALUE_DEPTH, RolloutSearch
from gomoku_bot.tactics.solver import Solver

GAMES = (
    "h8i9g9i8i7h7j6g6k7h9j7",
    "h8h9i9g7j8j7k7i8g10k9i11i10",
    "k8k6i5i6i7g5h4h6g6j5f7e8",
    "j10k10l9k9k11k8k7l10m11j8i7",
)
"""The signature's positions: the ends of these openings, and every second position on the way."""


FIGHTS = (
    "j8g10g6f8i6h5g9f9h6f6f7i7e8j5e6e7g5g8g4g3f5h3e4d3e3d4e5e2",
    "c10h1l2g7g10k8j9l9f9f7j7j8i8h9h7g6e8h11g8e10d9h10f8h8h12c8g11g9f10e9",
    "c4d5h5d6f6c5f5d7d4e7b4e4f3f7g7d9d8e5f4f2e8b7c7",
    "j9g9h8j13h9i8i9h10k9l9j10k11i11h12j8j7l10i7i10j11",
)
"""Positions full of fours, for the solver's speed."""


def signature() -> int:
    """
    32 bits made of the moves and values of searches without a network: the same on every processor.

    Changes only if rules, solver or search play differently.
    """
    mark = 0
    solver = Solver(1 << 20)
    evaluator = PatternEvaluator()
    for rule in Rule:
        for game in GAMES:
            moves = parse_position(game)
            for end in range(6, len(moves) + 1, 2):
                position = Position.from_moves(moves[:end], 15, 15, rule)
                proof = solver.vct(position, position.turn, 20_000)
                mark = zlib.crc32(f"{rule}{game}{end}{proof.outcome}{proof.line}".encode(), mark)
                for search in (PuctSearch(evaluator), RolloutSearch(evaluator, depth=VALUE_DEPTH)):
                    result = search.think(position, Limits(visits=40), threading.Event(), lambda _: None)
                    mark = zlib.crc32(f"{search.name}{result.move}".encode(), mark)
    return mark


def rate(work: Callable[[], int], seconds: float = 0.5) -> float:
    """How much *work* (which returns how much it did) is done a second."""
    work()
    began = time.perf_counter()
    done = 0
    while time.perf_counter() - began < seconds:
        done += work()
    return done / (time.perf_counter() - began)


def core_figures() -> Iterator[tuple[str, float]]:
    """Speeds of the compiled core on one thread, a second."""
    moves = parse_position("k8k6i5i6i7g5h4h6g6j5f7e8g8h9j9k10i11l7m8j12")
    squares = np.array([square_of(*move) for move in moves], np.uint16)
    empty = Position(20, 20)
    yield "make and unmake with patterns, 20x20", rate(lambda: empty.board.bench(squares, 1_000))
    position = Position.from_moves(moves, 20, 20)
    planes = np.empty((_planes_cy.PLANES, 20, 20), np.float32)
    yield "48 input planes, 20x20", rate(lambda: _planes_cy.bench_planes(position.board, planes, 500))
    codebook = np.random.default_rng(0).integers(-127, 128, (_rows_cy.ROWS, 64), np.int8)
    sums, allowed = np.empty((400, 64), np.float32), np.empty(400, np.float32)
    yield (
        "codebook sums, 64 channels, 20x20",
        rate(lambda: _rows_cy.bench_sums(position.board, codebook, sums, allowed, 200)),
    )
    yield "VCF positions, 15x15", rate(_solver_work(lambda solver, p: solver.vcf(p, p.turn, 50_000).nodes))
    yield "VCT positions, 15x15", rate(_solver_work(lambda solver, p: solver.vct(p, p.turn, 50_000).nodes))


def _solver_work(solve: Callable[[Solver, Position], int]) -> Callable[[], int]:
    """Visits the positions of `FIGHTS` with an empty table; returns how many the solver saw."""
    positions = [Position.from_moves(parse_position(fight), 15, 15) for fight in FIGHTS]
    solver = Solver(1 << 20)

    def work() -> int:
        solver.clear()
        return sum(solve(solver, position) for position in positions)

    return work


def net_figures(threads: int = 1) -> Iterator[tuple[str, float]]:
    """Network evaluations (policy and value) a second on *threads* threads."""
    net = catalog.load(threads)
    for size in (15, 20):
        for batch in (1, 8, 32):
            yield f"policy and value, {size}x{size}, batch {batch}", rate(net_work(net, size, batch))


def net_work(net: Evaluator, size: int, batch: int) -> Callable[[], int]:
    """Judges one position *batch* times in one call."""
    position = Position.from_moves(parse_position("k8k6i5i6i7g5h4h6g6j5f7e8"), size, size)

    def work() -> int:
        leaves = net.leaves(position.height, position.width)
        for _ in range(batch):
            leaves.add(position.board, position.turn - 1)
        return len(leaves.run()[1])

    return work


def best_batch(provider: str, tell: Callable[[str], None]) -> int:
    """The smallest batch that gives the tree search nine tenths of the most playouts a second, for this provider."""
    net = catalog.load(provider=provider)
    rates = dict.fromkeys(catalog.BATCH_SIZES, 0.0)
    for _ in range(3):  # in turns, for the machine may have other work
        for batch in rates:
            rates[batch] = max(rates[batch], rate(_playout_work(net, 15, Constants(batch=batch))))
    for batch, playouts in rates.items():
        tell(f"{f'playouts on {provider}, 15x15, batch {batch}':44} {playouts:>12,.0f}/s")
    return min(batch for batch in rates if rates[batch] > 0.9 * max(rates.values()))


def playouts(threads: int = 1) -> Iterator[tuple[str, float]]:
    """Playouts of the tree search a second with the shipped networks, solver at the leaves."""
    net = catalog.load(threads)
    for size in (15, 20):
        yield f"tree search playouts, {size}x{size}", rate(_playout_work(net, size, Constants()), 1.5)


def _playout_work(net: Evaluator, size: int, constants: Constants) -> Callable[[], int]:
    position = Position.from_moves(parse_position("k8k6i5i6i7g5h4h6g6j5f7e8"), size, size)

    def work() -> int:
        search = PuctSearch(net, constants=constants)
        return search.think(position, Limits(visits=1000), threading.Event(), lambda _: None).visits

    return work


def answer_seconds(command: Sequence[str], lines: str, cold: Path | None = None) -> float:
    """Wall time from process start to the last of the answers that *lines* make a brain give; see `forget_files`."""
    if cold:
        forget_files(cold)
    began = time.perf_counter()
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin
    assert process.stdout
    for line in lines.splitlines():
        process.stdin.write(line.encode() + b"\r\n")
        process.stdin.flush()
        while not line.startswith("INFO"):
            answer = process.stdout.readline()
            if not answer or answer[:1].isdigit() or answer.startswith(b"OK"):
                break
    seconds = time.perf_counter() - began
    process.communicate(b"END\r\n")
    return seconds


def forget_files(folder: Path) -> None:
    """Asks the system to drop its cache of all files below *folder*, as if they had never been read (Linux)."""
    for path in folder.rglob("*"):
        if path.is_file():
            descriptor = os.open(path, os.O_RDONLY)
            os.fsync(descriptor)
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(descriptor)


def memory_in_game(command: Sequence[str], moves: int = 60, turn_ms: int = 200, limit: int = 0) -> tuple[int, int]:
    """
    Private bytes (USS) of a brain, after its first answer and after *moves* moves on 20x20 against random replies.

    limit: max_memory as told to the brain, 0 for none.
    """
    rng = np.random.default_rng(3)
    conditions = Conditions(turn_ms=turn_ms, memory_bytes=limit)
    with Brain(command, conditions) as brain:
        brain.start(20, 20, 0)
        before = private_bytes(brain.pid)
        position = Position(20, 20)
        request = ["BOARD", "DONE"]
        for _ in range(moves):
            position.play(*brain.move(request).point)
            empty = [p for p in position.points if position.is_empty(*p)]
            for i in rng.permutation(len(empty)):
                if empty[i] not in position.fives(position.turn):
                    break
            if position.is_over:
                position = Position(20, 20)
                brain.start(20, 20, 0)
                request = ["BOARD", "DONE"]
                continue
            position.play(*empty[i])
            request = [f"TURN {format_point(empty[i])}"]
        return before, private_bytes(brain.pid)


def brain_figures(
    command: Sequence[str], folder: Path | None = None, turn_ms: int = 200, moves: int = 60
) -> Iterator[tuple[str, str]]:
    """Start-up and memory of any brain; *folder* has its files, for the start with a cold file cache."""
    start, first = "START 20", "START 20\nINFO timeout_turn 0\nBEGIN"
    for name, lines in (("start to OK", start), ("start to the first move at no time", first)):
        yield name, f"{1000 * min(answer_seconds(command, lines) for _ in range(5)):.0f} ms"
        if folder:
            cold = sorted(answer_seconds(command, lines, folder) for _ in range(5))[2]
            yield f"{name}, cold file cache", f"{1000 * cold:.0f} ms"
    before, after = memory_in_game(command, moves, turn_ms, 350_000_000)
    yield "memory (USS) after OK", f"{before / 1e6:.0f} MB"
    yield f"memory (USS) after {moves} moves of {turn_ms / 1000:g} s, 20x20, max_memory 350 MB", f"{after / 1e6:.0f} MB"


def run(tell: Callable[[str], None], brain: Sequence[str] | None = None, turn_ms: int = 200, moves: int = 60) -> None:
    """Measures all and tells it line by line; with another *brain* only its start-up and memory."""
    if brain:
        for name, told in brain_figures(brain, turn_ms=turn_ms, moves=moves):
            tell(f"{name:72} {told:>12}")
        return
    tell(f"{'signature':44} {signature():>14}")
    for figures in (core_figures(), net_figures(), playouts()):
        for name, figure in figures:
            tell(f"{name:44} {figure:>12,.0f}/s")
    for name, told in brain_figures(own_brain(), turn_ms=turn_ms, moves=moves):
        tell(f"{name:72} {told:>12}")
