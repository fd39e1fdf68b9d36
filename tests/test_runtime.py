"""What the installed program imports and says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from gomoku_bot.evaluator import catalog

ROOT = Path(__file__).parents[1]


def run(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], input=text, capture_output=True, text=True, timeout=120)


def test_a_move_is_played_without_torch_rich_or_training() -> None:
    program = (
        "import sys; sys.modules.update(torch=None, rich=None, training=None, psutil=None)\n"
        "from gomoku_bot.engine import Engine\n"
        "engine = Engine(); engine.new_game(15, 15); engine.position.play(7, 7); engine.max_visits = 5\n"
        "print(engine.think().move, engine.trouble)"
    )
    result = run("-c", program)
    assert re.fullmatch(r"\(\d+, \d+\) \n", result.stdout), result.stderr


def test_the_brain_imports_no_more_than_it_needs_to_say_ok() -> None:
    program = "import gomoku_bot.protocol.loop, sys; print(*sys.modules)"
    modules = set(run("-c", program).stdout.split())
    assert not {"onnxruntime", "rich", "torch", "training", "argparse", "gomoku_bot.cli"} & modules


def test_versions_are_told() -> None:
    assert run("-m", "gomoku_bot.cli", "--version").stdout.startswith("gomoku-bot 0.")
    assert run("-m", "gomoku_bot", "--version").stdout.startswith("0.")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [(["game", "--size", "99"], "99 is not from 5 to 32"), (["play", "--level", "11"], "level 11 is not from 1 to 10"),
     (["tournament", "a"], "at least two players"), (["ratings", "nowhere"], "no games"), (["match", "a"], "PLAYER"),
     (["game", "one"], "a game takes two players, not 1"), (["fly"], "fly"),
     (["match", "--openings", "missing.txt", "a", "b"], "missing.txt")],
)  # fmt: skip
def test_bad_arguments_are_named_without_a_traceback(arguments: list[str], error: str) -> None:
    result = run("-m", "gomoku_bot.cli", *arguments)
    assert result.returncode == 2
    assert error in result.stderr
    assert "Traceback" not in result.stderr


def test_a_person_can_play_undo_and_ask_for_a_hint() -> None:
    script = "h8\nxx\nh8\nhint\nundo\nboard\nquit\n"
    result = run("-m", "gomoku_bot.cli", "play", "--turn-ms", "100", text=script)
    assert result.returncode == 0, result.stderr
    assert "I play" in result.stdout
    assert "'xx' is not a point" in result.stdout
    assert "7,7 is taken (stone 1)" in result.stdout
    assert "win" in result.stdout


def test_ruff_finds_nothing() -> None:
    result = run("-m", "ruff", "check", str(ROOT))
    assert result.returncode == 0, result.stdout


def test_mypy_finds_nothing() -> None:
    result = subprocess.run([sys.executable, "-m", "mypy"], cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout


def test_imports_run_one_way() -> None:
    result = subprocess.run([Path(sys.executable).with_name("lint-imports")], cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout


def test_a_missing_provider_is_told_and_the_cpu_plays() -> None:
    program = (
        "import onnxruntime, runpy, sys\n"
        "onnxruntime.get_available_providers = lambda: ['CPUExecutionProvider']\n"
        "sys.argv = ['pbrain-gomoku-bot', '--provider', 'cuda', '--search', 'policy']\n"
        "runpy.run_module('gomoku_bot', run_name='__main__')"
    )
    process = subprocess.Popen([sys.executable, "-c", program], stdin=-1, stdout=-1, text=True)
    assert process.stdin
    assert process.stdout
    process.stdin.write("START 15\nBOARD\n7,7,2\nDONE\n")
    process.stdin.flush()
    said = [process.stdout.readline()]
    while not said[-1][:1].isdigit():
        said.append(process.stdout.readline())
    process.communicate("END\n", timeout=20)
    assert any("has no cuda" in line for line in said)


def test_a_saved_batch_is_found_again_and_nonsense_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog, "nets_folder", lambda: tmp_path)
    assert catalog.saved_batches() == {}
    file = catalog.save_batch("cuda", 64)
    catalog.save_batch("cpu", 4)
    file.write_text(file.read_text() + "openvino 0\ndirectml many\n\ncuda -8\n")
    assert catalog.saved_batches() == {"cuda": 64, "cpu": 4}
