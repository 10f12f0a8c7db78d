"""Collectives on arrays, under the names that Horovod gives them."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from opforge.plugin_api import DTypeError, F, ShapeError, autograd

from .claims import Claim, described
from .messages import told_to_all
from .running import world
from .summing import exchanged_sum, parts_to_all
from .waiting import Requests, Steps
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
    """Return a flat NumPy array on the memory of an array.

    Examples
    --------
    >>> from opforge import nd
    >>> array = nd.zeros((2, 2))
    >>> view_of(array)[3] = 1
    >>> array.asnumpy().tolist()
    [[0.0, 0.0], [0.0, 1.0]]
    """
    return np.asarray(memoryview(array)).reshape(-1)


def barrier() -> None:
    """Wait until all ranks are here."""
    here = world()
    here.agree(Claim("barrier"))


def allreduce(tensor: Any, average: bool = True, name: str = "array", priority: int = 0) -> Any:
    """Return the mean or the sum of an array over all ranks; every rank gets the same bits.

    Parameters
    ----------
    tensor : NDArray
        Of the same shape and type on all ranks.
    average : bool, default True
        The mean; False: the sum. Halves are added as singles.
    name : str
        What errors call it.
    priority : int
        Accepted; sums are taken in the order of the calls.

    Returns
    -------
    NDArray

    Raises
    ------
    DistributedError
        Other ranks have another array, are somewhere else or do not come.
    DTypeError
        The mean of whole numbers is asked for.
    TypeError
        `tensor` is no NDArray.
    """
    _expect_array("allreduce", tensor)
    if average and np.dtype(tensor.dtype).kind != "f":
        raise DTypeError(
            f"allreduce: got the mean of {name!r}, whose type is {np.dtype(tensor.dtype).name}, "
            "expected a type that holds it; pass average=False, or tensor.astype('float32')"
        )
    here = world()
    with autograd.pause():
        total = tensor.copy()
        memory = view_of(total)
        here.run(
            exchanged_sum(here.comm, memory, memory), Claim("sum", described([name], [tensor]))
        )
        return total / here.size if average else total


def allreduce_(tensor: Any, average: bool = True, name: str = "array", priority: int = 0) -> Any:
    """Write the mean or the sum over all ranks into the array itself; see `allreduce`."""
    total = allreduce(tensor, average, name, priority)
    with autograd.pause():
        tensor[:] = total
    return tensor


def broadcast(tensor: Any, root_rank: int = 0, name: str = "array", priority: int = 0) -> Any:
    """Return the array that one rank has.

    Parameters
    ----------
    tensor : NDArray
        Of the same shape and type on all ranks.
    root_rank : int, default 0
        Whose array all get.
    name : str
        What errors call it.
    priority : int
        Accepted.
    """
    _expect_array("broadcast", tensor)
    with autograd.pause():
        return broadcast_(tensor.copy(), root_rank, name, priority)


def broadcast_(tensor: Any, root_rank: int = 0, name: str = "array", priority: int = 0) -> Any:
    """Overwrite the array by the one that one rank has; see `broadcast`."""
    _expect_array("broadcast_", tensor)
    broadcast_arrays([name], [tensor], root_rank)
    return tensor


def broadcast_arrays(names: Sequence[Any], arrays: Sequence[Any], root_rank: int = 0) -> None:
    """Overwrite arrays by those that one rank has.

    Raises
    ------
    ValueError
        There is no such rank.
    DistributedError
        As `allreduce`.
    """
    here = world()
    if not 0 <= root_rank < here.size:
        raise ValueError(f"broadcast: got root_rank={root_rank}, expected 0 to {here.size - 1}")
    what = Claim(f"broadcast from rank {root_rank}", described(names, arrays))
    here.run(_sent_to_all(here, [view_of(array) for array in arrays], root_rank), what)


def broadcast_parameters(params: Any, root_rank: int = 0, prefix: str | None = None) -> None:
    """Give the parameters of one rank to all.

    Parameters
    ----------
    params : ParameterDict, or dict of str to Parameter or NDArray
        Usually ``net.collect_params()``. One whose shape the first forward pass tells is given to
        all in this pass.
    root_rank : int, default 0
        Whose values all get.
    prefix : str, optional
        Accepted for programs written for Horovod.

    Raises
    ------
    DistributedError
        Names, shapes or types differ between ranks; the message names the first that does.
    """
    if not hasattr(params, "items"):
        raise ValueError(
            "broadcast_parameters: got params of type "
            f"{type(params).__name__}, expected net.collect_params() or a dict of parameters"
        )
    named: Mapping[str, Any] = dict(sorted(params.items()))
    waiting = {name: value for name, value in named.items() if _has_no_shape(value)}
    for name, param in waiting.items():
        param.register_init_hook(partial(_broadcast_copies, {name: param}, root_rank))
    _broadcast_copies({n: v for n, v in named.items() if n not in waiting}, root_rank)


def _broadcast_copies(named: Mapping[str, Any], root_rank: int, _: Any = None) -> None:
    copies = [
        (name, array)
        for name, value in named.items()
        for array in (value.list_data() if hasattr(value, "list_data") else [value])
    ]
    with autograd.pause():
        broadcast_arrays([name for name, _ in copies], [array for _, array in copies], root_rank)


def _has_no_shape(value: Any) -> bool:
    """Tell whether it is a parameter whose values come with the first forward pass."""
    return hasattr(value, "list_data") and not all(size > 0 for size in value.shape or (0,))


def allgather(tensor: Any, name: str = "array", priority: int = 0) -> Any:
    """Return the arrays of all ranks, one behind the other along the first axis.

    Parameters
    ----------
    tensor : NDArray
        Of the same type on all ranks, and of the same shape but for the first axis.
    name : str
        What errors call it.
    priority : int
        Accepted.

    Raises
    ------
    DistributedError
        As `allreduce`.
    ShapeError
        `tensor` has no axes.
    """
    _expect_array("allgather", tensor)
    if not tensor.shape:
        raise ShapeError(
            f"allgather: got {name!r} without axes, expected one along which the arrays of the "
            "ranks are put; pass tensor.reshape((1,))"
        )
    here = world()
    rows = np.asarray(memoryview(tensor))
    row = np.broadcast_to(rows.dtype.type(0), rows.shape[1:])
    gathered = here.run(
        _rows(here, rows), Claim("gathering", described([f"rows of {name}"], [row]))
    )
    return F.array(gathered, ctx=tensor.context, dtype=gathered.dtype)


def _expect_array(caller: str, tensor: Any) -> None:
    if not isinstance(tensor, F.NDArray):
        raise TypeError(
            f"{caller}: got {type(tensor).__name__}, expected an NDArray; pass nd.array(...)"
        )


def _sent_to_all(here: World, views: Sequence[np.ndarray], root: int) -> Steps[None]:
    if here.size > 1:
        yield Requests(
            [here.comm.Ibcast([view.view(np.uint8), here.mpi.BYTE], root) for view in views]
        )


def _rows(here: World, rows: np.ndarray) -> Steps[np.ndarray]:
    lengths = np.zeros((here.size, 1), np.int64)
    yield from told_to_all(here.comm, np.array([len(rows)]), lengths)
    ends = np.cumsum([0, *lengths[:, 0]]).tolist()
    all_rows = np.empty((ends[-1], *rows.shape[1:]), rows.dtype)
    all_rows[ends[here.rank] : ends[here.rank + 1]] = rows
    yield from parts_to_all(here.comm, all_rows, ends)
    return all_rows
