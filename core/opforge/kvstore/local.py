"""`KVStore`: the store of one process, and the base of stores that span several."""

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from .. import autograd
from .. import optimizer as opt
from ..base.errors import OpforgeError
from ..base.files import open_file, replacing
from ..ndarray import NDArray
from ..profiler.timing import timed
from .arguments import Key, grouped, pairs
from .base import KVStoreBase
from .compression import TwoBitCompression
from .reduction import summed
from .row_sparse_pull import is_sparse, pull_rows, rows_for

__all__ = ["KVStore"]


class KVStore(KVStoreBase):
    """Store that sums the arrays pushed to each key by several devices, or updates with the sum.

    Parameters
    ----------
    kind : str, default "local"
        Value of `type`.

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
        """The name that the store was created with."""
        return self._kind

    @property
    def compresses(self) -> bool:
        """True if the name supports `set_gradient_compression`, as in MXNet."""
        return "device" in self.type or "dist" in self.type

    def is_capable(self, capability: str) -> bool:
        """Return whether the store has a capability; it has ``"optimizer"``.

        Raises
        ------
        ValueError
            The capability is unknown.
        """
        if capability.lower() != self.OPTIMIZER:
            raise ValueError(f"Unknown capability: {capability}")
        return True

    # -- arrays -------------------------------------------------------------------------------

    def init(self, key: Any, value: Any) -> None:
        """Set the initial values of keys.

        Parameters
        ----------
        key : int or str, or list of them
            All keys of a store are int, or all are str.
        value : NDArray, or list of them

        Raises
        ------
        OpforgeError
            A key already has a value or gets two, or int and str keys are mixed.
        """
        for one, arrays in pairs("init", key, value):
            if one in self._arrays or len(arrays) > 1:
                raise OpforgeError(
                    f"KVStore.init: the key {self._named(one)} gets a second value; init and "
                    "broadcast set each key once. Trainers number their parameters from 0, so "
                    "each needs its own store"
                )
            self._expect_kind("init", one)
            self._arrays[one] = arrays[0].copy()

    def push(self, key: Any, value: Any, priority: int = 0) -> None:
        """Sum the devices' arrays of each key, and store the sum or update with it.

        Parameters
        ----------
        key : int or str, or list of them
            Arrays pushed twice to one key are also summed.
        value : NDArray, list of NDArray for several devices, or for several keys a list of these
        priority : int
            Ignored; push is synchronous.

        Raises
        ------
        OpforgeError
            A key has no value yet, or a value of a different shape.
        """
        pushed = grouped(pairs("push", key, value))
        stored = [self._stored("push", one, arrays) for one, arrays in pushed.items()]
        with timed("KVStore", "KVStore.push"), autograd.pause():
            contexts = [target.context for target in stored]
            self._apply(list(pushed), self._sums(pushed, contexts), stored)

    def _sums(self, pushed: Mapping[Key, Sequence[NDArray]], contexts: list[Any]) -> list[NDArray]:
        """Return the sum for each key; stores of several processes add the other processes'."""
        if (compress := self._compression) is not None:
            self._reject_sparse(pushed)
            pushed = {
                key: [compress((key, device), one) for device, one in enumerate(arrays)]
                for key, arrays in pushed.items()
            }
        return self._sum_each(pushed, contexts)

    def _sum_each(
        self, pushed: Mapping[Key, Sequence[NDArray]], contexts: list[Any]
    ) -> list[NDArray]:
        """Return the sum of the arrays of each key."""
        pairs_of_key = zip(pushed.values(), contexts, strict=True)
        return [summed(arrays, context) for arrays, context in pairs_of_key]

    def _reject_sparse(self, pushed: Mapping[Key, Sequence[NDArray]]) -> None:
        for key, arrays in pushed.items():
            if any(map(is_sparse, arrays)):
                raise OpforgeError(
                    f"KVStore.push: the key {self._named(key)} gets sparse arrays, which cannot be "
                    "compressed. Use set_gradient_compression with dense gradients only"
                )

    def _apply(self, keys: list[Key], sums: list[NDArray], stored: list[NDArray]) -> None:
        """Store the sums, or update the stored arrays with them."""
        if isinstance(self._updater, opt.Updater):
            self._updater(keys, sums, stored)  # in one call: small parameters share their loops
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
            Leave sparse arrays in `out` unchanged, with a warning: full tables are rarely wanted,
            and `row_sparse_pull` copies rows.

        Raises
        ------
        OpforgeError
            A key has no value, or a value of a different shape.
        """
        assert out is not None, "KVStore.pull: pass out=, the arrays to copy into"
        targets = grouped(pairs("pull", key, out))
        if ignore_sparse:
            targets = {one: _dense(arrays) for one, arrays in targets.items()}
        stored = [self._stored("pull", one, arrays) for one, arrays in targets.items()]
        with timed("KVStore", "KVStore.pull"), autograd.pause():
            for source, arrays in zip(stored, targets.values(), strict=True):
                for array in arrays:
                    source.copyto(array)

    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> None:
        """Push `value`, then pull into `out`, by default into `value`."""
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
        """Set the initial values of keys and copy them into `out`."""
        self.init(key, value)
        self.pull(key, out, priority, ignore_sparse=False)

    def row_sparse_pull(
        self, key: Any, out: Any = None, priority: int = 0, row_ids: Any = None
    ) -> None:
        """Copy rows of row-sparse values into row-sparse arrays, which then have only these rows.

        Parameters
        ----------
        key : int or str, or list of them
        out : RowSparseNDArray, list of them for several devices, or for several keys lists
        priority : int
        row_ids : NDArray
            Row indices, in any order and shape; or a list with one array for each of `out`.

        Raises
        ------
        OpforgeError
            The value of a key or an array in `out` is not row-sparse, or a row is out of range.
        """
        assert out is not None, "KVStore.row_sparse_pull: pass out=, the arrays to copy into"
        assert row_ids is not None, "KVStore.row_sparse_pull: pass row_ids=, the rows to copy"
        found = zip(pairs("row_sparse_pull", key, out), rows_for(key, row_ids), strict=True)
        requests = [
            (one, self._stored("row_sparse_pull", one, to), to, rows) for (one, to), rows in found
        ]
        with timed("KVStore", "KVStore.row_sparse_pull"), autograd.pause():
            for one, source, targets, rows in requests:
                pull_rows(self._named(one), source, targets, rows)

    def _put(self, key: Key, value: NDArray) -> None:
        """Replace the value of a key."""
        with autograd.pause():
            self._stored("put", key, [value])[:] = value

    def _barrier(self) -> None:
        """Wait for all workers; a no-op because there is only one."""

    def _stored(self, method: str, key: Key, arrays: Iterable[NDArray]) -> NDArray:
        """Return the value stored under `key`, after checking that `arrays` have its shape."""
        stored = self._arrays.get(key)
        if stored is None:
            self._expect_kind(method, key)
            raise OpforgeError(
                f"KVStore.{method}: the key {self._named(key)} has no value; call init first"
            )
        for array in arrays:
            if array.shape != stored.shape:
                raise OpforgeError(
                    f"KVStore.{method}: got shape {array.shape} for the key {self._named(key)}; "
                    f"expected {stored.shape}, the shape of its initial value"
                )
        return stored

    def _expect_kind(self, method: str, key: Key) -> None:
        earlier = next(iter(self._arrays), key)
        if isinstance(earlier, str) != isinstance(key, str):
            raise OpforgeError(
                f"KVStore.{method}: got the key {key!r} after {earlier!r}; the keys of a store "
                "must be all int or all str"
            )

    # -- optimizers ---------------------------------------------------------------------------

    def set_optimizer(self, optimizer: opt.Optimizer) -> None:
        """Update the stored arrays with an optimizer at each subsequent push.

        Raises
        ------
        TypeError
            `optimizer` is not an Optimizer.
        """
        if not isinstance(optimizer, opt.Optimizer):
            raise TypeError(
                f"KVStore.set_optimizer: got {type(optimizer).__name__}; expected an Optimizer. "
                "Create one with optimizer.create"
            )
        self._updater = opt.get_updater(optimizer)

    def _set_updater(self, updater: Callable[[Any, Any, Any], None]) -> None:
        """Call ``updater(key, pushed, stored)`` at each push; it modifies `stored`."""
        self._updater = updater

    def set_gradient_compression(self, compression_params: dict[str, Any]) -> None:
        """Pass pushed arrays through two-bit compression, as if sent between machines.

        Parameters
        ----------
        compression_params : dict
            ``{"type": "2bit", "threshold": 0.5}``.

        Raises
        ------
        OpforgeError
            The store is neither ``"device"`` nor a distributed one, or the type is unknown.
        """
        if not self.compresses:
            raise OpforgeError(
                f"KVStore.set_gradient_compression: the store {self.type!r} does not support "
                "compression, as in MXNet; use 'device' or a store that spans processes"
            )
        self._compression = TwoBitCompression.from_params(compression_params)

    def save_optimizer_states(
        self, fname: str, dump_optimizer: bool = False, pickled: bool = False
    ) -> None:
        """Write the optimizer states to a file; see `Updater.get_states`."""
        states = self._optimizer_states("save").get_states(dump_optimizer, pickled)
        with replacing(fname) as file:
            file.write(states)

    def load_optimizer_states(self, fname: str, trusted: bool = False) -> None:
        """Read a file written by `save_optimizer_states`; `trusted` allows arbitrary pickles."""
        updater = self._optimizer_states("load")
        with open_file(fname, "rb") as file:
            updater.set_states(file.read(), trusted, self._arrays)

    def _optimizer_states(self, verb: str) -> opt.Updater:
        assert isinstance(self._updater, opt.Updater), (
            f"KVStore.{verb}_optimizer_states: the store has no optimizer; call set_optimizer first"
        )
        return self._updater


def _dense(arrays: Sequence[NDArray]) -> list[NDArray]:
    """Return the dense arrays; warn if there are others."""
    dense = [array for array in arrays if not is_sparse(array)]
    if len(dense) < len(arrays):
        warnings.warn(
            "KVStore.pull: sparse arrays in out are left unchanged; call row_sparse_pull with "
            "row_ids, or pass ignore_sparse=False",
            stacklevel=3,
        )
    return dense
