"""Operators whose functions are C functions; plugins see this package as `plugin_api.native`."""

import importlib as _importlib
from types import ModuleType as _ModuleType

from ..declaring.epilogue import EPILOGUES as EPILOGUES
from .library import NativeFunctions as NativeFunctions
from .library import functions as functions
from .loading import load as load
from .operator import NativeOperator as NativeOperator

__all__ = ["EPILOGUES", "NativeFunctions", "NativeOperator", "functions", "load", "numba_views"]


def numba_views() -> _ModuleType:
    """Return the module that shows a call to Numba's cfuncs.

    Raises
    ------
    ImportError
        Numba is not installed.
    """
    return _importlib.import_module(f"{__name__}._numba")
