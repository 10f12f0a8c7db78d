"""Layer 3: recording, gradients and differentiable functions of one's own.

Examples
--------
>>> from opforge import autograd, nd
>>> x = nd.array([1.0, 2.0])
>>> x.attach_grad()
>>> with autograd.record():
...     y = (x * x).sum()
>>> y.backward()
>>> x.grad.asnumpy().tolist()
[2.0, 4.0]

MXNet's programs take `NDArray` and `Symbol` from here too (``from mxnet.autograd import *``). They
and `get_symbol` lie above this layer, so they are looked up when they are asked for.
"""

import importlib as _importlib
from typing import Any as _Any

from ._function import Function as Function
from ._gradients import backward as backward
from ._gradients import grad as grad
from ._gradients import mark_variables as mark_variables
from ._scopes import is_recording as is_recording
from ._scopes import is_training as is_training
from ._scopes import pause as pause
from ._scopes import predict_mode as predict_mode
from ._scopes import record as record
from ._scopes import set_recording as set_recording
from ._scopes import set_training as set_training
from ._scopes import train_mode as train_mode

# What higher layers have -> the module that has it.
_ABOVE = {"NDArray": "ndarray", "Symbol": "symbol", "get_symbol": "symbol.recorded"}

__all__ = [
    "Function",
    "NDArray",
    "Symbol",
    "backward",
    "get_symbol",
    "grad",
    "is_recording",
    "is_training",
    "mark_variables",
    "pause",
    "predict_mode",
    "record",
    "set_recording",
    "set_training",
    "train_mode",
]


def __getattr__(name: str) -> _Any:
    if name not in _ABOVE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(_importlib.import_module(f"..{_ABOVE[name]}", __name__), name)
    globals()[name] = value
    return value
