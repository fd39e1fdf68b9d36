"""The protocol, spoken with a real process."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.dialogue import POINT, Process


@pytest.fixture
def brain() -> Iterator[Process]:
    with Process() as process:
        yield process
        if process.process.poll() is None:
            seconds, errors = process.end()
            assert seconds < 1.0, "END takes too long"
            assert errors == ""


@pytest.fixture(scope="module")
def lasting() -> Iterator[Process]:
    """One brain for many misuses: it must survive them all."""
    with Process() as process:
        process.talk("> INFO timeout_turn 100")
        yield process


def test_every_command_of_the_table(brain: Process) -> None:
    brain.talk("""
        > ABOUT
        < name="gomoku_bot", version="...
        > START 20
        < OK
        > INFO timeout_turn 100
        > INFO timeout_match 100000
        > INFO time_left 100000
        > INFO max_memory 350000000
        > INFO game_type 1
        > INFO rule 0
        > INFO evaluate 3,3
        > INFO folder .
        > INFO nonsense 7
        < -
        > BEGIN
        < point
        > TURN 0,0
        < point
        > RESTART
        < OK
        > BOARD
        > 10,10,1
        > 11,11,2
        > DONE
        < point
        > RECTSTART 12,7
        < OK
        > BOARD
        > DONE
        < point
        > TURN 11,6
        < point
        > TAKEBACK 11,6
        < ERROR...
        > START 15
        < OK
        > TURN 7,7
        < point
    """)


def test_takeback_undoes_newest_first(brain: Process) -> None:
    (move,) = brain.talk("""
        > START 15
        < OK
        > INFO timeout_turn 0
        > TURN 7,7
        < point
    """)
    brain.talk(f"""
        > TAKEBACK {move}
        < OK
        > TAKEBACK 7,7
        < OK
        > TAKEBACK 7,7
        < ERROR no stone stands on 7,7
        > BEGIN
        < 7,7
    """)


def test_begin_opens_in_the_middle(brain: Process) -> None:
    brain.talk("""
        > START 15
        < OK
        > BEGIN
        < 7,7
    """)


def test_board_of_either_colour(brain: Process) -> None:
    brain.talk("""
        > START 15
        < OK
        > INFO timeout_turn 0
        > BOARD
        > 7,7,2
        > DONE
        < point
        > BOARD
        > 7,7,2
        > 8,8,1
        > 8,7,2
        > 9,7,1
        > 9,6,2
        > 7,8,1
        > DONE
        < point
    """)


@pytest.mark.parametrize("rule", [0, 1, 2, 4, 8, 9])
def test_every_rule_plays(brain: Process, rule: int) -> None:
    brain.talk(f"""
        > START 15
        < OK
        > INFO timeout_turn 50
        > INFO rule {rule}
        > BEGIN
        < 7,7
        > TURN 6,6
        < point
        > TURN 0,14
        < point
    """)


def test_the_rule_may_come_in_mid_game(brain: Process) -> None:
    """White would make a five with (4,0) under freestyle; six in a row is nothing under standard."""
    brain.talk("""
        > START 15
        < OK
        > INFO timeout_turn 0
        > BOARD
        > 0,0,1
        > 0,5,2
        > 1,0,1
        > 9,5,2
        > 2,0,1
        > 0,9,2
        > 4,0,1
        > 7,9,2
        > 5,0,1
        > 8,12,2
        > DONE
        < 3,0
        > INFO rule 1
        > BOARD
        > 0,0,1
        > 0,5,2
        > 1,0,1
        > 9,5,2
        > 2,0,1
        > 0,9,2
        > 4,0,1
        > 7,9,2
        > 5,0,1
        > 8,12,2
        > DONE
        < point
    """)


def test_continuous_game_goes_on_past_a_five_and_avoids_its_stones(brain: Process) -> None:
    moves = brain.talk("""
        > START 15
        < OK
        > INFO timeout_turn 0
        > INFO rule 2
        > BOARD
        > 0,0,3
        > 1,0,3
        > 2,0,3
        > 3,0,3
        > 4,0,3
        > 7,7,1
        > 8,8,2
        > DONE
        < point
        > TURN 14,14
        < point
    """)
    assert not {"0,0", "1,0", "2,0", "3,0", "4,0"} & set(moves)


def test_swap2_in_all_three_stages(brain: Process) -> None:
    brain.talk("""
        > START 15
        < OK
        > INFO timeout_turn 300
        > SWAP2BOARD
        > DONE
    """)
    stones = brain.line().split(" ")
    assert len(stones) == len(set(stones)) == 3
    assert all(POINT.fullmatch(stone) for stone in stones)
    brain.talk("\n".join(["> SWAP2BOARD", *(f"> {stone}" for stone in stones), "> DONE"]))
    answer = brain.line()
    assert answer == "SWAP" or 1 <= len(answer.split(" ")) <= 2
    brain.talk("\n".join(["> SWAP2BOARD", "> 7,7", "> 8,8", "> 8,7", "> 0,0", "> 14,14", "> DONE"]))
    assert brain.line() == "SWAP", "black has two against one here"


def test_extensions(brain: Process) -> None:
    brain.talk("""
        > START 15
        < OK
        > INFO timeout_turn 100
        > INFO rule 4
        > INFO max_depth 9
        > INFO thread_num 1
        > INFO caution_factor 2
        > INFO time_increment 0
        > YXBOARD
        > 7,7,1
        > 0,0,2
        > 8,7,1
        > 0,14,2
        > 9,6,1
        > 14,0,2
        > 9,5,1
        > 14,14,2
        > DONE
        < -
        > YXSHOWFORBID
        < FORBID 0907.
        > YXNBEST 3
        < point
        > YXHASHCLEAR
        < -
        > YXSTOP
        > STOP
        < -
    """)


def test_nbest_tells_of_several_moves(brain: Process) -> None:
    brain.talk("""
        > START 15
        < OK
        > INFO timeout_turn 300
        > YXBOARD
        > 7,7,2
        > DONE
        > YXNBEST 3
    """)
    said = []
    while not POINT.fullmatch(line := brain.lines.get(timeout=10).decode().strip()):
        said.append(line)
    assert [line.split()[1] for line in said if line[8:10] in ("1.", "2.", "3.")] == ["1.", "2.", "3."]


@pytest.mark.parametrize("end", [b"\r\n", b"\n", b"\r"])
def test_any_line_end_any_case_and_stray_blanks(brain: Process, end: bytes) -> None:
    brain.talk(
        """
        > start 15
        < OK
        >
        > Info Timeout_Turn 0
        >    tUrN    7 , 7
        < point
        >   about
        < name=...
    """,
        end,
    )


def test_nothing_is_said_before_the_first_command(brain: Process) -> None:
    assert brain.quiet(0.5)


def test_start_in_mid_thought_begins_a_new_game_and_drops_the_answer(brain: Process) -> None:
    brain.talk("""
        > START 15
        < OK
        > INFO timeout_turn 20000
        > TURN 7,7
        > START 20
        < OK
        < -
        > INFO timeout_turn 0
        > TURN 19,19
        < point
    """)


def test_a_start_that_cannot_be_leaves_the_thought_alone(brain: Process) -> None:
    brain.talk("""
        > START 15
        < OK
        > INFO timeout_turn 800
        > TURN 7,7
        > START 99
        < ERROR a board of 99x99 is outside 5x5 to 32x32
        < point
        > TAKEBACK 7,7
        < ERROR 7,7 is not the newest stone
    """)


def test_moving_now_on_timeout_zero_in_mid_thought(brain: Process) -> None:
    brain.talk("""
        > START 15
        < OK
        > INFO timeout_turn 20000
        > TURN 7,7
    """)
    time.sleep(0.5)
    began = time.monotonic()
    brain.talk("""
        > INFO timeout_turn 0
        < point
    """)
    assert time.monotonic() - began < 1


@pytest.mark.parametrize("word", ["STOP", "YXSTOP"])
def test_stop_ends_a_thought_with_its_move(brain: Process, word: str) -> None:
    brain.talk("""
        > START 15
        < OK
        > INFO timeout_turn 20000
        > TURN 7,7
    """)
    time.sleep(0.5)
    began = time.monotonic()
    brain.talk(f"""
        > ABOUT
        < name=...
        > {word}
        < point
        < -
    """)
    assert time.monotonic() - began < 1.5


def test_end_in_mid_thought_ends_the_process(brain: Process) -> None:
    brain.talk("""
        > START 20
        < OK
        > INFO timeout_turn 20000
        > TURN 7,7
    """)
    time.sleep(0.5)
    seconds, errors = brain.end()
    assert seconds < 1
    assert errors == ""


def test_a_closed_input_is_an_end(brain: Process) -> None:
    brain.talk("""
        > START 15
        < OK
    """)
    assert brain.process.stdin
    brain.process.stdin.close()
    assert brain.process.wait(2) == 0


def test_time_left_of_zero_or_less_is_answered_at_once(brain: Process) -> None:
    brain.talk("""
        > START 20
        < OK
        > INFO timeout_turn 30000
        > INFO timeout_match 100000
        > TURN 10,10
        > YXSTOP
        < point
    """)
    for left in (0, -500, 5):
        began = time.monotonic()
        brain.talk(
            f"> INFO time_left {left}\n> TURN {left % 20},3\n< point"
            if left
            else "> INFO time_left 0\n> TURN 1,1\n< point"
        )
        assert time.monotonic() - began < 0.6


def test_a_line_in_mid_thought_waits_for_its_turn(brain: Process) -> None:
    brain.talk("""
        > START 15
        < OK
        > INFO timeout_turn 500
        > TURN 7,7
        > TURN 0,0
        < point
        < point
    """)


def test_a_stopped_and_continued_process_still_uses_its_own_time(brain: Process) -> None:
    brain.talk("""
        > START 15
        < OK
        > INFO timeout_turn 1500
        > TURN 7,7
    """)
    time.sleep(0.4)
    brain.process.send_signal(signal.SIGSTOP)
    time.sleep(3)
    brain.process.send_signal(signal.SIGCONT)
    began = time.monotonic()
    assert POINT.fullmatch(brain.line())
    assert 0.5 < time.monotonic() - began < 2, "the pause was counted as thinking"


def test_the_process_is_at_rest_after_its_answer(brain: Process) -> None:
    brain.talk("""
        > START 15
        < OK
        > INFO timeout_turn 300
        > TURN 7,7
        < point
    """)

    def ticks() -> int:
        fields = Path(f"/proc/{brain.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12])

    for _ in range(10):  # on a busy machine it may be late with its clearing up
        before = ticks()
        time.sleep(0.5)
        if ticks() - before <= 1:
            return
    pytest.fail("the process goes on computing")


MISUSES = [
    ("TURN 99,99", "ERROR 99,99 is off the 15x15 board"),
    ("TURN -1,3", "ERROR -1,3 is off the 15x15 board"),
    ("TURN 7,7", "ERROR 7,7 is taken (stone 1)"),
    ("TURN", "ERROR '' is not a point x,y"),
    ("TURN 7", "ERROR '7' is not a point x,y"),
    ("TURN 7,", "ERROR '7,' is not a point x,y"),
    ("TURN a,b", "ERROR 'a,b' is not a point x,y"),
    ("TURN 1,2,3", "ERROR '1,2,3' is not a point x,y"),
    ("TURN 1.5,2", "ERROR '1.5,2' is not a point x,y"),
    ("TURN 99999999999999999999,1", "ERROR..."),
    ("TURN 1;2", "ERROR..."),
    ("START", "ERROR '' is not a whole number"),
    ("START 4", "ERROR a board of 4x4 is outside 5x5 to 32x32"),
    ("START 33", "ERROR a board of 33x33 is outside 5x5 to 32x32"),
    ("START -15", "ERROR..."),
    ("START 0", "ERROR..."),
    ("START fifteen", "ERROR 'fifteen' is not a whole number"),
    ("START 15 15", "ERROR '15 15' is not a whole number"),
    ("START 99999999999999999999999999", "ERROR..."),
    ("START ²", "ERROR..."),
    ("RECTSTART", "ERROR..."),
    ("RECTSTART 20", "ERROR..."),
    ("RECTSTART 20,40", "ERROR a board of 20x40 is outside 5x5 to 32x32"),
    ("RECTSTART a,b", "ERROR..."),
    ("BEGIN", "ERROR BEGIN on a board with 2 stones"),
    ("DONE", "ERROR DONE without BOARD"),
    ("PLAY 3,3", "ERROR PLAY without a SUGGEST"),
    ("TAKEBACK", "ERROR..."),
    ("TAKEBACK 7,7", "ERROR 7,7 is not the newest stone"),
    ("TAKEBACK 3,3", "ERROR no stone stands on 3,3"),
    ("BOARD\r\n7,7,1\r\n7,7,2\r\nDONE", "ERROR 7,7 is taken (stone 1)"),
    ("BOARD\r\n7,7,1\r\n8,8,1\r\nDONE", "ERROR..."),
    ("BOARD\r\n7,7,1\r\n15,8,2\r\nDONE", "ERROR 15,8 is off the 15x15 board"),
    ("BOARD\r\n7,7,9\r\nDONE", "ERROR stone 7,7 belongs to 9, not 1, 2 or 3"),
    ("BOARD\r\n7,7\r\nDONE", "ERROR BOARD line '7,7' is not x,y,who"),
    ("BOARD\r\nrubbish\r\nDONE", "ERROR BOARD line 'rubbish' is not x,y,who"),
    ("BOARD\r\n1,1,x\r\n2,2,2\r\nDONE", "ERROR BOARD line '1,1,x' is not x,y,who"),
    ("SWAP2BOARD\r\n7,7\r\nDONE", "ERROR SWAP2BOARD with 1 stones, not 0, 3 or 5"),
    ("SWAP2BOARD\r\n7,7\r\n7,7\r\n8,8\r\nDONE", "ERROR 7,7 is taken (stone 1)"),
    ("SWAP2BOARD\r\n7,7,1\r\n7,8\r\n8,8\r\nDONE", "ERROR..."),
    ("YXNBEST", "ERROR '' is not a whole number"),
    ("YXNBEST 0", "ERROR YXNBEST takes 1 to 20, not 0"),
    ("YXNBEST many", "ERROR 'many' is not a whole number"),
    ("FLY away", "UNKNOWN FLY away"),
    ("7,7", "UNKNOWN 7,7"),
    ("__init__", "UNKNOWN __init__"),
    ("obey x", "UNKNOWN obey x"),
    ("SUGGEST 3,3", "UNKNOWN SUGGEST 3,3"),
    ("ŠTART 15", "UNKNOWN ?TART 15"),
    ("\x00\x01\x02", "UNKNOWN ???"),
    ("x" * 1_000_000, "UNKNOWN xxxxxxxx..."),
    ("TURN " + "1" * 1_000_000, "ERROR..."),
    ("INFO", None),
    ("INFO rule", None),
    ("INFO rule x", None),
    ("INFO timeout_turn soon", None),
    ("INFO time_left", None),
    ("INFO evaluate", None),
    ("INFO max_memory -5", None),
    ("INFO show_detail", None),
]


@pytest.mark.parametrize(("line", "answer"), MISUSES, ids=[repr(line[:30]) for line, _ in MISUSES])
def test_misuse_is_answered_and_changes_nothing(lasting: Process, line: str, answer: str | None) -> None:
    lasting.talk("""
        > START 15
        < OK
        > INFO timeout_turn 0
        > INFO rule 0
        > YXBOARD
        > 7,7,1
        > 8,8,2
        > DONE
    """)
    lasting.send(line.encode() + b"\r\n")
    lasting.talk(f"< {answer}" if answer else "< -")
    lasting.talk("""
        > TURN 7,7
        < ERROR 7,7 is taken (stone 1)
        > TURN 8,8
        < ERROR 8,8 is taken (stone 2)
        > TAKEBACK 8,8
        < OK
        > TAKEBACK 7,7
        < OK
        > BEGIN
        < 7,7
    """)


def test_bytes_that_are_no_text_are_answered(lasting: Process) -> None:
    lasting.send(b"\xff\xfe\x80 abc\r\n")
    lasting.talk("< UNKNOWN ...")


@pytest.mark.parametrize("line", ["TURN 1,1", "BEGIN", "BOARD", "RESTART", "TAKEBACK 1,1", "SWAP2BOARD", "YXNBEST 2"])
def test_before_start_there_is_no_board(brain: Process, line: str) -> None:
    brain.talk(f"""
        > {line}
        < ERROR there is no board yet, send START
        > START 15
        < OK
    """)


def test_a_block_that_is_broken_off_changes_nothing(brain: Process) -> None:
    brain.talk("""
        > START 15
        < OK
        > INFO timeout_turn 0
        > BOARD
        > 7,7,1
        > START 20
        < ERROR BOARD without DONE
        < OK
        > BEGIN
        < 9,9
    """)


def test_a_manager_that_plays_on_after_a_win_gets_its_moves(brain: Process) -> None:
    """It has another rule in mind: silence would lose on time."""
    brain.talk("""
        > START 10
        < OK
        > INFO timeout_turn 100
        > BOARD
        > 0,0,2
        > 0,9,1
        > 1,0,2
        > 1,9,1
        > 2,0,2
        > 2,9,1
        > 3,0,2
        > 3,9,1
        > DONE
        < 4,9
        > TURN 4,0
    """)
    answers = [brain.line()]
    brain.talk("> TURN 9,5")
    answers.append(brain.line())
    assert len({*answers, "4,9", "4,0", "9,5"}) == 5
    assert all(POINT.fullmatch(answer) for answer in answers)


def test_a_whole_game_without_a_word_on_stderr(brain: Process) -> None:
    brain.talk("> START 9\n< OK\n> INFO timeout_turn 20\n> INFO rule 1")
    taken: set[str] = set()
    for x in range(9):
        for y in range(9):
            point = f"{(2 * x) % 9},{(4 * y) % 9}"
            if point in taken:
                continue
            taken.add(point)
            brain.send(f"TURN {point}\r\n".encode())
            answer = brain.line()
            if answer.startswith("ERROR"):
                assert "fills" in answer
                return
            assert answer not in taken
            taken.add(answer)
