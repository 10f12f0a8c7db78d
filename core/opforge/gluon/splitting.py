"""Splitting of batches over contexts."""

from collections.abc import Sequence
from typing import Any

from .. import ndarray as nd
from ..base.context import Context
from ..ndarray import NDArray
from ..ndarray.array_classes import as_requested

__all__ = ["split_and_load", "split_data"]


def split_data(
    data: NDArray, num_slice: int, batch_axis: int = 0, even_split: bool = True
) -> list[NDArray]:
    """Split an array into `num_slice` parts along `batch_axis`.

    Parameters
    ----------
    data : NDArray
    num_slice : int
    batch_axis : int, default 0
    even_split : bool, default True
        Require parts of equal size; False: the first parts may have one sample more. The last
        parts are empty if there are fewer samples than parts.

    Raises
    ------
    ValueError
        `even_split` is True and the number of samples is not divisible by `num_slice`.
    """
    size = data.shape[batch_axis]
    if even_split and size % num_slice != 0:
        raise ValueError(
            f"data with shape {data.shape} cannot be evenly split into {num_slice} slices along "
            f"axis {batch_axis}. Use a batch size that's multiple of {num_slice} or set "
            "even_split=False to allow uneven partitioning of data."
        )
    if num_slice == 1:
        return [data]
    step, larger = divmod(size, num_slice)
    ends = [i * step + min(i, larger) for i in range(1, num_slice + 1)]
    begins = [0, *ends[:-1]]
    if batch_axis == 0:
        return [data[b:e] for b, e in zip(begins, ends, strict=True)]
    return [
        nd.slice_axis(data, axis=batch_axis, begin=b, end=e)
        for b, e in zip(begins, ends, strict=True)
    ]


def split_and_load(
    data: Any, ctx_list: Sequence[Context], batch_axis: int = 0, even_split: bool = True
) -> list[NDArray]:
    """Split an array and put one part on each context.

    Parameters
    ----------
    data : NDArray or array_like
    ctx_list : list of Context
    batch_axis, even_split
        As in `split_data`.
    """
    if not isinstance(data, NDArray):
        data = as_requested(nd.array(data, ctx=ctx_list[0]))
    parts = split_data(data, len(ctx_list), batch_axis, even_split)
    return [part.as_in_context(ctx) for part, ctx in zip(parts, ctx_list, strict=True)]
