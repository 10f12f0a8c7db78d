"""Division of batches among devices, and concatenation of the results.

A batch axis of -1 means none: every device gets the entire array.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from opforge import ndarray as nd
from opforge.base.context import Context, cpu
from opforge.base.errors import ContextError
from opforge.io import DataDesc
from opforge.ndarray import NDArray

__all__ = ["described_part", "devices_of", "groups_of_devices", "joined", "samples"]


def devices_of(
    context: Context | Sequence[Context] | None, work_load_list: Sequence[float] | None
) -> tuple[list[Context], list[float]]:
    """Return a module's devices and the share of work of each.

    Parameters
    ----------
    context : Context, list of Context or None
    work_load_list : list of number, optional
        Default: equal shares.

    Raises
    ------
    ContextError
        `context` is or holds no Context.
    ValueError
        The two have different lengths.
    """
    if context is None or isinstance(context, Context):
        context = [context or cpu()]
    contexts = list(context)
    if not contexts or not all(isinstance(ctx, Context) for ctx in contexts):
        raise ContextError(
            f"Module: context must be a Context or a list of at least one, got {contexts!r}; pass "
            "context=cpu()"
        )
    shares = list(work_load_list or [1] * len(contexts))
    if len(shares) != len(contexts):
        raise ValueError(
            f"Module: work_load_list has {len(shares)} entries, expected one for each of "
            f"{len(contexts)} contexts"
        )
    return contexts, shares


def described_part(desc: DataDesc, part: slice) -> DataDesc:
    """Return the description of some samples of an input.

    Examples
    --------
    >>> described_part(DataDesc("data", (4, 8, 3), layout="TNC"), slice(0, 2)).shape
    (4, 2, 3)
    """
    axis = DataDesc.get_batch_axis(desc.layout)
    if axis < 0:
        return desc
    shape = (*desc.shape[:axis], part.stop - part.start, *desc.shape[axis + 1 :])
    return DataDesc(desc.name, shape, desc.dtype, desc.layout)


def samples(array: Any, axis: int, part: slice) -> Any:
    """Return some samples of an array, sharing memory if possible."""
    if array is None or axis < 0 or array.shape[axis] == part.stop - part.start:
        return array
    return array[(slice(None),) * axis + (part,) if axis else part]  # a csr matrix takes one key


def joined(arrays: Sequence[NDArray], axis: int) -> NDArray:
    """Concatenate the arrays of all devices on the first device."""
    first = arrays[0]
    if axis < 0 or len(arrays) == 1:
        return first
    return nd.concat(*(array.as_in_context(first.context) for array in arrays), dim=axis)


def groups_of_devices(group2ctxs: Any, count: int) -> list[Mapping[str, Context]]:
    """Return the contexts of a symbol's variable groups for each of `count` devices.

    Parameters
    ----------
    group2ctxs : None, a list of dicts, or a dict
        A dict for each device; or by group a context, or a list of one for each device.
    count : int

    Raises
    ------
    ValueError
        The number of devices differs.

    Examples
    --------
    >>> from opforge import cpu
    >>> groups_of_devices({"first": cpu(2), "second": [cpu(3), cpu(4)]}, 2)[1]
    {'first': cpu(2), 'second': cpu(4)}
    """
    if isinstance(group2ctxs, Mapping):
        columns = {
            name: _for_each(f"group2ctxs[{name!r}]", ctx, count) for name, ctx in group2ctxs.items()
        }
        return [{name: column[k] for name, column in columns.items()} for k in range(count)]
    return [ctxs or {} for ctxs in _for_each("group2ctxs", group2ctxs, count)]


def _for_each(what: str, given: Any, count: int) -> list[Any]:
    found = list(given) if isinstance(given, list | tuple) else [given]
    if len(found) not in (1, count):
        raise ValueError(
            f"Module: {what} has {len(found)} entries, expected one for each of the {count} "
            "contexts of the module, or one for all"
        )
    return found if len(found) == count else found * count
