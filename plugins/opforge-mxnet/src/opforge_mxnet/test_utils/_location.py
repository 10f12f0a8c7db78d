"""Conversion of the arguments and states that tests pass for a symbol to NDArrays by name."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from opforge import ndarray as nd
from opforge.base.context import Context
from opforge.ndarray import NDArray
from opforge.symbol import Symbol

__all__ = ["AS_GIVEN", "Arrays", "as_array", "located", "requests", "states"]

#: Value of `dtype` that keeps the element type of each array.
AS_GIVEN = "asnumpy"

Arrays = Mapping[str, Any] | Sequence[Any]


def located(symbol: Symbol, location: Arrays, ctx: Context, dtype: Any) -> dict[str, NDArray]:
    """Return the arguments of `symbol` by name, as new NDArrays.

    Parameters
    ----------
    symbol : Symbol
    location : dict of str to array, or list of arrays in the order of ``list_arguments()``
    ctx : Context
    dtype : numpy dtype or "asnumpy"
        Element type of the arrays that are not NDArrays yet.

    Raises
    ------
    ValueError
        Arguments are missing, or the symbol does not have them.
    """
    return _by_name("arguments", symbol.list_arguments(), location, ctx, dtype)


def states(
    symbol: Symbol, aux_states: Arrays | None, ctx: Context, dtype: Any
) -> dict[str, NDArray]:
    """Return the auxiliary states of `symbol` by name, as new NDArrays; see `located`."""
    names = symbol.list_auxiliary_states()
    return {} if aux_states is None else _by_name("states", names, aux_states, ctx, dtype)


def as_array(value: Any, ctx: Context, dtype: Any) -> NDArray:
    """Return a copy of an array on `ctx`; an NDArray keeps its element type."""
    if isinstance(value, NDArray):
        return value.copyto(ctx)
    value = np.asarray(value)
    return nd.array(value, ctx=ctx, dtype=value.dtype if dtype == AS_GIVEN else dtype)


def requests(symbol: Symbol, grad_req: Any) -> dict[str, str]:
    """Return a dict of gradient requests by argument from a string, a list or a dict."""
    if isinstance(grad_req, Mapping):
        return dict(grad_req)
    names = symbol.list_arguments()
    each = [grad_req] * len(names) if isinstance(grad_req, str) else grad_req
    return dict(zip(names, each, strict=True))


def _by_name(
    what: str, names: Sequence[str], given: Arrays, ctx: Context, dtype: Any
) -> dict[str, NDArray]:
    if not isinstance(given, Mapping):
        if len(given) != len(names):
            raise ValueError(f"got {len(given)} {what}; expected {len(names)}: {names}")
        given = dict(zip(names, given, strict=True))
    if set(given) != set(names):
        raise ValueError(f"got {what} {sorted(given)}; expected {sorted(names)}")
    return {name: as_array(given[name], ctx, dtype) for name in names}
