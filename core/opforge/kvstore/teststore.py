"""`TestStore`: MXNet's example of a store, for tests of what uses stores."""

from collections.abc import Sequence
from typing import Any

from ..ndarray import NDArray
from .base import KVStoreBase
from .pairs import pairs
from .summing import summed

__all__ = ["TestStore"]


@KVStoreBase.register
class TestStore(KVStoreBase):
    """Copies and sums, and keeps nothing; ``create("teststore")`` makes one.

    Examples
    --------
    >>> from opforge import kvstore, nd
    >>> gradients = [nd.ones(2), nd.ones(2)]
    >>> kvstore.create("teststore").pushpull(0, gradients)
    >>> gradients[0].asnumpy().tolist()
    [2.0, 2.0]
    """

    __test__ = False  # for pytest, which takes the name for that of a test

    def broadcast(
        self, key: Any, value: Any, out: NDArray | Sequence[NDArray], priority: int = 0
    ) -> None:
        """Copy `value` into `out`."""
        for array in _arrays("broadcast", key, out):
            array[:] = value

    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> None:
        """Sum `value` into `out`, or into itself."""
        addends = _arrays("pushpull", key, value)
        total = summed(addends, addends[0].context)
        for array in addends if out is None else _arrays("pushpull", key, out):
            array[:] = total

    @staticmethod
    def is_capable(capability: str) -> bool:
        """Tell whether it can run an ``"optimizer"``: it cannot."""
        return False


def _arrays(method: str, key: Any, value: Any) -> list[NDArray]:
    ((_, arrays),) = pairs(method, key, value)
    return arrays
