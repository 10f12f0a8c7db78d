"""`sym.npx`: the functions of `mx.npx` that compose graphs."""

from types import ModuleType as _ModuleType
from typing import Any as _Any

from opforge.plugin_api import RenamedOperators as _RenamedOperators
from opforge.plugin_api import sym as _sym

from .. import npx as _npx
from ..npx import functions as _functions
from ..npx.operators import OPERATORS as _OPERATORS
from .bridge import bridge as _bridge

#: Parts of `npx` that are single functions of arrays or symbols.
_COMPOSED = ("bernoulli", "random", "reshape", *_functions.__all__)

__all__ = ["image", *_COMPOSED, *_OPERATORS]

image: _ModuleType = _sym.image
_operator = _RenamedOperators(globals(), _OPERATORS, lambda: _sym).attribute


def __getattr__(name: str) -> _Any:
    if name not in _COMPOSED:
        return _operator(name)
    value = globals()[name] = _bridge(f"{__name__}.{name}", getattr(_npx, name))
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
