"""Type stubs of compiled modules match the modules' embedded signatures."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def stubs():
    path = ROOT / "scripts" / "native_stubs.py"
    spec = importlib.util.spec_from_file_location("native_stubs", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_compiled_module_has_an_up_to_date_stub(stubs):
    paths = stubs.stub_paths()
    assert len(paths) > 80
    stale = [
        path.relative_to(ROOT).as_posix()
        for path in filter(stubs.is_generated, paths)
        if not path.exists() or path.read_text(encoding="utf-8") != stubs.text_of(path)
    ]
    assert not stale, f"run scripts/native_stubs.py --write: {stale}"


def test_stubs_have_the_types_that_the_sources_declare(stubs):
    text = stubs.text_of(stubs.NATIVE / "calls" / "product.pyi")
    assert "from opforge.native.array.array import Array\n" in text
    (call,) = (part for part in text.split("def ") if part.startswith("gemm("))
    for parameter in (
        "a: Array",
        "transpose_a: bool=...",
        "bias: Array | None=...",
        "req: Any=...",
    ):
        assert f"    {parameter},\n" in call


def test_stubs_of_removed_modules_are_gone(stubs):
    listed = {*stubs.stub_paths()}
    assert {path for path in stubs.NATIVE.rglob("*.pyi")} <= listed
