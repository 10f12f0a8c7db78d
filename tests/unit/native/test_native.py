"""The core is used under Python's global lock, or not at all."""

import importlib
import sys

import pytest

from opforge import native


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
