"""Kernels are compiled once for each content; what the compiler says is shown with its line."""

import re

import pytest

from opforge.base.errors import OpforgeError
from opforge.rtc import compiler
from opforge.rtc.source import Parameter

X = (Parameter("x", (3,), 0, False),)


@pytest.mark.usefixtures("c_compiler")
def test_a_compile_error_shows_the_users_line():
    with pytest.raises(OpforgeError) as caught:
        compiler.compile_kernel("broken", X, "float a = 1;\nx[0] = nothing + a;")
    text = str(caught.value)
    assert "rtc kernel 'broken' does not compile" in text
    assert "broken.cu:2:" in text
    assert "x[0] = nothing + a;" in text


@pytest.mark.usefixtures("c_compiler")
def test_the_same_kernel_is_compiled_once(monkeypatch):
    body = "x[threadIdx.x] = 1;  // compiled once"
    compiler.compile_kernel("once", X, body)
    monkeypatch.setattr(compiler.subprocess, "run", None)
    compiler.compile_kernel("once", X, body)


@pytest.mark.usefixtures("c_compiler")
def test_the_shape_is_part_of_the_kernel():
    before = compiler._library.cache_info().currsize
    for size in (3, 4):
        compiler.compile_kernel("k", (Parameter("x", (size,), 0, False),), "x[0] = x_dims[0];")
    assert compiler._library.cache_info().currsize == before + 2


@pytest.mark.parametrize(
    ("variable", "words"),
    [("", "c++, g++, clang++"), ("no-such-compiler -m64", "no-such-compiler")],
)
def test_error_without_a_compiler_has_advice(monkeypatch, variable, words):
    monkeypatch.setenv("CXX", variable)
    monkeypatch.setattr(compiler.shutil, "which", lambda name: None)
    with pytest.raises(
        OpforgeError, match=rf"needs a C\+\+ compiler.*\({re.escape(words)}\).*set CXX"
    ):
        compiler.compile_kernel("k", X, "x[0] = 1;")


def test_cxx_chooses_the_compiler(monkeypatch):
    monkeypatch.setenv("CXX", "sh -c false")
    with pytest.raises(OpforgeError, match=r"does not compile \(sh, status 1\)"):
        compiler.compile_kernel("k", X, "x[0] = 1;")
