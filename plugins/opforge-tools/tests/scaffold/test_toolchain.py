"""Prerequisites of projects with native code."""

import shutil
import sysconfig

import pytest
from opforge_tools.scaffold.toolchain import missing_prerequisites


@pytest.fixture
def no_compiler(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda command, **_: None)


@pytest.fixture
def headers(monkeypatch, tmp_path):
    (tmp_path / "Python.h").touch()
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("kind", ["native-c", "native-cython"])
def test_a_missing_compiler_is_reported(kind, no_compiler, headers):
    (sentence,) = missing_prerequisites(kind)
    assert sentence.startswith("no C compiler was found")
    assert kind in sentence


def test_missing_headers_are_reported(monkeypatch, headers):
    (headers / "Python.h").unlink()
    monkeypatch.setattr(shutil, "which", lambda command, **_: "/usr/bin/cc")
    (sentence,) = missing_prerequisites("native-c")
    assert sentence.startswith(str(headers / "Python.h"))


@pytest.mark.parametrize("kind", ["numpy", "kernel", "numba", "metric"])
def test_other_kinds_need_no_compiler(kind, no_compiler):
    assert missing_prerequisites(kind) == []


def test_the_compiler_of_the_environment_counts(monkeypatch, headers):
    monkeypatch.setenv("CC", "acme-cc -m64")
    found = {"acme-cc"}
    monkeypatch.setattr(shutil, "which", lambda name, **_: name if name in found else None)
    assert missing_prerequisites("native-c") == []
