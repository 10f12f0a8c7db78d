"""Updates of parameters replicated on several devices, as in MXNet's training loops.

Each parameter is a list of arrays, one for each device, and so is its gradient. The names have
underscores in MXNet, but programs use them.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from opforge.kvstore.factory import store_for
from opforge.ndarray import NDArray

__all__: list[str] = []

Copies = Sequence[Sequence[NDArray]]


def _create_kvstore(
    kvstore: Any, num_device: int, arg_params: Mapping[str, NDArray]
) -> tuple[Any, bool]:
    """Return a key-value store, if one is needed, and whether it runs the optimizer.

    Parameters
    ----------
    kvstore : KVStore, str or None
    num_device : int
        Number of devices; a single one needs no store.
    arg_params : dict of str to NDArray

    Raises
    ------
    TypeError
        `kvstore` is none of these.
    ValueError
        No store has this name.
    """
    largest = max((array.size for array in arg_params.values()), default=0)
    return store_for("_create_kvstore", kvstore, num_device, largest)


def _initialize_kvstore(
    kvstore: Any,
    param_arrays: Copies,
    arg_params: Mapping[str, NDArray],
    param_names: Sequence[str],
    update_on_kvstore: bool,
) -> None:
    """Initialize a store with all parameters; pull them if the store will update them."""
    for name, copies in zip(param_names, param_arrays, strict=True):
        kvstore.init(name, arg_params[name])
        if update_on_kvstore:
            kvstore.pull(name, copies)


def _update_params_on_kvstore(
    param_arrays: Copies, grad_arrays: Copies, kvstore: Any, param_names: Sequence[str]
) -> None:
    """Update parameters with the optimizer of a store."""
    for place, (params, grads) in enumerate(zip(param_arrays, grad_arrays, strict=True)):
        if grads[0] is not None:
            kvstore.pushpull(param_names[place], grads, out=params, priority=-place)


def _update_params(
    param_arrays: Copies,
    grad_arrays: Copies,
    updater: Any,
    num_device: int,
    kvstore: Any = None,
    param_names: Sequence[str] | None = None,
) -> None:
    """Update parameters with an updater, after summing gradients with a store, if any.

    Parameters
    ----------
    param_arrays, grad_arrays : list of lists of NDArray
    updater : callable
        ``updater(indices, gradients, parameters)`` is called once for each device; the copy of
        parameter i on device k has the index ``i * num_device + k``, so that each has states.
    num_device : int
    kvstore : KVStore, optional
    param_names : list of str, optional
        Keys in the store.
    """
    work: list[list[tuple[int, NDArray, NDArray]]] = [[] for _ in range(num_device)]
    for place, (params, grads) in enumerate(zip(param_arrays, grad_arrays, strict=True)):
        if grads[0] is None:
            continue
        if kvstore is not None:
            key = place if param_names is None else param_names[place]
            kvstore.pushpull(key, grads, priority=-place)
        for device, (param, grad) in enumerate(zip(params, grads, strict=True)):
            work[device].append((place * num_device + device, grad, param))
    for updates in work:
        if updates:
            updater(*(list(items) for items in zip(*updates, strict=True)))
