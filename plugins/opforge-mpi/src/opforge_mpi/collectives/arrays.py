"""Collectives on arrays, with Horovod's names."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from opforge.plugin_api import DTypeError, F, ShapeError, autograd, element_type

from ..transport.messages import all_gather_into
from ..transport.steps import Requests, Steps
from .all_reduce import all_gather_parts, all_reduce
from .session import world
from .signature import CollectiveSignature, describe_arrays
from .world import World

__all__ = [
    "allgather",
    "allreduce",
    "allreduce_",
    "barrier",
    "broadcast",
    "broadcast_",
    "broadcast_arrays",
    "broadcast_parameters",
    "view_of",
]


def view_of(array: Any) -> np.ndarray:
    """Return a flat NumPy array that shares the memory of an array.

    Examples
    --------
    >>> from opforge import nd
    >>> array = nd.zeros((2, 2))
    >>> view_of(array)[3] = 1
    >>> array.asnumpy().tolist()
    [[0.0, 0.0], [0.0, 1.0]]
    """
    try:
        source = memoryview(array)
    except BufferError:  # the buffer protocol has no format for bfloat16
        source = array
    return np.asarray(source).reshape(-1)


def barrier() -> None:
    """Wait until all ranks have reached the barrier."""
    here = world()
    here.agree(CollectiveSignature("barrier"))


def allreduce(tensor: Any, average: bool = True, name: str = "array", priority: int = 0) -> Any:
    """Return the mean or the sum of an array over all ranks, bitwise equal on every rank.

    Parameters
    ----------
    tensor : NDArray
        Of the same shape and type on all ranks.
    average : bool, default True
        Return the mean instead of the sum. 16-bit floats are added in float32.
    name : str
        Name of the array, for errors.
    priority : int
        Ignored; sums are computed in the order of the calls.

    Returns
    -------
    NDArray

    Raises
    ------
    DistributedError
        Other ranks pass a different array, call another collective, or do not arrive in time.
    DTypeError
        `average` is True and the array has integers.
    TypeError
        `tensor` is not an NDArray.
    """
    _expect_array("allreduce", tensor)
    if average and not element_type(tensor.dtype).is_floating:
        raise DTypeError(
            f"allreduce: got average=True for {name!r} of type {np.dtype(tensor.dtype).name}; "
            "expected a floating-point type. Pass average=False, or tensor.astype('float32')"
        )
    here = world()
    with autograd.pause():
        total = tensor.copy()
        memory = view_of(total)
        here.run(
            all_reduce(here.comm, memory, memory),
            CollectiveSignature("sum", describe_arrays([name], [tensor])),
        )
        return total / here.size if average else total


def allreduce_(tensor: Any, average: bool = True, name: str = "array", priority: int = 0) -> Any:
    """Replace an array by its mean or sum over all ranks; see `allreduce`."""
    total = allreduce(tensor, average, name, priority)
    with autograd.pause():
        tensor[:] = total
    return tensor


def broadcast(tensor: Any, root_rank: int = 0, name: str = "array", priority: int = 0) -> Any:
    """Return the array of one rank.

    Parameters
    ----------
    tensor : NDArray
        Of the same shape and type on all ranks.
    root_rank : int, default 0
        Rank whose array is returned.
    name : str
        Name of the array, for errors.
    priority : int
        Ignored.
    """
    _expect_array("broadcast", tensor)
    with autograd.pause():
        return broadcast_(tensor.copy(), root_rank, name, priority)


def broadcast_(tensor: Any, root_rank: int = 0, name: str = "array", priority: int = 0) -> Any:
    """Overwrite the array with that of one rank; see `broadcast`."""
    _expect_array("broadcast_", tensor)
    broadcast_arrays([name], [tensor], root_rank)
    return tensor


def broadcast_arrays(names: Sequence[Any], arrays: Sequence[Any], root_rank: int = 0) -> None:
    """Overwrite arrays with those of one rank.

    Raises
    ------
    ValueError
        `root_rank` is out of range.
    DistributedError
        See `allreduce`.
    """
    here = world()
    if not 0 <= root_rank < here.size:
        raise ValueError(f"broadcast: got root_rank={root_rank}; expected 0 to {here.size - 1}")
    signature = CollectiveSignature(
        f"broadcast from rank {root_rank}", describe_arrays(names, arrays)
    )
    here.run(_broadcast_steps(here, [view_of(array) for array in arrays], root_rank), signature)


def broadcast_parameters(params: Any, root_rank: int = 0, prefix: str | None = None) -> None:
    """Copy the parameters of one rank to all ranks.

    Parameters
    ----------
    params : ParameterDict, or dict of str to Parameter or NDArray
        Usually ``net.collect_params()``. A parameter of unknown shape is broadcast in the first
        forward pass, which determines its shape.
    root_rank : int, default 0
        Rank whose values are copied.
    prefix : str, optional
        Ignored; for programs written for Horovod.

    Raises
    ------
    DistributedError
        Names, shapes or types differ between ranks; the message names the first difference.
    """
    if not hasattr(params, "items"):
        raise ValueError(
            "broadcast_parameters: got params of type "
            f"{type(params).__name__}; expected net.collect_params() or a dict of parameters"
        )
    named: Mapping[str, Any] = dict(sorted(params.items()))
    deferred = {name: value for name, value in named.items() if _has_no_shape(value)}
    for name, param in deferred.items():
        param.register_init_hook(partial(_broadcast_copies, {name: param}, root_rank))
    _broadcast_copies({n: v for n, v in named.items() if n not in deferred}, root_rank)


def _broadcast_copies(named: Mapping[str, Any], root_rank: int, _: Any = None) -> None:
    copies = [
        (name, array)
        for name, value in named.items()
        for array in (value.list_data() if hasattr(value, "list_data") else [value])
    ]
    with autograd.pause():
        broadcast_arrays([name for name, _ in copies], [array for _, array in copies], root_rank)


def _has_no_shape(value: Any) -> bool:
    """Return whether a parameter is initialized only by the first forward pass."""
    return hasattr(value, "list_data") and not all(size > 0 for size in value.shape or (0,))


def allgather(tensor: Any, name: str = "array", priority: int = 0) -> Any:
    """Return the arrays of all ranks, concatenated along the first axis.

    Parameters
    ----------
    tensor : NDArray
        Of the same type on all ranks, and of the same shape except for the first axis.
    name : str
        Name of the array, for errors.
    priority : int
        Ignored.

    Raises
    ------
    DistributedError
        See `allreduce`.
    ShapeError
        `tensor` is a scalar.
    """
    _expect_array("allgather", tensor)
    if not tensor.shape:
        raise ShapeError(
            f"allgather: {name!r} has shape (); expected at least one axis along which to "
            "concatenate. Pass tensor.reshape((1,))"
        )
    here = world()
    rows = view_of(tensor).reshape(tensor.shape)
    row = np.broadcast_to(rows.dtype.type(0), rows.shape[1:])
    gathered = here.run(
        _gather_rows(here, rows),
        CollectiveSignature("gathering", describe_arrays([f"rows of {name}"], [row])),
    )
    return F.array(gathered, ctx=tensor.context, dtype=gathered.dtype)


def _expect_array(caller: str, tensor: Any) -> None:
    if not isinstance(tensor, F.NDArray):
        raise TypeError(
            f"{caller}: got {type(tensor).__name__}; expected an NDArray. Pass nd.array(...)"
        )


def _broadcast_steps(here: World, views: Sequence[np.ndarray], root: int) -> Steps[None]:
    if here.size > 1:
        yield Requests(
            [here.comm.Ibcast([view.view(np.uint8), here.mpi.BYTE], root) for view in views]
        )


def _gather_rows(here: World, rows: np.ndarray) -> Steps[np.ndarray]:
    lengths = np.zeros((here.size, 1), np.int64)
    yield from all_gather_into(here.comm, np.array([len(rows)]), lengths)
    ends = np.cumsum([0, *lengths[:, 0]]).tolist()
    all_rows = np.empty((ends[-1], *rows.shape[1:]), rows.dtype)
    all_rows[ends[here.rank] : ends[here.rank + 1]] = rows
    yield from all_gather_parts(here.comm, all_rows, ends)
    return all_rows
