"""The package's interface for plugins."""

import sys

import pytest

from opforge import plugin_api
from opforge.op import abi


def test_plugins_see_it():
    assert plugin_api.native is abi
    assert set(abi.__all__) == {
        "Device",
        "EPILOGUES",
        "NativeFunctions",
        "NativeOperator",
        "functions",
        "load",
        "numba_views",
    }


def test_error_without_numba_has_advice(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    monkeypatch.delitem(sys.modules, "opforge.op.abi._numba", raising=False)
    with pytest.raises(ImportError, match="pip install numba"):
        abi.numba_views()
