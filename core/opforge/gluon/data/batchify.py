"""Functions that combine a list of samples into a batch.

`DataLoader` uses `default_batchify_fn` by default; the classes build other functions, for example
``Group(Pad(), Stack())`` for sentences of different lengths with a label each.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ... import ndarray as nd
from ...base.dtypes import CODES, code_of
from ...base.errors import DTypeError, ShapeError

__all__ = ["Append", "AsList", "Group", "Pad", "Stack", "default_batchify_fn"]


def default_batchify_fn(data: Sequence[Any]) -> Any:
    """Stack samples along a new first axis.

    Parameters
    ----------
    data : non-empty sequence
        Samples of the same structure: NDArrays of one shape; NumPy arrays, numbers or lists of
        numbers; or tuples of these.

    Returns
    -------
    NDArray, shape (len(data), ...), of the samples' dtype (Python floats become float64 and ints
    int64, as in NumPy); for tuples, a list with one batch per part.

    Raises
    ------
    ShapeError
        The samples have different shapes.
    DTypeError
        The samples are not numbers.

    Examples
    --------
    >>> data, label = default_batchify_fn([(nd.zeros((2,)), 3), (nd.ones((2,)), 4)])
    >>> data.shape, label.asnumpy().tolist()
    ((2, 2), [3, 4])
    """
    first = data[0]
    if isinstance(first, tuple):
        return [default_batchify_fn(part) for part in zip(*data, strict=True)]
    if isinstance(first, nd.NDArray):
        return _stack_ndarrays(data)
    return _to_ndarray(_stack_numpy(data))


class Stack:
    """Callable that stacks samples like `default_batchify_fn`."""

    def __call__(self, data: Sequence[Any]) -> Any:
        """Return the batch of `data`."""
        return default_batchify_fn(data)


class Pad:
    """Callable that pads arrays to the longest one along every axis, then stacks them.

    Parameters
    ----------
    val : float, default 0
        Value of the padding.
    dtype : optional
        Element type of the batch; None: the common type of the samples.
    round_to : int, optional
        Round padded lengths up to a multiple of this.
    ret_length : bool, default False
        Return a list ``[batch, lengths]``, with the lengths of the samples' first axes as int32.

    Examples
    --------
    >>> Pad()([[1, 2, 3], [4]]).asnumpy().tolist()
    [[1, 2, 3], [4, 0, 0]]
    """

    def __init__(
        self,
        val: float = 0,
        dtype: Any = None,
        round_to: int | None = None,
        ret_length: bool = False,
    ) -> None:
        self._value = val
        if dtype is not None:
            code_of(dtype)
        self._dtype = dtype
        self._round_to = round_to
        self._ret_length = ret_length

    def __call__(self, data: Sequence[Any]) -> Any:
        """Return the padded batch of `data`."""
        arrays = [np.asarray(sample) for sample in data]
        if len({array.ndim for array in arrays}) > 1:
            raise ShapeError(
                "Pad: samples must have the same number of axes, got shapes "
                f"{sorted({array.shape for array in arrays})}"
            )
        shape = tuple(map(max, zip(*(array.shape for array in arrays), strict=True)))
        if self._round_to:
            shape = tuple(-(-size // self._round_to) * self._round_to for size in shape)
        dtype = self._dtype or np.result_type(*arrays)
        out = np.full((len(arrays), *shape), self._value, dtype=dtype)
        for row, array in zip(out, arrays, strict=True):
            row[tuple(map(slice, array.shape))] = array
        if not self._ret_length:
            return _to_ndarray(out)
        lengths = np.array([len(array) for array in arrays], np.int32)
        return [_to_ndarray(out), _to_ndarray(lengths)]


class Append:
    """Callable that converts each sample to an NDArray and returns a list.

    Parameters
    ----------
    expand : bool, default True
        Add a batch axis of length 1 to each array.
    batch_axis : int, default 0
        Position of that axis.
    """

    def __init__(self, expand: bool = True, batch_axis: int = 0) -> None:
        self._expand = expand
        self._batch_axis = batch_axis

    def __call__(self, data: Sequence[Any]) -> list[Any]:
        """Return one NDArray for each sample."""
        arrays = [np.asarray(sample) for sample in data]
        if self._expand:
            arrays = [np.expand_dims(array, self._batch_axis) for array in arrays]
        return [_to_ndarray(array) for array in arrays]


class AsList:
    """Callable that returns the samples as a list, unchanged; for instance for text."""

    def __call__(self, data: Sequence[Any]) -> list[Any]:
        """Return the samples."""
        return list(data)


class Group:
    """Callable that batches each part of tuple samples with a separate function.

    Parameters
    ----------
    *fns : callable
        One for each part of a sample, or one list of them.

    Raises
    ------
    ShapeError
        When called: a sample has another number of parts.

    Examples
    --------
    >>> tokens, label = Group(Pad(), Stack())([([1, 2], 0), ([3], 1)])
    >>> tokens.shape, label.shape
    ((2, 2), (2,))
    """

    def __init__(self, *fns: Any) -> None:
        functions = fns[0] if len(fns) == 1 and isinstance(fns[0], (list, tuple)) else fns
        self._fns: tuple[Callable[[Any], Any], ...] = tuple(functions)

    def __call__(self, data: Sequence[Any]) -> list[Any]:
        """Return the batches of the parts."""
        if any(len(sample) != len(self._fns) for sample in data):
            counts = sorted({len(sample) for sample in data})
            raise ShapeError(
                f"Group has {len(self._fns)} functions, but samples have {counts} parts"
            )
        parts = zip(*data, strict=True)
        return [fn(part) for fn, part in zip(self._fns, parts, strict=True)]


def _stack_ndarrays(data: Sequence[Any]) -> Any:
    shapes = {array.shape for array in data}
    if len(shapes) > 1:
        raise _different_shapes(shapes)
    return nd.stack(*data)


def _stack_numpy(data: Sequence[Any]) -> np.ndarray:
    try:
        return np.asarray(data)
    except ValueError:
        raise _different_shapes({np.shape(sample) for sample in data}) from None


def _to_ndarray(array: np.ndarray) -> Any:
    if array.dtype not in CODES:
        raise DTypeError(
            f"batchify: samples of NumPy dtype {array.dtype} cannot stand in an NDArray; convert "
            "them in the dataset's transform, or pass batchify_fn=batchify.AsList() to DataLoader"
        )
    return nd.array(array, dtype=array.dtype)


def _different_shapes(shapes: set[tuple[int, ...]]) -> ShapeError:
    return ShapeError(
        f"batchify: samples of different shapes {sorted(shapes)} cannot be stacked; crop or pad "
        "them in the dataset's transform, or pass batchify_fn=batchify.Pad() to DataLoader"
    )
