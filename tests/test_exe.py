"""The bundle: built, unpacked far from the repository, and played with as the tournament does."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from gomoku_bot.arena.brain import Conditions
from gomoku_bot.arena.referee import play_game
from gomoku_bot.rules import Rule

ROOT = Path(__file__).parents[1]
ZIP = ROOT / "dist" / "gomoku-bot-linux64.zip"
CLEAN = {"PATH": "/usr/bin:/bin", "LANG": "C", "HOME": "/nonexistent"}
JUDGE = Conditions(turn_ms=150, match_ms=60_000, tolerance_ms=1000, memory_bytes=350_000_000, suspend=True)


def build() -> None:
    result = subprocess.run([sys.executable, "build_exe.py"], cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a blank and letters beyond ASCII in its name, that nobody may write in."""
    build()
    folder = tmp_path_factory.mktemp("où est le bot ") / "žluťoučký kůň"
    folder.mkdir()
    with zipfile.ZipFile(ZIP) as archive:
        for entry in archive.infolist():
            path = Path(archive.extract(entry, folder))
            path.chmod(entry.external_attr >> 16 & 0o555)
    os.chmod(folder, 0o555)
    yield folder
    os.chmod(folder, 0o755)


def brain(folder: Path) -> tuple[str, ...]:
    """The bundled brain, with nothing of this Python in its environment."""
    return ("env", "-i", *(f"{key}={value}" for key, value in CLEAN.items()), str(folder / "pbrain-gomoku-bot64"))


def test_the_zip_is_as_the_tournament_wants_it_and_small(unpacked: Path) -> None:
    with zipfile.ZipFile(ZIP) as archive:
        names = archive.namelist()
    assert [name for name in names if "/" not in name and name.startswith("pbrain")] == ["pbrain-gomoku-bot64"]
    assert ZIP.stat().st_size < 25_000_000
    assert not [name for name in names if re.search(r"torch|/rich|Cython|pip/|\.py$|/tests?/", name)]


def test_the_same_input_makes_the_same_zip(unpacked: Path) -> None:
    before = ZIP.read_bytes()
    build()
    assert ZIP.read_bytes() == before


def test_the_self_check_finds_nothing_wrong_and_names_a_broken_net(unpacked: Path, tmp_path: Path) -> None:
    result = subprocess.run([*brain(unpacked), "--selfcheck"], cwd=tmp_path, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout
    assert "all is well" in result.stdout
    broken = tmp_path / "broken"
    shutil.copytree(unpacked, broken, copy_function=shutil.copy)
    os.chmod(broken / "nets", 0o755)
    os.chmod(broken / "nets" / "line.npz", 0o644)
    with (broken / "nets" / "line.npz").open("r+b") as file:
        file.seek(1_000_000)
        file.write(b"\x55" * 64)
    result = subprocess.run([*brain(broken), "--selfcheck"], cwd=tmp_path, capture_output=True, text=True)
    assert result.returncode == 1
    assert re.search(r"WRONG .*line\.npz", result.stdout)


@pytest.mark.parametrize(
    ("rule", "size"),
    [(Rule.FREESTYLE, 20), (Rule.FREESTYLE, 15), (Rule.STANDARD, 15), (Rule.RENJU, 15), (Rule.CARO, 15),
     (Rule.CARO_EXACT, 15)],
)  # fmt: skip
def test_two_bundles_in_one_folder_play_a_whole_game_under_the_judge(
    unpacked: Path, tmp_path: Path, rule: Rule, size: int
) -> None:
    record, trouble = play_game(
        (brain(unpacked), brain(unpacked)), ("a", "b"), JUDGE, width=size, height=size, rule=rule,
        folders=(tmp_path, unpacked),
    )  # fmt: skip
    assert record.reason in ("five", "full board", "move limit"), trouble
    assert len(record.moves) > 8
    assert not list(tmp_path.iterdir()), "something was written in the working folder"


def test_no_code_of_ours_needs_more_than_the_oldest_processor(unpacked: Path) -> None:
    """Registers of AVX and AVX-512 are called ymm and zmm; ONNX Runtime and numpy choose theirs when they start."""
    ours = sorted((unpacked / "_internal" / "gomoku_bot").rglob("*.so"))
    assert len(ours) >= 10
    for library in ours:
        code = subprocess.run(["objdump", "-d", library], capture_output=True, text=True, check=True).stdout
        assert len(code) > 10_000
        assert not re.search(r"%[yz]mm", code), library.name
