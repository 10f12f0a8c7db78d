"""`KVStoreBase`: the interface between trainers and key-value stores, and the store registry."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..base.module_aliases import add_aliases as _add_aliases
from ..ndarray import NDArray
from ..op.registry.named import NameRegistry

__all__ = ["REGISTRY", "KVStoreBase"]


class KVStoreBase:
    """Base of all key-value stores; subclasses define `broadcast` and `pushpull`.

    A store keeps the parameters of all workers equal: `broadcast` gives them the same initial
    values, and `pushpull` the same sum of their gradients.

    Examples
    --------
    >>> from opforge import nd
    >>> class Alone(KVStoreBase):
    ...     '''The store of a single worker.'''
    ...     def broadcast(self, key, value, out, priority=0):
    ...         for array in out: array[:] = value
    ...     def pushpull(self, key, value, out=None, priority=0):
    ...         total = sum(value[1:], value[0])
    ...         for array in value if out is None else out: array[:] = total
    >>> gradients = [nd.ones(2), nd.ones(2)]
    >>> Alone().pushpull(0, gradients)
    >>> gradients[1].asnumpy().tolist()
    [2.0, 2.0]
    """

    #: Capability to update parameters in the store.
    OPTIMIZER = "optimizer"

    #: Names of keys for errors; trainers use numbers as keys and register the parameter names here.
    key_names: Mapping[Any, str] = {}

    def broadcast(
        self, key: Any, value: NDArray, out: Sequence[NDArray], priority: int = 0
    ) -> None:
        """Copy the first worker's value of a parameter to all workers.

        Parameters
        ----------
        key : str or int
            Key of the parameter, the same on every worker.
        value : NDArray
            This worker's value.
        out : list of NDArray
            Arrays to overwrite, one for each context.
        priority : int, default 0
            Higher priorities are sent first.
        """
        raise NotImplementedError(f"{type(self).__name__} must define broadcast()")

    def pushpull(
        self,
        key: Any,
        value: Sequence[NDArray],
        out: Sequence[NDArray] | None = None,
        priority: int = 0,
    ) -> None:
        """Sum arrays over all workers and their contexts.

        Parameters
        ----------
        key : str or int
            Key of the parameter, the same on every worker.
        value : list of NDArray
            This worker's addends, one for each context.
        out : list of NDArray, optional
            Arrays that receive the sum; default: `value`.
        priority : int, default 0
            Higher priorities are sent first.
        """
        raise NotImplementedError(f"{type(self).__name__} must define pushpull()")

    def pushpull_all(
        self,
        values: Mapping[Any, Sequence[NDArray]],
        outs: Mapping[Any, Sequence[NDArray]] | None = None,
    ) -> None:
        """Sum the arrays of several keys, like `pushpull` for each of them.

        Trainers call it once per step; a store that sends small arrays together overrides it.

        Parameters
        ----------
        values : dict of key to list of NDArray
            In the order in which the sums are needed.
        outs : dict of key to list of NDArray, optional
            Arrays that receive the sums; default: `values`.
        """
        for index, (key, value) in enumerate(values.items()):
            self.pushpull(key, value, out=None if outs is None else outs[key], priority=-index)

    def set_gradient_compression(self, compression_params: dict[str, Any]) -> None:
        """Send gradients in fewer bits, if the store supports it."""
        raise NotImplementedError(f"{type(self).__name__} does not compress gradients")

    def set_optimizer(self, optimizer: Any) -> None:
        """Update parameters in the store, if it has the capability ``"optimizer"``."""
        raise NotImplementedError(f"{type(self).__name__} does not update parameters")

    def is_capable(self, capability: str) -> bool:
        """Return whether the store has a capability, such as ``"optimizer"``."""
        return False

    def save_optimizer_states(
        self, fname: str, dump_optimizer: bool = False, pickled: bool = False
    ) -> None:
        """Write the states of the store's optimizer to a file, in MXNet's format if `pickled`."""
        raise NotImplementedError(f"{type(self).__name__} does not update parameters")

    def load_optimizer_states(self, fname: str, trusted: bool = False) -> None:
        """Read a file written by `save_optimizer_states`; `trusted` allows arbitrary pickles."""
        raise NotImplementedError(f"{type(self).__name__} does not update parameters")

    @property
    def type(self) -> str:
        """The name that `create` accepts for this store."""
        return type(self).__name__.lower()

    @property
    def rank(self) -> int:
        """Number of this worker, from 0."""
        return 0

    @property
    def num_workers(self) -> int:
        """Number of workers."""
        return 1

    def _named(self, key: Any) -> str:
        """Return a key as it appears in errors."""
        name = self.key_names.get(key)
        return repr(key) if name is None else f"{key!r} ({name!r})"

    @staticmethod
    def register(klass: Any) -> Any:
        """Register a class under its lower-case name for this process; usable as a decorator."""
        return REGISTRY.register(klass)


REGISTRY: NameRegistry[KVStoreBase] = NameRegistry(KVStoreBase, "kvstore")


_add_aliases(__name__)
