"""Operators implemented by C functions; plugins import this package as `plugin_api.native`."""

import importlib as _importlib
from types import ModuleType as _ModuleType

from ..declaring.epilogue import EPILOGUES as EPILOGUES
from .devices import Device as Device
from .library import NativeFunctions as NativeFunctions
from .library import functions as functions
from .loading import load as load
from .operator import NativeOperator as NativeOperator

__all__ = [
    "EPILOGUES",
    "Device",
    "NativeFunctions",
    "NativeOperator",
    "functions",
    "load",
    "numba_views",
]


def numba_views() -> _ModuleType:
    """Return the module that gives Numba cfuncs access to the arguments of a call.

    Raises
    ------
    ImportError
        Numba is not installed.
    """
    return _importlib.import_module(f"{__name__}._numba")
