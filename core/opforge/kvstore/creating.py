"""From a name, or what a training loop was given, to a key-value store.

Invariant: a name that nobody provides is refused; training would go on with each process alone.
"""

import os
from functools import partial
from typing import Any

from .base import REGISTRY, KVStoreBase
from .local import KVStore

__all__ = ["LOCAL_STORES", "create", "resolved", "store_for", "store_of_rows"]

#: What MXNet keeps in the process that trains; they differ only in where sums are computed.
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

#: Elements of the largest parameter beyond which the store ``"local"`` only sums gradients.
_LARGE = 1024 * 1024 * 16


def create(name: str = "local") -> KVStoreBase:
    """Return a new key-value store.

    Parameters
    ----------
    name : str
        ``"local"`` or ``"device"``, which keep the arrays of this process in its memory, or the
        name of a store that a plugin or the program itself provides.

    Raises
    ------
    TypeError
        `name` is no string.
    ValueError
        Nobody provides it.

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
    """Return the store that a training loop's argument `kvstore` stands for, as MXNet chooses it.

    Parameters
    ----------
    caller : str
        What was given it, as the error calls it.
    kvstore : str, KVStoreBase or None
    num_device : int
        How many copies of the parameters the loop trains.
    largest : int
        How many elements the largest parameter has.

    Returns
    -------
    KVStoreBase or None
        None where there is nothing to sum: one device, and a name of a store of this process.
    bool
        Whether the store is to run the optimizer, unless the user decides otherwise.

    Raises
    ------
    TypeError
        `kvstore` is none of these.
    ValueError
        Nobody provides a store of this name.

    Examples
    --------
    >>> store_for("Trainer", "device", 1, 10)
    (None, False)
    >>> store, runs_optimizer = store_for("Trainer", "device", 2, 10)
    >>> store.type, runs_optimizer
    ('device', True)
    """
    store = resolved(caller, kvstore)
    if store is None or (isinstance(store, str) and num_device == 1):
        return None, False
    is_large = store == "local" and largest > _LARGE
    made = create(store) if isinstance(store, str) else store
    wanted = os.environ.get("MXNET_UPDATE_ON_KVSTORE", "1") != "0"
    return made, wanted and not is_large and made.is_capable(made.OPTIMIZER)


def store_of_rows(caller: str, kvstore: Any) -> tuple[KVStoreBase, bool]:
    """Return the store that keeps and updates sparse parameters, also those of a single device.

    Parameters
    ----------
    caller : str
        What was given it, as the error calls it.
    kvstore : str or KVStoreBase

    Returns
    -------
    KVStoreBase
    bool
        True: the store is to run the optimizer.

    Raises
    ------
    TypeError, ValueError
        It is none of these, nobody provides such a store, or it runs no optimizer.

    Examples
    --------
    >>> store_of_rows("Trainer", "local")[0].type
    'local'
    """
    store = resolved(caller, kvstore)
    made = create(store) if isinstance(store, str) else store
    if made is None or not made.is_capable(made.OPTIMIZER):
        raise ValueError(
            f"{caller}: got kvstore={kvstore!r} with parameters of a sparse storage type, expected "
            "a store that runs an optimizer, which keeps their rows; pass kvstore='device'"
        )
    return made, True


def resolved(caller: str, kvstore: Any) -> KVStoreBase | str | None:
    """Return a training loop's argument `kvstore` with a store in the place of its name.

    Parameters
    ----------
    caller : str
        What was given it, as the error calls it.
    kvstore : str, KVStoreBase or None

    Returns
    -------
    KVStoreBase, str or None
        A name of a store of this process stays: it is made only where there is something to sum.

    Raises
    ------
    TypeError
        `kvstore` is none of these.
    ValueError
        Nobody provides a store of this name.

    Examples
    --------
    >>> resolved("Trainer", "Device")
    'device'
    """
    if kvstore is None or isinstance(kvstore, KVStoreBase):
        return kvstore
    if not isinstance(kvstore, str):
        raise TypeError(
            f"{caller}: kvstore must be a name, a KVStoreBase or None, got "
            f"{type(kvstore).__name__}; pass kvstore='device' to train in this process"
        )
    if kvstore.lower() in LOCAL_STORES:
        return kvstore.lower()
    try:
        return create(kvstore)
    except ValueError as error:
        raise ValueError(
            f"{caller}: got kvstore={kvstore!r}, expected 'local', 'device', None or the store of "
            "a plugin: without one each process would train a copy of its own. Pass "
            f"kvstore='device' to train in this process. {error}"
        ) from None
