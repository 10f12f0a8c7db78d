"""Kernels compiled from source at run time, for the CPU: `mx.rtc` of MXNet before 1.0.

The module is callable: ``mx.rtc(name, inputs, outputs, kernel)`` is equivalent to
``mx.rtc.Rtc(name, inputs, outputs, kernel)``. A kernel is written as for CUDA, in C++ or as a
Python function for Numba, and runs once for each thread of each block, one thread after another.
"""

import sys as _sys
from types import ModuleType as _ModuleType
from typing import Any as _Any

from ..names import add_names as _add_names
from .cuda import CudaKernel as CudaKernel
from .cuda import CudaModule as CudaModule
from .kernel import Rtc as Rtc

__all__ = ["CudaKernel", "CudaModule", "Rtc"]


class _CallableModule(_ModuleType):
    """Callable module, because MXNet programs call ``mx.rtc``, which used to be a class."""

    def __call__(self, *args: _Any, **kwargs: _Any) -> Rtc:
        return Rtc(*args, **kwargs)


_sys.modules[__name__].__class__ = _CallableModule


_add_names(__name__)
