"""Layer 3: recording, gradients and user-defined differentiable functions.

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

MXNet programs also import `NDArray` and `Symbol` from here (``from mxnet.autograd import *``).
These and `get_symbol` belong to higher layers, so they are resolved on first access.
"""

import importlib as _importlib
from typing import Any as _Any

from ..base.module_aliases import add_aliases as _add_aliases
from ..base.name_hints import missing_name as _missing_name
from . import _scopes
from ._function import Function as Function
from ._gradients import backward as backward
from ._gradients import grad as grad
from ._gradients import mark_variables as mark_variables
from ._scopes import *  # noqa: F403

# Name of a higher layer -> module that defines it.
_ABOVE = {"NDArray": "ndarray", "Symbol": "symbol", "get_symbol": "symbol.recorded_symbol"}

__all__ = ["Function", "backward", "grad", "mark_variables", *_ABOVE]
__all__ += _scopes.__all__


def __getattr__(name: str) -> _Any:
    if name not in _ABOVE:
        raise _missing_name(__name__, name)
    value = getattr(_importlib.import_module(f"..{_ABOVE[name]}", __name__), name)
    globals()[name] = value
    return value


_add_aliases(__name__)
