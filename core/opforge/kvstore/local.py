"""`KVStore`: the store of one process, and what stores of several are made from."""

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from .. import autograd
from .. import optimizer as opt
from ..base.errors import OpforgeError
from ..base.files import replacing
from ..ndarray import NDArray
from ..profiler.timing import timed
from .base import KVStoreBase
from .compression import TwoBitCompression
from .pairs import Key, grouped, pairs
from .rows import is_sparse, pull_rows, rows_for
from .summing import summed

__all__ = ["KVStore"]


class KVStore(KVStoreBase):
    """Arrays by key, each the sum of what several devices push, or updated by it.

    Parameters
    ----------
    kind : str, default "local"
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

    def __init__(self, kind: str = "local") -> None:
        self._kind = kind
        self._arrays: dict[Key, NDArray] = {}
        self._updater: Callable[[Any, Any, Any], None] | None = None
        self._compression: TwoBitCompression | None = None

    @property
    def type(self) -> str:
        """The name that it was created by."""
        return self._kind

    @property
    def compresses(self) -> bool:
        """True if it supports `set_gradient_compression`, by its name as in MXNet."""
        return "device" in self.type or "dist" in self.type

    def is_capable(self, capability: str) -> bool:
        """Tell whether the store can do something: it can run an ``"optimizer"``.

        Raises
        ------
        ValueError
            No store can do what has this name.
        """
        if capability.lower() != self.OPTIMIZER:
            raise ValueError(f"Unknown capability: {capability}")
        return True

    # -- arrays -------------------------------------------------------------------------------

    def init(self, key: Any, value: Any) -> None:
        """Give keys their first values.

        Parameters
        ----------
        key : int or str, or list of them
            All keys of a store are int, or all are str.
        value : NDArray, or list of them

        Raises
        ------
        OpforgeError
            A key has a value already or gets two, or there are keys of the other kind.
        """
        for one, arrays in pairs("init", key, value):
            if one in self._arrays or len(arrays) > 1:
                raise OpforgeError(
                    f"KVStore.init: the key {self._named(one)} gets a second value; init, or "
                    "broadcast, gives one to each. Trainers number their parameters from 0: "
                    "each needs a store of its own"
                )
            self._expect_kind("init", one)
            self._arrays[one] = arrays[0].copy()

    def push(self, key: Any, value: Any, priority: int = 0) -> None:
        """Sum what the devices have for each key, and store it or update by it.

        Parameters
        ----------
        key : int or str, or list of them
            What is pushed to one key twice is summed, too.
        value : NDArray, list of NDArray for several devices, or for several keys a list of these
        priority : int
            Accepted; what is pushed is there at once.

        Raises
        ------
        OpforgeError
            A key has no value yet, or one of another shape.
        """
        given = grouped(pairs("push", key, value))
        stored = [self._stored("push", one, arrays) for one, arrays in given.items()]
        with timed("KVStore", "KVStore.push"), autograd.pause():
            contexts = [target.context for target in stored]
            self._take(list(given), self._sums(given, contexts), stored)

    def _sums(self, given: Mapping[Key, Sequence[NDArray]], contexts: list[Any]) -> list[NDArray]:
        """Return the sum of what was pushed to each key; stores of several processes add to it."""
        if (compress := self._compression) is not None:
            self._refuse_sparse(given)
            given = {
                key: [compress((key, place), one) for place, one in enumerate(arrays)]
                for key, arrays in given.items()
            }
        return self._added(given, contexts)

    def _added(self, given: Mapping[Key, Sequence[NDArray]], contexts: list[Any]) -> list[NDArray]:
        """Return the sum of the arrays of each key."""
        every = zip(given.values(), contexts, strict=True)
        return [summed(arrays, context) for arrays, context in every]

    def _refuse_sparse(self, given: Mapping[Key, Sequence[NDArray]]) -> None:
        for key, arrays in given.items():
            if any(map(is_sparse, arrays)):
                raise OpforgeError(
                    f"KVStore.push: the key {self._named(key)} gets sparse arrays, which "
                    "compression takes none of; set_gradient_compression is for dense ones"
                )

    def _take(self, keys: list[Key], sums: list[NDArray], stored: list[NDArray]) -> None:
        """Store sums, or update what is stored by them."""
        if isinstance(self._updater, opt.Updater):
            self._updater(keys, sums, stored)  # all at once: small parameters share their loops
            return
        for one, total, target in zip(keys, sums, stored, strict=True):
            if self._updater is None:
                target[:] = total
            else:
                self._updater(one, total, target)

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
            Leave sparse arrays in `out` as they are, with a warning: whole tables are seldom
            wanted, and `row_sparse_pull` copies rows.

        Raises
        ------
        OpforgeError
            A key has no value, or one of another shape.
        """
        assert out is not None, "KVStore.pull: pass out=, the arrays to copy to"
        targets = grouped(pairs("pull", key, out))
        if ignore_sparse:
            targets = {one: _dense(arrays) for one, arrays in targets.items()}
        stored = [self._stored("pull", one, arrays) for one, arrays in targets.items()]
        with timed("KVStore", "KVStore.pull"), autograd.pause():
            for source, arrays in zip(stored, targets.values(), strict=True):
                for array in arrays:
                    source.copyto(array)

    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> None:
        """Push, then pull into `out`, or into what was pushed."""
        self.push(key, value, priority)
        self.pull(key, value if out is None else out, priority, ignore_sparse=False)

    def pushpull_all(
        self, values: Mapping[Any, Any], outs: Mapping[Any, Any] | None = None
    ) -> None:
        """Push and pull several keys in one call; see `KVStoreBase.pushpull_all`."""
        keys = list(values)
        out = None if outs is None else [outs[key] for key in keys]
        self.pushpull(keys, list(values.values()), out=out)

    def broadcast(self, key: Any, value: Any, out: Any, priority: int = 0) -> None:
        """Give keys their first values and copy them into `out`."""
        self.init(key, value)
        self.pull(key, out, priority, ignore_sparse=False)

    def row_sparse_pull(
        self, key: Any, out: Any = None, priority: int = 0, row_ids: Any = None
    ) -> None:
        """Copy rows of row-sparse values into row-sparse arrays, which then have these rows alone.

        Parameters
        ----------
        key : int or str, or list of them
        out : RowSparseNDArray, list of them for several devices, or for several keys lists
        priority : int
        row_ids : NDArray
            Numbers of rows, in any order and shape; or a list with one for each of `out`.

        Raises
        ------
        OpforgeError
            The value of a key or an array in `out` is not row-sparse, or there is no such row.
        """
        assert out is not None, "KVStore.row_sparse_pull: pass out=, the arrays to copy to"
        assert row_ids is not None, "KVStore.row_sparse_pull: pass row_ids=, the rows to copy"
        found = zip(pairs("row_sparse_pull", key, out), rows_for(key, row_ids), strict=True)
        asked = [
            (one, self._stored("row_sparse_pull", one, to), to, rows) for (one, to), rows in found
        ]
        with timed("KVStore", "KVStore.row_sparse_pull"), autograd.pause():
            for one, source, targets, rows in asked:
                pull_rows(self._named(one), source, targets, rows)

    def _put(self, key: Key, value: NDArray) -> None:
        """Let a key have another value."""
        with autograd.pause():
            self._stored("put", key, [value])[:] = value

    def _barrier(self) -> None:
        """Wait for all workers: there is one."""

    def _stored(self, method: str, key: Key, arrays: Iterable[NDArray]) -> NDArray:
        """Return what is stored under `key`, for arrays of its shape."""
        stored = self._arrays.get(key)
        if stored is None:
            self._expect_kind(method, key)
            raise OpforgeError(
                f"KVStore.{method}: the key {self._named(key)} has no value; call init first"
            )
        for array in arrays:
            if array.shape != stored.shape:
                raise OpforgeError(
                    f"KVStore.{method}: got shape {array.shape} for the key {self._named(key)}, "
                    f"expected {stored.shape} as it was initialised"
                )
        return stored

    def _expect_kind(self, method: str, key: Key) -> None:
        other = next(iter(self._arrays), key)
        if isinstance(other, str) != isinstance(key, str):
            raise OpforgeError(
                f"KVStore.{method}: got the key {key!r}, and {other!r} before; keys of a store are "
                "all int or all str"
            )

    # -- optimizers ---------------------------------------------------------------------------

    def set_optimizer(self, optimizer: opt.Optimizer) -> None:
        """Update the stored arrays by an optimizer at each push from now on.

        Raises
        ------
        TypeError
            `optimizer` is no Optimizer.
        """
        if not isinstance(optimizer, opt.Optimizer):
            raise TypeError(
                f"KVStore.set_optimizer: got {type(optimizer).__name__}, expected an Optimizer; "
                "make one with optimizer.create"
            )
        self._updater = opt.get_updater(optimizer)

    def _set_updater(self, updater: Callable[[Any, Any, Any], None]) -> None:
        """Call ``updater(key, pushed, stored)`` at each push; it changes what is stored."""
        self._updater = updater

    def set_gradient_compression(self, compression_params: dict[str, Any]) -> None:
        """Let what is pushed go through two bits a value, as it would between machines.

        Parameters
        ----------
        compression_params : dict
            ``{"type": "2bit", "threshold": 0.5}``.

        Raises
        ------
        OpforgeError
            The store is neither a ``"device"`` nor a distributed one, or the type is another one.
        """
        if not self.compresses:
            raise OpforgeError(
                f"KVStore.set_gradient_compression: a store {self.type!r} compresses nothing, as "
                "in MXNet; expected 'device' or one between processes"
            )
        self._compression = TwoBitCompression.from_params(compression_params)

    def save_optimizer_states(self, fname: str, dump_optimizer: bool = False) -> None:
        """Write the optimizer's states to a file."""
        states = self._optimizer_states("save").get_states(dump_optimizer)
        with replacing(fname) as file:
            file.write(states)

    def load_optimizer_states(self, fname: str, trusted: bool = False) -> None:
        """Read what `save_optimizer_states` wrote; `trusted` admits a pickle of anything."""
        updater = self._optimizer_states("load")
        with open(fname, "rb") as file:
            updater.set_states(file.read(), trusted)

    def _optimizer_states(self, verb: str) -> opt.Updater:
        assert isinstance(self._updater, opt.Updater), (
            f"KVStore.{verb}_optimizer_states: there is no optimizer; call set_optimizer first"
        )
        return self._updater


def _dense(arrays: Sequence[NDArray]) -> list[NDArray]:
    """Return the dense ones of the arrays to copy to; warn of others."""
    dense = [array for array in arrays if not is_sparse(array)]
    if len(dense) < len(arrays):
        warnings.warn(
            "KVStore.pull: sparse arrays in out are left as they are; call row_sparse_pull with "
            "row_ids, or pass ignore_sparse=False",
            stacklevel=3,
        )
    return dense
