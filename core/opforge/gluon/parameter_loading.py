"""Loading of saved arrays into parameters: checks and conversions."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..base.context import Context, cpu
from ..base.dtypes import code_of
from ..native.memory.buffer import release_pool
from ..ndarray import NDArray
from ..ndarray.array_index import SavedArray, SavedSparseArray
from .parameter import Parameter

__all__ = ["brief_list", "check_names", "load_all", "load_into"]

_BFLOAT16 = code_of("bfloat16")


def brief_list(names: Iterable[str], limit: int = 7) -> str:
    """Return the quoted names, at most `limit` of them."""
    every = [f"'{name}'" for name in names]
    if len(every) <= limit:
        return ", ".join(every)
    half = limit // 2
    return ", ".join([*every[:half], "...", *every[-half:]])


def check_names(
    filename: str,
    loaded: Iterable[str],
    params: Mapping[str, Parameter],
    allow_missing: bool,
    ignore_extra: bool,
) -> None:
    """Check the names in a file against those of a block's parameters.

    Parameters
    ----------
    filename : str
    loaded : iterable of str
        Names in the file.
    params : mapping of str to Parameter
        Parameters by structural name; of a shared parameter's names, only one is needed.
    allow_missing, ignore_extra : bool
        As in `Block.load_parameters`.

    Raises
    ------
    AssertionError
        A parameter is missing in the file.
    ValueError
        The file has a name that is not a parameter.
    """
    names = list(loaded)
    if not allow_missing:
        present = {id(params[name]) for name in names if name in params}
        for name, param in params.items():
            assert id(param) in present, (
                f"Parameter '{name}' is missing in file '{filename}', which contains parameters: "
                f"{brief_list(names)}. Set allow_missing=True to ignore missing parameters."
            )
    for name in names:
        if name not in params and not ignore_extra:
            raise ValueError(
                f"Parameter '{name}' loaded from file '{filename}' is not present in "
                f"ParameterDict, which contains parameters {brief_list(params)}. Set "
                "ignore_extra=True to ignore. "
            )


def load_all(
    params: Mapping[str, Parameter],
    saved: Mapping[str, SavedArray | SavedSparseArray],
    ctx: Context | Sequence[Context] | None,
    cast_dtype: bool = False,
    dtype_source: str = "current",
) -> None:
    """Set parameters to arrays of an open file, which are read one by one.

    Parameters without a value take over the arrays. Others copy them, and the memory of each array
    is then released to the system, since the pool would keep as much memory as the weights need.

    Parameters
    ----------
    params : mapping of str to Parameter
    saved : mapping of str to (SavedArray or SavedSparseArray)
        Arrays without a parameter are ignored.
    ctx, cast_dtype, dtype_source
        As in `load_into`.
    """
    for name in saved:
        if name in params:
            is_copied = params[name]._data is not None
            data = saved[name].read()
            load_into(params[name], data, ctx, cast_dtype, dtype_source, takes=True)
            del data
            if is_copied:
                release_pool()


def load_into(
    param: Parameter,
    data: NDArray,
    ctx: Context | Sequence[Context] | None,
    cast_dtype: bool = False,
    dtype_source: str = "current",
    takes: bool = False,
) -> None:
    """Set `param` to the saved array `data`, initializing it if necessary.

    Parameters
    ----------
    param : Parameter
    data : NDArray
    ctx : Context, list of Context or None
        Contexts of a new value; None: those of the parameter or its deferred initialization, else
        ``cpu(0)``.
    cast_dtype : bool, default False
        Convert different types instead of raising.
    dtype_source : {"current", "saved"}
        Type to use if `cast_dtype` is True.
    takes : bool, default False
        Whether `data` has no other user: a parameter without a value takes it without a copy.

    Raises
    ------
    AssertionError
        Shape, type or contexts do not match.
    """
    _check_shape(param, data.shape)
    data = _convert(param, data, cast_dtype, dtype_source)
    contexts = [ctx] if isinstance(ctx, Context) else None if ctx is None else list(ctx)
    if param._data is None and not param._deferred_init:
        param._fill(data, contexts or [cpu()], takes)
        return
    assert contexts is None or set(contexts) == set(param.list_ctx()), (
        f"Failed to load Parameter '{param.name}' on {contexts} because it was previous "
        f"initialized on {param.list_ctx()}."
    )
    if param._data is None:
        param._fill(data, param.list_ctx(), takes)
        param._deferred_init = ()
    else:
        param.set_data(data)


def _check_shape(param: Parameter, saved: tuple[int, ...]) -> None:
    if not param.shape:
        param._shape = saved
        return
    fits = len(param.shape) == len(saved) and all(
        own in (-1, 0, other) for own, other in zip(param.shape, saved, strict=True)
    )
    assert fits, (
        f"Failed loading Parameter '{param.name}' from saved params: shape incompatible "
        f"expected {param.shape} vs saved {saved}"
    )
    param.shape = saved


def _convert(param: Parameter, data: NDArray, cast_dtype: bool, dtype_source: str) -> NDArray:
    assert dtype_source in ("current", "saved"), (
        f"dtype_source must be 'current' or 'saved', but got {dtype_source!r}"
    )
    wanted: Any = np.dtype(param.dtype).type
    if wanted == data.dtype:
        return data
    if wanted is np.float32 and data.dtype_code == _BFLOAT16:  # many public models; exact
        return data.astype(wanted)
    assert cast_dtype, (
        f"Failed loading Parameter '{param.name}' from saved params: dtype incompatible expected "
        f"{param.dtype} vs saved {data.dtype}. Set cast_dtype=True to cast the dtype of saved "
        "params."
    )
    if dtype_source == "current":
        return data.astype(wanted)
    param.cast(data.dtype)
    return data


Parameter._load_init = load_into
