"""Creation of key-value stores from names and from the `kvstore` argument of training loops.

Invariant: an unknown name is rejected; otherwise each process would silently train alone.
"""

import os
from functools import partial
from typing import Any

from .base import REGISTRY, KVStoreBase
from .local import KVStore

__all__ = ["LOCAL_STORES", "create", "resolved", "store_for", "store_of_rows"]

#: MXNet's stores within one process; they differ only in where sums are computed.
LOCAL_STORES = (
    "local",
    "device",
    "local_update_cpu",
    "local_allreduce_cpu",
    "local_allreduce_device",
    "nccl",
)

for _name in LOCAL_STORES:
    REGISTRY.add_factory(_name, partial(KVStore, _name))

#: Parameter size, in elements, above which the store ``"local"`` only sums gradients.
_LARGE = 1024 * 1024 * 16


def create(name: str = "local") -> KVStoreBase:
    """Return a new key-value store.

    Parameters
    ----------
    name : str
        ``"local"`` or ``"device"``, which keep the arrays of this process in its memory, or the
        name of a store that a plugin or the program provides.

    Raises
    ------
    TypeError
        `name` is not a string.
    ValueError
        No store has this name.

    Examples
    --------
    >>> create("device").type
    'device'
    """
    if not isinstance(name, str):
        raise TypeError(f"name must be a string, got {type(name).__name__}")
    return REGISTRY.create(name)


def store_for(
    caller: str, kvstore: Any, num_device: int, largest: int
) -> tuple[KVStoreBase | None, bool]:
    """Return the store for the `kvstore` argument of a training loop, chosen like in MXNet.

    Parameters
    ----------
    caller : str
        Name of the caller, for errors.
    kvstore : str, KVStoreBase or None
    num_device : int
        Number of copies of the parameters that the loop trains.
    largest : int
        Number of elements of the largest parameter.

    Returns
    -------
    KVStoreBase or None
        None if there is nothing to sum: one device, and the name of a store of this process.
    bool
        Whether the store should run the optimizer, unless the user decides otherwise.

    Raises
    ------
    TypeError, ValueError
        See `resolved`.

    Examples
    --------
    >>> store_for("Trainer", "device", 1, 10)
    (None, False)
    >>> store, runs_optimizer = store_for("Trainer", "device", 2, 10)
    >>> store.type, runs_optimizer
    ('device', True)
    """
    choice = resolved(caller, kvstore)
    if choice is None or (isinstance(choice, str) and num_device == 1):
        return None, False
    is_large = choice == "local" and largest > _LARGE
    store = create(choice) if isinstance(choice, str) else choice
    allows_update = os.environ.get("MXNET_UPDATE_ON_KVSTORE", "1") != "0"
    return store, allows_update and not is_large and store.is_capable(store.OPTIMIZER)


def store_of_rows(caller: str, kvstore: Any) -> tuple[KVStoreBase, bool]:
    """Return the store that keeps and updates sparse parameters, even on a single device.

    Parameters
    ----------
    caller : str
        Name of the caller, for errors.
    kvstore : str or KVStoreBase

    Returns
    -------
    KVStoreBase
    bool
        Always True: the store runs the optimizer.

    Raises
    ------
    TypeError, ValueError
        `kvstore` has another type, no store has this name, or the store runs no optimizer.

    Examples
    --------
    >>> store_of_rows("Trainer", "local")[0].type
    'local'
    """
    choice = resolved(caller, kvstore)
    store = create(choice) if isinstance(choice, str) else choice
    if store is None or not store.is_capable(store.OPTIMIZER):
        raise ValueError(
            f"{caller}: got kvstore={kvstore!r} with parameters of a sparse storage type; expected "
            "a store that runs an optimizer, because it keeps their rows. Pass kvstore='device'"
        )
    return store, True


def resolved(caller: str, kvstore: Any) -> KVStoreBase | str | None:
    """Return the `kvstore` argument of a training loop with a plugin's store created from its name.

    Parameters
    ----------
    caller : str
        Name of the caller, for errors.
    kvstore : str, KVStoreBase or None

    Returns
    -------
    KVStoreBase, str or None
        The name of a store of this process is returned lower-case: it is created only when needed.

    Raises
    ------
    TypeError
        `kvstore` has another type.
    ValueError
        No store has this name.

    Examples
    --------
    >>> resolved("Trainer", "Device")
    'device'
    """
    if kvstore is None or isinstance(kvstore, KVStoreBase):
        return kvstore
    if not isinstance(kvstore, str):
        raise TypeError(
            f"{caller}: kvstore must be a name, a KVStoreBase or None; got "
            f"{type(kvstore).__name__}. Pass kvstore='device' to train in this process"
        )
    if kvstore.lower() in LOCAL_STORES:
        return kvstore.lower()
    try:
        return create(kvstore)
    except ValueError as error:
        raise ValueError(
            f"{caller}: got kvstore={kvstore!r}; expected 'local', 'device', None or a plugin's "
            "store, because each process would otherwise train its own copy. Pass "
            f"kvstore='device' to train in this process. {error}"
        ) from None
