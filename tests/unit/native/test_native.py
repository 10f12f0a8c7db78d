"""The core requires the GIL."""

import importlib
import pickle
import sys

import pytest

from opforge import autograd, native


@pytest.mark.parametrize("is_enabled", [True, False])
def test_free_threading_is_an_error_with_instructions(monkeypatch, is_enabled):
    monkeypatch.setattr(sys, "_is_gil_enabled", lambda: is_enabled, raising=False)
    if is_enabled:
        assert importlib.reload(native) is native
    else:
        with pytest.raises(ImportError, match="unset PYTHON_GIL, and start Python"):
            importlib.reload(native)


def test_python_without_the_query_has_the_gil(monkeypatch):
    monkeypatch.delattr(sys, "_is_gil_enabled", raising=False)
    assert importlib.reload(native) is native


def test_classes_without_reduce_cannot_be_pickled():
    with pytest.raises(TypeError, match=r"cannot pickle '.*Scope' object"):
        pickle.dumps(autograd.record())
    loaded = [module for name, module in sys.modules.items() if name.startswith(native.__name__)]
    classes = {one for module in loaded for one in vars(module).values() if isinstance(one, type)}
    assert classes and not any(hasattr(one, "__reduce_cython__") for one in classes)
