"""The table of native modules, the order of a build, and its message on other systems."""

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
    assert len(names) == len(set(names)) == 1 + len(others) + len(kernels) * len(sets)
    assert names[0] == build.translation.SHARED
    for isa, flags in sets.items():
        found = {e.name: e for e in build.extensions() if f".{isa}." in e.name}
        assert set(found) == {f"opforge.native.kernels.{isa}.{kernel}" for kernel in kernels}
        assert all(set(flags) <= set(e.extra_compile_args) for e in found.values())


def test_nothing_is_translated_before_it_is_built(build):
    assert all(Path(e.sources[0]).suffix == ".pyx" for e in build.extensions()[1:])


def test_a_source_is_stale_after_its_inputs_change(build, monkeypatch):
    (unit,) = (u for u in build.units(build.extensions()) if u.name.endswith("calls.claims"))
    assert {path.name for path in unit.cython} >= {"claims.pyx", "claims.pxd"}
    monkeypatch.setattr(build.translation, "facts", lambda: ["another version of Cython"])
    (changed,) = (u for u in build.units(build.extensions()) if u.name == unit.name)
    assert changed.fingerprint != unit.fingerprint


def test_fingerprints_mark_results(build, tmp_path):
    source, result = tmp_path / "a.pyx", tmp_path / "a.c"
    source.write_text("x = 1")
    made_from = build.fingerprint([source], "-O3")
    assert made_from != build.fingerprint([source], "-O1")
    assert not build.is_current(result, made_from)
    result.write_text("int x = 1;")
    build.mark_current(result, made_from)
    assert build.is_current(result, made_from)
    assert not build.is_current(result, build.fingerprint([source], "-O1"))


def test_expensive_jobs_come_first_and_add_others(build):
    order = []

    def job(cost, added=()):
        return build.Job(cost, lambda: order.append(cost) or added)

    build.run([job(1), job(5, [job(3)]), job(4)], threads=1)
    assert order == [5, 4, 3, 1]


def test_a_failed_job_ends_the_build(build):
    def fail():
        raise RuntimeError("no such header")

    finished = []
    with pytest.raises(RuntimeError, match="no such header"):
        build.run([build.Job(2, fail), build.Job(1, lambda: finished.append(1) or ())], threads=1)
    assert not finished


def test_progress_counts_steps(build, capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    progress = build.Progress(2)
    progress.done("translated a")
    progress.done("compiled a")
    progress.finish("1 native module is up to date")
    text = capsys.readouterr().err
    assert "[  1/2]" in text
    assert "compiled a" in text
    assert text.rstrip().endswith("1 native module is up to date (0 s)")


def test_error_on_windows_has_advice(build, monkeypatch):
    from setuptools import Distribution

    command = build.BuildExtensions(Distribution())
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(SystemExit, match="in WSL it installs and runs as on Linux"):
        command.run()
