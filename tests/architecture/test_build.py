"""The build's table of native modules, and what it says where it cannot build them."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NATIVE = ROOT / "core" / "opforge" / "native"


@pytest.fixture(scope="module")
def build():
    pytest.importorskip("Cython", reason="Cython is not installed: pip install Cython")
    pytest.importorskip("setuptools", reason="setuptools is not installed: pip install setuptools")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)  # which the table does itself
        patch.syspath_prepend(str(ROOT / "core"))
        from _build import extensions

        yield extensions


def test_each_source_is_a_module_and_each_kernel_one_for_each_instruction_set(build):
    kernels = {path.stem for path in NATIVE.glob("kernels/*.pyx")}
    others = {path for path in NATIVE.rglob("*.pyx") if path.parent.name != "kernels"}
    sets = build.flags.BUILT_ISA_FLAGS
    names = [extension.name for extension in build.extensions()]
    assert len(names) == len(set(names)) == len(others) + len(kernels) * len(sets)
    for isa, flags in sets.items():
        found = {e.name: e for e in build.extensions() if f".{isa}." in e.name}
        assert set(found) == {f"opforge.native.kernels.{isa}.{kernel}" for kernel in kernels}
        assert all(set(flags) <= set(e.extra_compile_args) for e in found.values())


def test_nothing_is_translated_before_it_is_built(build):
    assert all(Path(e.sources[0]).suffix == ".pyx" for e in build.extensions())


def test_windows_is_told_what_to_do(build, monkeypatch):
    from setuptools import Distribution

    command = build.BuildExtensions(Distribution())
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(SystemExit, match="in WSL it installs and runs as on Linux"):
        command.run()
