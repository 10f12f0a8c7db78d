"""Names and functions of old versions of NumPy and Python, for the time of a test."""

import json
from importlib import import_module

import numpy as np
import pytest

from opforge.mxnet._removed_names import restore_numpy_aliases


@pytest.fixture
def restored(monkeypatch):
    for name in ("array", "asarray", "asanyarray", "save", "fromstring", "reshape"):
        monkeypatch.setattr(np, name, getattr(np, name))
    monkeypatch.setattr(json, "loads", json.loads)
    names = restore_numpy_aliases()
    yield names
    for name in names:
        module, _, attribute = name.rpartition(".")
        delattr(import_module(module), attribute)
