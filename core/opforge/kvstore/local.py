"""`KVStore`: the store of one process."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .. import autograd
from .. import optimizer as opt
from ..base.errors import OpforgeError
from ..base.files import replacing
from ..ndarray import NDArray
from .base import KVStoreBase
from .summing import summed

__all__ = ["KVStore"]

Key = int | str


class KVStore(KVStoreBase):
    """Arrays by key, each the sum of what several devices push, or updated by it.

    Parameters
    ----------
    kind : str
        What `type` says.

    Examples
    --------
    >>> from opforge import nd
    >>> store = KVStore("local")
    >>> store.init("w", nd.zeros((2,)))
    >>> store.push("w", [nd.ones((2,)), nd.ones((2,))])
    >>> out = nd.zeros((2,))
    >>> store.pull("w", out=out)
    >>> out.asnumpy().tolist()
    [2.0, 2.0]
    """

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._arrays: dict[Key, NDArray] = {}
        self._updater: Callable[[Any, Any, Any], None] | None = None

    @property
    def type(self) -> str:
        """The name that it was created by."""
        return self._kind

    @staticmethod
    def is_capable(capability: str) -> bool:
        """Tell whether the store can do something: it can run an optimizer."""
        return capability.lower() == KVStore.OPTIMIZER

    # -- arrays -------------------------------------------------------------------------------

    def init(self, key: Any, value: Any) -> None:
        """Give keys their first values.

        Parameters
        ----------
        key : int or str, or list of them
        value : NDArray, or list of them

        Raises
        ------
        OpforgeError
            A key has a value already.
        """
        for one, arrays in _pairs("init", key, value):
            if one in self._arrays:
                raise OpforgeError(f"KVStore.init: the key {one!r} has a value already")
            self._arrays[one] = arrays[0].copy()

    def push(self, key: Any, value: Any, priority: int = 0) -> None:
        """Sum what the devices have for each key, and store it or update by it.

        Parameters
        ----------
        key : int or str, or list of them
        value : NDArray, list of NDArray for several devices, or for several keys a list of these
        priority : int
            Accepted; what is pushed is there at once.
        """
        with autograd.pause():
            for one, arrays in _pairs("push", key, value):
                stored = self._stored("push", one)
                total = summed(arrays, stored.context)
                if self._updater is None:
                    stored[:] = total
                else:
                    self._updater(_index(one), total, stored)

    def pull(
        self, key: Any, out: Any = None, priority: int = 0, ignore_sparse: bool = True
    ) -> None:
        """Copy the values of keys into arrays.

        Parameters
        ----------
        key : int or str, or list of them
        out : NDArray, list of NDArray for several devices, or for several keys a list of these
        priority : int
        ignore_sparse : bool
            Accepted; all arrays are dense.
        """
        assert out is not None, "KVStore.pull: pass out=, the arrays to copy to"
        with autograd.pause():
            for one, arrays in _pairs("pull", key, out):
                stored = self._stored("pull", one)
                for array in arrays:
                    stored.copyto(array)

    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> None:
        """Push, then pull into `out`, or into what was pushed."""
        self.push(key, value, priority)
        self.pull(key, value if out is None else out, priority)

    def broadcast(self, key: Any, value: Any, out: Any, priority: int = 0) -> None:
        """Give keys their first values and copy them into `out`."""
        self.init(key, value)
        self.pull(key, out, priority)

    def _stored(self, method: str, key: Key) -> NDArray:
        if key not in self._arrays:
            raise OpforgeError(f"KVStore.{method}: the key {key!r} has no value; call init first")
        return self._arrays[key]

    # -- optimizers ---------------------------------------------------------------------------

    def set_optimizer(self, optimizer: opt.Optimizer) -> None:
        """Update the stored arrays by an optimizer at each push from now on."""
        self._updater = opt.get_updater(optimizer)

    def _set_updater(self, updater: Callable[[Any, Any, Any], None]) -> None:
        """Call ``updater(key, pushed, stored)`` at each push; it changes what is stored."""
        self._updater = updater

    def save_optimizer_states(self, fname: str, dump_optimizer: bool = False) -> None:
        """Write the optimizer's states to a file."""
        with replacing(fname) as file:
            file.write(self._optimizer_states("save").get_states(dump_optimizer))

    def load_optimizer_states(self, fname: str) -> None:
        """Read what `save_optimizer_states` wrote. It is a pickle: load only what you trust."""
        with open(fname, "rb") as file:
            self._optimizer_states("load").set_states(file.read())

    def _optimizer_states(self, verb: str) -> opt.Updater:
        assert isinstance(self._updater, opt.Updater), (
            f"KVStore.{verb}_optimizer_states: there is no optimizer; call set_optimizer first"
        )
        return self._updater


def _pairs(method: str, key: Any, value: Any) -> Iterator[tuple[Key, Sequence[NDArray]]]:
    """Yield each key with its arrays, one for each device."""
    keys = key if isinstance(key, list | tuple) else [key]
    values = value if isinstance(key, list | tuple) else [value]
    for one in keys:
        if not isinstance(one, Key):
            raise TypeError(f"KVStore.{method}: got the key {one!r}, expected an int or a str")
    if len(values) % max(len(keys), 1):
        raise ValueError(f"KVStore.{method}: got {len(values)} values for {len(keys)} keys")
    # Several devices for several keys come as a list for each key, or all in a row.
    share = len(values) // max(len(keys), 1)
    for place, one in enumerate(keys):
        arrays: list[NDArray] = []
        for some in values[place * share : (place + 1) * share]:
            arrays.extend(some if isinstance(some, list | tuple) else [some])
        yield one, arrays


def _index(key: Key) -> Key:
    """Return the key as optimizers know it: digits are a number."""
    return int(key) if isinstance(key, str) and key.isdigit() else key
