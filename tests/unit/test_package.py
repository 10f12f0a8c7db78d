"""The face of the package: lazy modules, names of MXNet, one identity for each module."""

import subprocess
import sys

import pytest

import opforge as mx


def _run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_import_loads_only_the_base():
    loaded = _run(
        "import sys, opforge; print(sorted(m for m in sys.modules if m.startswith('opforge.')))"
    )
    assert "opforge.base.errors" in loaded
    for heavy in ("ndarray", "native", "gluon", "plugin"):
        assert f"'opforge.{heavy}" not in loaded, loaded
    assert "pluggy" not in _run("import sys, opforge; print([m for m in sys.modules])")


@pytest.mark.parametrize(
    ("short", "long"), [("nd", "ndarray"), ("init", "initializer"), ("random", "random")]
)
def test_short_and_long_names_are_one_module(short, long):
    assert getattr(mx, short) is getattr(mx, long)


def test_every_public_name_is_there():
    for name in mx.__all__:
        assert getattr(mx, name) is not None
    assert set(mx.__all__) <= set(dir(mx))


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'ndarrray'"):
        _ = mx.ndarrray


def test_version_is_the_distributions():
    from importlib.metadata import version

    assert mx.__version__ == version("opforge")


def test_errors_are_mxnets():
    assert mx.MXNetError is mx.base.MXNetError
    assert issubclass(mx.OperatorError, mx.MXNetError)
