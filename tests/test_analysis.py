"""JSON lines in, JSON lines out."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from gomoku_bot.analysis import serve


def ask(**query: object) -> dict[str, Any]:
    (line,) = serve([json.dumps(query)])
    answer: dict[str, Any] = json.loads(line)
    return answer


def test_an_answer_has_every_key() -> None:
    answer = ask(id="a", moves=[[7, 7], [8, 8]], maxVisits=10, include=["policy", "forbidden", "forcedWin"], topMoves=3)
    assert answer["id"] == "a"
    assert {"move", "winrate", "draw", "value", "visits", "timeMs", "moves"} <= set(answer)
    assert set(answer["moves"][0]) == {"move", "visits", "prior", "winrate", "pv"}
    assert len(answer["moves"]) == 3
    assert answer["visits"] >= 10
    assert len(answer["policy"]) == len(answer["policy"][0]) == 15
    assert sum(map(sum, answer["policy"])) == pytest.approx(1, abs=1e-4)
    assert answer["forbidden"] == []
    assert answer["forcedWin"] is None
    assert 0 <= answer["winrate"] <= 1
    assert -1 <= answer["value"] <= 1


def test_a_forced_win_comes_with_its_line() -> None:
    win = ask(
        id=1, black=[[7, 7], [8, 7], [9, 7]], white=[[0, 0], [0, 2], [0, 4]], maxTimeMs=500, include=["forcedWin"]
    )
    assert win["forcedWin"]["plies"] == len(win["forcedWin"]["moves"]) == 3
    assert win["winrate"] == 1
    assert win["proven"]


def test_renju_lists_its_forbidden_points() -> None:
    query = {
        "rule": "renju",
        "black": [[7, 7], [8, 7], [9, 6], [9, 5]],
        "white": [[0, 0], [0, 14], [14, 0], [14, 14]],
    }
    assert ask(**query, maxVisits=1, include=["forbidden"])["forbidden"] == [[9, 7]]


def test_rectangles_are_served() -> None:
    answer = ask(width=12, height=6, moves=[[11, 5]], maxVisits=5, include=["policy"])
    assert (len(answer["policy"]), len(answer["policy"][0])) == (6, 12)


BAD = [
    ({"moves": [[7, 7], [7, 7]]}, "7,7 is taken (stone 1)"),
    ({"moves": [[15, 0]]}, "15,0 is off the 15x15 board"),
    ({"moves": [[1]]}, "moves holds [1], which is not [x, y]"),
    ({"moves": [[1.5, 2]]}, "moves holds [1.5, 2], which is not [x, y]"),
    ({"moves": 7}, "moves is not a list of [x, y]"),
    ({"rule": "chess"}, "no rule is called 'chess'"),
    ({"rule": 4}, "rule 4 is not a name"),
    ({"width": 3}, "a board of 3x3 is outside"),
    ({"width": "15"}, "width '15' is not a whole number"),
    ({"black": [[0, 0], [1, 1]], "white": []}, "2 black and 0 white stones"),
    ({"black": [[0, 0]], "white": [], "toMove": "black"}, "toMove black does not fit"),
    ({"black": [[0, 0]], "white": [], "toMove": "red"}, "toMove 'red' is neither"),
    ({"black": [], "moves": []}, "exclude each other"),
    ({"toMove": "black"}, "toMove goes with black and white"),
    ({"engine": "alphabeta9"}, "engine 'alphabeta9' is none of"),
    ({"maxVisits": 0}, "maxVisits 0 is not"),
    ({"maxTimeMs": -1}, "maxTimeMs -1 is not"),
    ({"topMoves": True}, "topMoves True is not"),
    ({"include": ["all"]}, "include ['all'] is not"),
    ({"wdith": 15}, "unknown key 'wdith'"),
    ({"moves": [[0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [2, 1], [3, 0], [3, 1], [4, 0]]}, "the game is over"),
]


@pytest.mark.parametrize(("query", "error"), BAD, ids=[error for _, error in BAD])
def test_a_bad_query_is_named(query: dict[str, object], error: str) -> None:
    answer = ask(id=9, **query)
    assert answer["id"] == 9
    assert error in answer["error"]


def test_after_a_bad_line_the_next_is_served_in_a_real_process() -> None:
    lines = ["not json", "[1]", "", "[" * 100_000, '{"id": 3, "moves": [[7, 7]], "maxVisits": 1}']
    process = subprocess.run(
        [sys.executable, "-m", "gomoku_bot.cli", "analysis"],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=True,
    )
    answers = [json.loads(line) for line in process.stdout.splitlines()]
    assert ["error" in answer for answer in answers] == [True, True, True, False]
    assert process.stderr == ""
