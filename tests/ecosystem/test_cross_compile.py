"""Cross-compilation of the sources for other systems, which `tox -e cross` runs."""

import importlib.util
import sys
from pathlib import Path

import pytest
from setuptools import Extension

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def cross():
    path = ROOT / "scripts" / "cross_compile.py"
    spec = importlib.util.spec_from_file_location("script_cross_compile", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def extension(level, flag):
    return Extension(
        f"acme._native_{level}",
        ["a.c", "b.cpp"],
        include_dirs=["include"],
        define_macros=[("PyInit__native", f"PyInit__native_{level}")],
        extra_compile_args=["-O3", flag, "-mprefer-vector-width=512"],
    )


def test_each_source_has_its_compiler_and_flags_of_setup_py(cross, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    module = extension("baseline", "-march=x86-64-v2")
    c, cpp = cross.commands(module, "x86_64-macos", tmp_path / "extra")
    assert (c[3:6], c[-2:]) == (["cc", "-target", "x86_64-macos"], ["-c", str(tmp_path / "a.c")])
    assert (cpp[3], cpp[-1]) == ("c++", str(tmp_path / "b.cpp"))
    assert {f"-I{tmp_path / 'include'}", f"-I{tmp_path / 'extra'}"} <= set(c)
    assert "-DPyInit__native=PyInit__native_baseline" in c


@pytest.mark.parametrize(
    ("target", "wanted"), [("x86_64-linux-musl", ["-mcpu=x86_64_v3"]), ("aarch64-macos", [])]
)
def test_levels_of_x86_are_said_as_zig_says_them_and_to_no_other(cross, tmp_path, target, wanted):
    module = extension("x86_64_v3", "-march=x86-64-v3")
    for command in cross.commands(module, target, tmp_path):
        assert [flag for flag in command if flag.startswith("-m") and flag != "-m"] == wanted


@pytest.mark.parametrize(("target", "compiled"), [("x86_64-macos", 2), ("aarch64-macos", 1)])
def test_compiler_errors_are_reported(cross, tmp_path, capsys, monkeypatch, target, compiled):
    table = [extension("baseline", "-march=x86-64-v2"), extension("x86_64_v3", "-march=x86-64-v3")]
    program = "import sys; sys.exit(sys.argv[1] + ' is rejected')"
    monkeypatch.setattr(
        cross, "commands", lambda module, *_: [[sys.executable, "-c", program, module.name]]
    )
    found = cross.failures(target, table, tmp_path)
    assert found[0] == "acme._native_baseline is rejected\n"
    assert f"{target}: {compiled} compiled, {compiled} of them failed" in capsys.readouterr().out
    assert (tmp_path / target / "endian.h").read_text().startswith("#include <machine/endian.h>")
