"""`sym.np`: the functions of `mx.np`, which compose graphs."""

from typing import Any as _Any

from opforge.plugin_api import sym as _sym

from .. import np as _np
from .bridge import bridge as _bridge

__all__ = [name for name in dir(_np) if not name.startswith("_")]

ndarray = _Symbol = _sym.Symbol


def __getattr__(name: str) -> _Any:
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = _bridge(f"{__name__}.{name}", getattr(_np, name))
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
