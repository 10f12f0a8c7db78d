"""The package: its names, the modules that its import loads, and lazy loading."""

import importlib
import subprocess
import sys

import pytest

import opforge as mx


def run(program):
    """Run `program` in a fresh interpreter and return the words that it prints."""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60
    )
    assert not done.returncode, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize("name", mx.__all__)
def test_every_public_name_is_there(name):
    assert getattr(mx, name) is not None
    assert name in dir(mx)


def test_names_are_listed_once():
    assert len(set(mx.__all__)) == len(mx.__all__)


@pytest.mark.parametrize(
    ("short", "full"), [("nd", "opforge.ndarray"), ("init", "opforge.initializer")]
)
def test_short_names_are_the_modules_themselves(short, full):
    module = importlib.import_module(full)
    assert getattr(mx, short) is module
    assert importlib.import_module(f"opforge.{short}") is module


def test_lazy_names_equal_those_of_their_modules():
    assert mx.NDArray is mx.nd.NDArray
    assert mx.waitall is mx.nd.waitall
    assert mx.get_num_threads is mx.engine.get_num_threads
    assert "NDArray" in vars(mx)  # kept after the first use


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="module 'opforge' has no attribute 'nothing'"):
        _ = mx.nothing
    assert not hasattr(mx, "nothing")
    with pytest.raises(ImportError):
        exec("from opforge import nothing")


def test_the_errors_have_one_root():
    assert mx.MXNetError is mx.OpforgeError
    assert issubclass(mx.OperatorError, mx.OpforgeError)
    assert issubclass(mx.OpforgeError, Exception)


def test_the_version_is_one():
    parts = mx.__version__.split(".")
    assert len(parts) >= 3
    assert all(part.isdigit() for part in parts[:2])


def test_importing_loads_neither_arrays_nor_layers():
    loaded = run("import sys, opforge; print(*[m for m in sys.modules if 'opforge' in m])")
    assert "opforge" in loaded
    for late in ("ndarray", "gluon", "optimizer", "metric", "std", "cli", "native.calls.product"):
        assert f"opforge.{late}" not in loaded


def test_memory_is_reported_and_given_back():
    x = mx.nd.zeros((1000, 1000))
    assert x.nbytes == 4_000_000
    before = mx.memory_stats()
    del x
    mx.release_pool()
    after = mx.memory_stats()
    assert set(before) == set(after)
    assert before != after
