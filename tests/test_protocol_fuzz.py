"""Streams of random commands: no crash, no hang, no changed board."""

from __future__ import annotations

import os
import threading

from hypothesis import given, settings
from hypothesis import strategies as st

from gomoku_bot.core.position import Position
from gomoku_bot.engine import Engine
from gomoku_bot.evaluator.base import PatternEvaluator
from gomoku_bot.notation import format_point
from gomoku_bot.protocol.loop import Loop
from gomoku_bot.protocol.piskvork import Thought
from gomoku_bot.protocol.yixin import YixinPiskvork

POINTS = st.tuples(st.integers(-1, 9), st.integers(-1, 9)).map(format_point)
LINES = st.one_of(
    st.sampled_from(
        "START 9|START 5|START 40|RESTART|BEGIN|BOARD|DONE|SWAP2BOARD|YXBOARD|ABOUT|INFO rule 0|INFO rule 1|"
        "INFO rule 4|INFO rule 2|INFO rule 9|INFO rule 8|INFO timeout_turn 0|INFO time_left -1|YXSHOWFORBID|"
        "YXHASHCLEAR|YXNBEST 2|YXSHOWINFO|STOP|".split("|")
    ),
    POINTS.map("TURN {}".format),
    POINTS.map("TAKEBACK {}".format),
    POINTS.map("RECTSTART {}".format),
    st.tuples(POINTS, st.integers(0, 4)).map(lambda part: f"{part[0]},{part[1]}"),
    POINTS,
    st.text(max_size=20),
)


def picture(engine: Engine) -> tuple[object, ...]:
    position = engine.position
    return position.width, position.height, position.rule, position.moves[:], position.key, str(position)


def fresh_copy(position: Position) -> Position:
    return Position.from_stones(
        position.moves[::2], position.moves[1::2], position.width, position.height, position.rule,
        continuous=position.continuous, blocked=position.blocked,
    )  # fmt: skip


@settings(max_examples=2500, deadline=None)
@given(st.lists(LINES, max_size=25))
def test_errors_change_nothing_and_the_board_is_always_sound(lines: list[str]) -> None:
    engine = Engine("policy", load_evaluator=PatternEvaluator, solve=False)
    piskvork = YixinPiskvork(engine)
    for line in lines:
        before = picture(engine)
        answer = piskvork.obey(line)
        if isinstance(answer, Thought) and answer.kind == "move":
            move = engine.think().move
            assert engine.position.is_empty(*move)
            piskvork.play_own(move)
        elif (
            isinstance(answer, str)
            and answer.startswith(("ERROR", "UNKNOWN"))
            and "\n" not in answer
            and not line.startswith("INFO")
        ):
            assert picture(engine) == before, line
        position = engine.position
        fresh = fresh_copy(position)
        assert (fresh.key, str(fresh), fresh.turn) == (position.key, str(position), position.turn)


@settings(max_examples=300, deadline=None)
@given(st.lists(LINES, max_size=25), st.sampled_from([b"\n", b"\r\n", b"\r"]))
def test_the_loop_survives_any_stream_and_ends_with_it(lines: list[str], end: bytes) -> None:
    source, feed = os.pipe()
    drain, sink = os.pipe()
    engine = Engine("policy", load_evaluator=PatternEvaluator, solve=False)
    loop = threading.Thread(target=Loop(engine, source, sink).run, daemon=True)
    loop.start()
    os.write(feed, end.join(line.encode("utf-8", "replace") for line in ["INFO timeout_turn 0", *lines]) + end)
    os.close(feed)
    loop.join(20)
    assert not loop.is_alive(), "the loop hangs"
    os.set_blocking(drain, False)
    try:
        output = os.read(drain, 1 << 20)
    except BlockingIOError:
        output = b""
    assert output.isascii()
    assert b"thought failed" not in output
    for descriptor in (source, drain, sink):
        os.close(descriptor)
