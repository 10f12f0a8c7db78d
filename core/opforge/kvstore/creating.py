"""From a name, or what a training loop was given, to a key-value store.

Invariant: a name that nobody provides is refused; training would go on with each process alone.
"""

from typing import Any

from .base import REGISTRY, KVStoreBase
from .local import KVStore

__all__ = ["LOCAL_STORES", "create", "store_of"]

#: What MXNet keeps in the process that trains; they differ only in where sums are computed.
LOCAL_STORES = (
    "local",
    "device",
    "local_update_cpu",
    "local_allreduce_cpu",
    "local_allreduce_device",
    "nccl",
)


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
    if name.lower() in LOCAL_STORES:
        return KVStore(name.lower())
    return REGISTRY.create(name)


def store_of(caller: str, kvstore: Any) -> KVStoreBase | None:
    """Return the store that a training loop's argument `kvstore` stands for.

    Parameters
    ----------
    caller : str
        What was given it, as the error calls it.
    kvstore : str, KVStoreBase or None

    Returns
    -------
    KVStoreBase or None
        None where all stays in this process: the loop itself sums the copies of its devices then.

    Raises
    ------
    TypeError
        `kvstore` is none of these.
    ValueError
        Nobody provides a store of this name.

    Examples
    --------
    >>> store_of("Trainer", "device") is None
    True
    """
    if kvstore is None or type(kvstore) is KVStore:
        return None
    if isinstance(kvstore, KVStoreBase):
        return kvstore
    if not isinstance(kvstore, str):
        raise TypeError(
            f"{caller}: kvstore must be a name, a KVStoreBase or None, got "
            f"{type(kvstore).__name__}; pass kvstore='device' to train in this process"
        )
    if kvstore.lower() in LOCAL_STORES:
        return None
    try:
        return create(kvstore)
    except ValueError as error:
        raise ValueError(
            f"{caller}: got kvstore={kvstore!r}, expected 'local', 'device', None or the store of "
            "a plugin: without one each process would train a copy of its own. Pass "
            f"kvstore='device' to train in this process. {error}"
        ) from None
