"""Games become batches; a short run trains, resumes and exports (the latter where PyTorch is installed)."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from training.data import load, symmetries, training_batches, whole_batches
from training.games import NO_EVAL

SIZE = 15


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Sixty short random games in the teacher's format; black has won those with an even number."""
    rng = np.random.default_rng(0)
    games = [rng.permutation(SIZE * SIZE)[: rng.integers(9, 30)] for _ in range(60)]
    offsets = np.cumsum([0, *map(len, games)])
    opening = np.full(60, 4, np.uint8)
    evals = rng.integers(-900, 900, offsets[-1]).astype(np.int16)
    for start in offsets[:-1]:
        evals[start : start + 4] = NO_EVAL
    (tmp_path / "teacher").mkdir()
    np.savez(
        tmp_path / "teacher" / "freestyle15.npz", moves=np.concatenate(games).astype(np.uint16), offsets=offsets,
        evals=evals, opening=opening, result=np.array([1, -1] * 30, np.int8),
    )  # fmt: skip
    return tmp_path


def test_symmetries_are_eight_different_turns_of_the_board() -> None:
    table = symmetries(SIZE)
    assert len({tuple(row) for row in table}) == 8
    assert all(sorted(row) == list(range(SIZE * SIZE)) for row in table)
    neighbours = np.abs(np.diff(table.reshape(8, SIZE, SIZE) % SIZE, axis=2)).max((1, 2))
    assert set(neighbours) <= {0, 1}


def test_held_out_games_are_never_trained_on(folder: Path) -> None:
    (train,), (held,) = (load(folder, ["freestyle15"], held_out=flag) for flag in (False, True))
    assert len(train.result) == 57
    assert len(held.result) == 3
    assert not {tuple(row) for row in train.moves} & {tuple(row) for row in held.moves}


def test_a_batch_shows_the_position_before_the_teachers_move(folder: Path) -> None:
    (games,) = load(folder, ["freestyle15"], held_out=False)
    chosen = np.arange(0, len(games), 7)
    batch = games.batch(chosen, np.zeros(len(chosen), np.int64))
    for i, (game, ply) in enumerate(games.positions[chosen]):
        assert ply >= 4, "a move of the opening is not the teacher's"
        moves = games.moves[game]
        mine = {int(m) for m in moves[:ply][ply % 2 :: 2]}
        assert set(np.flatnonzero(batch.inputs[i, 0])) == mine
        assert set(np.flatnonzero(batch.inputs[i, 1])) == {int(m) for m in moves[:ply]} - mine
        assert batch.move[i] == moves[ply]
        won = games.result[game] * (1 if ply % 2 == 0 else -1)
        assert batch.value[i].tolist() == [won == 1, won == 0, won == -1]
        assert batch.teacher[i] == pytest.approx(1 / (1 + np.exp(-games.evals[game, ply] / 200)), abs=1e-6)


def test_a_turned_batch_is_the_batch_turned(folder: Path) -> None:
    (games,) = load(folder, ["freestyle15"], held_out=False)
    chosen = np.arange(20)
    plain = games.batch(chosen, np.zeros(20, np.int64))
    for symmetry in range(8):
        turned = games.batch(chosen, np.full(20, symmetry))
        table = games.symmetries[symmetry]
        assert np.array_equal(turned.inputs.reshape(20, 2, -1)[:, :, table], plain.inputs.reshape(20, 2, -1))
        assert np.array_equal(turned.move, table[plain.move])


def test_batches_are_seeded_and_tests_cover_every_position(folder: Path) -> None:
    sets = load(folder, ["freestyle15"], held_out=False)
    first, second = (next(training_batches(sets, 8, np.random.default_rng(3))) for _ in range(2))
    assert np.array_equal(first.inputs, second.inputs)
    assert sum(len(batch.move) for batch in whole_batches(sets, 50, 10**9)) == len(sets[0])


def test_a_missing_data_set_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no freestyle20\.npz"):
        load(tmp_path, ["freestyle20"], held_out=False)


def test_shipped_networks_are_what_their_cards_say() -> None:
    import hashlib

    nets = Path(__file__).parents[1] / "nets"
    cards = sorted(nets.glob("*.json"))
    assert [card.stem for card in cards] == sorted(net.stem for net in nets.glob("*.onnx"))
    for card in cards:
        said = json.loads(card.read_text())
        assert card.with_suffix(".onnx").name in said["sha256"]
        for name, digest in said["sha256"].items():
            assert hashlib.sha256((nets / name).read_bytes()).hexdigest() == digest, name


RUNS = {
    "policy": {"shape": (8, 5, 3, 3)},
    "value": {"shape": (8, 5, 3, 3)},
    "line": {"shape": (8, 8, 1)},
    "residual": {"shape": (8, 1)},
    "sign-turned": {"network": "policy", "shape": (8, 5, 3, 3), "lost_weight": -1.0},
    "classes": {"shape": (8, 5, 3, 3), "value_target": "classes"},
    "regression": {"network": "value", "shape": (8, 5, 3, 3), "value_target": "regression"},
    "comparison": {"network": "value", "shape": (8, 5, 3, 3), "value_target": "comparison"},
}


@pytest.mark.parametrize("name", RUNS)
def test_a_short_run_trains_resumes_and_exports(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("onnx")
    from training import export, runs, train

    out = folder / "runs"
    settings = {"network": name, **RUNS[name]}
    run = runs.Run(**settings, sets=("freestyle15",), steps=6, batch_size=16)  # type: ignore[arg-type]
    monkeypatch.setattr(train, "REPORT_STEPS", 3)
    sets, held_out = (load(folder, run.sets, held_out=held) for held in (False, True))
    calls: list[int] = []

    def loss(*arguments: object, kept: object = train.loss) -> object:
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return kept(*arguments)  # type: ignore[operator]

    with monkeypatch.context() as patch:
        patch.setattr(train, "loss", loss)
        assert not train.train(run, name, sets, held_out, out)
    assert not (out / f"{name}.pt").exists()
    assert train.train(run, name, sets, held_out, out)
    if name in ("policy", "value", "line", "residual"):
        export.export(name, out, folder / "nets")
        assert (folder / "nets" / f"{name}.onnx").stat().st_size > 1000


@pytest.mark.parametrize(("capability", "expected"), [("AVX2", "float32"), ("AVX512", "bfloat16")])
def test_a_processor_without_bfloat16_trains_in_float32(
    capability: str, expected: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = pytest.importorskip("torch")
    from training import runs, train

    run = runs.Run(network="policy", shape=(8, 5, 3, 3), sets=("freestyle15",))
    network = run.build()
    computed = []
    network.register_forward_hook(lambda module, inputs, heads: computed.append(heads.policy.dtype))
    batch = next(iter(whole_batches(load(folder, run.sets, held_out=True), 8, 8, network.inputs)))
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: capability)
    train.loss(run, network, batch, "cpu")
    assert computed == [getattr(torch, expected)]


def test_a_value_that_puts_won_positions_first_is_ordered() -> None:
    torch = pytest.importorskip("torch")
    from training.targets import ordered

    result = torch.tensor([[1.0, 0, 0], [0, 0, 1.0], [0, 1.0, 0], [1.0, 0, 0]])
    assert ordered(torch.tensor([[0.9, 0, 0.1], [0.2, 0, 0.8], [0.5, 0, 0.5], [0.6, 0, 0.4]]), result) == 1
    assert ordered(torch.tensor([[0.1, 0, 0.9], [0.2, 0, 0.8], [0.5, 0, 0.5], [0.6, 0, 0.4]]), result) == 0.5


def test_calibration_counts_every_position_in_its_bin() -> None:
    from training.calibration import bins, error

    expected = np.array([0.05, 0.09, 0.55, 1.0])
    rows = bins(expected, np.array([0.0, 1.0, 1.0, 1.0]))
    assert [count for *_, count in rows] == [2, 1, 1]
    assert rows[0][:2] == (pytest.approx(0.07), 0.5)
    mean, worst = error(rows)
    assert worst == pytest.approx(0.45)
    assert mean == pytest.approx((2 * 0.43 + 0.45 + 0) / 4)
