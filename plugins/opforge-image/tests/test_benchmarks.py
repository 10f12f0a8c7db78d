"""Tests of ``opforge bench image``: its cases and its output."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from opforge_image.benchmarks import cases, command, images

import opforge as mx


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with few images."""
    monkeypatch.setattr(cases, "COUNT", 5)
    monkeypatch.setattr(cases, "SMALL_COUNT", 16)
    images.write(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", [name for name in cases.CASES if "ResNet" not in name])
def test_cases_run_repeatedly(folder: Path, name: str) -> None:
    run = cases.CASES[name]["prepare"](mx, folder)
    run()
    run()


def test_images_are_reproducible(folder: Path, tmp_path: Path) -> None:
    before = (folder / cases.SMALL).read_bytes()
    images.write(tmp_path)
    assert (tmp_path / cases.SMALL).read_bytes() == before
    record = mx.recordio.MXRecordIO(folder / cases.PHOTOGRAPHS, "r")
    header, image = mx.recordio.unpack_img(record.read())
    assert header.label == 0 and image.shape == (375, 500, 3) and np.std(image) > 20


class _Dense(mx.gluon.HybridBlock):
    """Stub of ResNet-18, which another plugin provides."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = self.params.get("weight", shape=(cases.CLASSES, 3 * 32 * 32))

    def hybrid_forward(self, F: Any, x: Any, weight: Any) -> Any:
        return F.FullyConnected(x, weight, num_hidden=cases.CLASSES, no_bias=True)


def test_training_and_waiting(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "opforge.gluon.model_zoo.vision.get_resnet", lambda *arguments, **options: _Dense()
    )
    for name in ("from a record file", "one batch repeatedly"):
        cases.CASES[f"ResNet-18 of 32x32, {name}"]["prepare"](mx, folder)()
    (share,) = cases.SHARES.values()
    assert 0 < share["measure"](mx, folder) < 1


def test_the_command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cases, "COUNT", 3)
    monkeypatch.setattr(cases, "SMALL_COUNT", 1)
    asked: list[Any] = []

    def measure(given: Any, module: Any, folder: Path) -> dict[str, Any]:
        asked.append((given.only, module, sorted(path.name for path in folder.iterdir())))
        return {"kind": "cases"}

    monkeypatch.setattr("opforge_tools.benchmarks.plugin_cases.measure", measure)
    assert command.main(["--only", "MXRecordIO", "--json"]) == 0
    assert '"kind": "cases"' in capsys.readouterr().out
    files = ["photographs.idx", "photographs.rec", "small.idx", "small.rec"]
    assert asked == [("MXRecordIO", cases, files)]
