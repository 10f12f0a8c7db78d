"""NumPy's interface: arrays with NumPy's semantics (`np`) and operators beyond NumPy (`npx`)."""

from typing import Any

from opforge.plugin_api import hookimpl

__all__ = ["opforge_contributions"]

#: Module below `opforge` -> module of this package.
_MODULES = {
    "array_api": "array_api",
    "ndarray.np": "np",
    "ndarray.npx": "npx",
    "ndarray.numpy": "np",
    "ndarray.numpy_extension": "npx",
    "np": "np",
    "npx": "npx",
    "numpy": "np",
    "numpy_extension": "npx",
    "symbol.np": "symbols.np",
    "symbol.npx": "symbols.npx",
    "symbol.numpy": "symbols.np",
    "symbol.numpy_extension": "symbols.npx",
}


@hookimpl
def opforge_contributions() -> dict[str, Any]:
    """Return the modules."""
    own = {name: f"{__name__}.{module}" for name, module in _MODULES.items()}
    return {"module": own}


@hookimpl
def opforge_operators() -> list[type]:
    """Return the operators of graphs."""
    from .symbols.calls import NumpyCall
    from .symbols.operators import OPERATORS

    return [NumpyCall, *OPERATORS]
