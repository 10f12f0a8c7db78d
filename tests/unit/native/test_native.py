"""The core is used under Python's global lock, or not at all."""

import importlib
import pickle
import sys

import pytest

from opforge import autograd, native


@pytest.mark.parametrize("is_enabled", [True, False])
def test_no_lock_is_an_error_that_says_how_to_have_it(monkeypatch, is_enabled):
    monkeypatch.setattr(sys, "_is_gil_enabled", lambda: is_enabled, raising=False)
    if is_enabled:
        assert importlib.reload(native) is native
    else:
        with pytest.raises(ImportError, match="unset PYTHON_GIL, and start it without -X gil=0"):
            importlib.reload(native)


def test_a_python_that_always_has_the_lock_is_not_asked(monkeypatch):
    monkeypatch.delattr(sys, "_is_gil_enabled", raising=False)
    assert importlib.reload(native) is native


def test_what_does_not_say_how_it_is_pickled_is_not_pickled():
    with pytest.raises(TypeError, match=r"cannot pickle '.*Scope' object"):
        pickle.dumps(autograd.record())
    loaded = [module for name, module in sys.modules.items() if name.startswith(native.__name__)]
    classes = {one for module in loaded for one in vars(module).values() if isinstance(one, type)}
    assert classes and not any(hasattr(one, "__reduce_cython__") for one in classes)
