import threading

import pytest

import opforge
from opforge import autograd


def test_state_belongs_to_the_thread():
    seen = []
    with autograd.record():
        thread = threading.Thread(target=lambda: seen.append(autograd.is_recording()))
        thread.start()
        thread.join()
    assert seen == [False]


def test_setters_return_the_old_state():
    assert autograd.set_recording(True) is False
    assert autograd.set_recording(False) is True
    assert autograd.set_training(True) is False
    assert autograd.set_training(False) is True


def test_a_star_import_brings_arrays_and_symbols():
    names: dict[str, object] = {}
    exec("from opforge.autograd import *", names)
    assert names["NDArray"] is opforge.nd.NDArray
    assert names["Symbol"] is opforge.sym.Symbol
    with pytest.raises(AttributeError, match="nonsense"):
        opforge.autograd.nonsense  # noqa: B018
