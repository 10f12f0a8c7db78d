"""`TestStore`: MXNet's example of a store, for tests of code that uses stores."""

from collections.abc import Sequence
from typing import Any

from opforge.kvstore.arguments import pairs
from opforge.kvstore.base import KVStoreBase
from opforge.kvstore.reduction import summed
from opforge.ndarray import NDArray

__all__ = ["TestStore"]


class TestStore(KVStoreBase):
    """Store that copies and sums without keeping values; ``create("teststore")`` returns one.

    Examples
    --------
    >>> from opforge import kvstore, nd
    >>> gradients = [nd.ones(2), nd.ones(2)]
    >>> kvstore.create("teststore").pushpull(0, gradients)
    >>> gradients[0].asnumpy().tolist()
    [2.0, 2.0]
    """

    __test__ = False  # because pytest would take it for a class of tests

    def broadcast(
        self, key: Any, value: Any, out: NDArray | Sequence[NDArray], priority: int = 0
    ) -> None:
        """Copy `value` into `out`."""
        for array in _arrays("broadcast", key, out):
            array[:] = value

    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> None:
        """Write the sum of `value` to `out`, or to `value` itself if `out` is None."""
        addends = _arrays("pushpull", key, value)
        total = summed(addends, addends[0].context)
        for array in addends if out is None else _arrays("pushpull", key, out):
            array[:] = total

    @staticmethod
    def is_capable(capability: str) -> bool:
        """Return False, because the store cannot run an ``"optimizer"``."""
        return False


def _arrays(method: str, key: Any, value: Any) -> list[NDArray]:
    ((_, arrays),) = pairs(method, key, value)
    return arrays
