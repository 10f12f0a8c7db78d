"""Key-value stores: where the parameters of several devices are kept in step.

All devices are in this process, so that a name is all there is of a store. Invariant: a name that
promises to reach other processes is refused; training would go on with each process alone.
"""

from typing import Any

__all__ = ["LOCAL_STORES", "check_kvstore"]

#: What MXNet keeps in the process that trains; they differ only in where sums are computed.
LOCAL_STORES = (
    "local",
    "device",
    "local_update_cpu",
    "local_allreduce_cpu",
    "local_allreduce_device",
    "nccl",
)


def check_kvstore(caller: str, kvstore: Any) -> None:
    """Refuse a store that is not in this process.

    Parameters
    ----------
    caller : str
        What was given it, as the error calls it.
    kvstore : str or None
        Name of the store, in any case.

    Raises
    ------
    TypeError
        `kvstore` is neither a str nor None.
    ValueError
        It is another name than those of `LOCAL_STORES`.

    Examples
    --------
    >>> check_kvstore("Trainer", "device")
    """
    if kvstore is None:
        return
    if not isinstance(kvstore, str):
        raise TypeError(
            f"{caller}: kvstore must be a str or None, got {type(kvstore).__name__}; pass "
            "kvstore='device' to train in this process"
        )
    if kvstore.lower() not in LOCAL_STORES:
        raise ValueError(
            f"{caller}: got kvstore={kvstore!r}, expected 'local', 'device' or None: there are no "
            "distributed key-value stores here, and each process would train a copy of its own. "
            "Pass kvstore='device' to train in this process"
        )
