"""`KVStoreBase`: what a trainer asks of a key-value store, and the registry of stores."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..base.mxnet_names import add_mxnet_names as _add_mxnet_names
from ..ndarray import NDArray
from ..op.registry.named import NameRegistry

__all__ = ["REGISTRY", "KVStoreBase"]


class KVStoreBase:
    """Base of all key-value stores; subclasses define `broadcast` and `pushpull`.

    A store keeps the parameters of all workers the same: `broadcast` gives them one beginning, and
    `pushpull` one sum of their gradients.

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

    #: The capability of updating parameters in the store.
    OPTIMIZER = "optimizer"

    #: What errors call keys: a trainer's are numbers, and it says here what these stand for.
    key_names: Mapping[Any, str] = {}

    def broadcast(
        self, key: Any, value: NDArray, out: Sequence[NDArray], priority: int = 0
    ) -> None:
        """Give the first worker's value of a parameter to all workers.

        Parameters
        ----------
        key : str or int
            Of the parameter, the same on every worker.
        value : NDArray
            This worker's value.
        out : list of NDArray
            Are overwritten, one for each context.
        priority : int, default 0
            What has more goes first.
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
            Of the parameter, the same on every worker.
        value : list of NDArray
            This worker's addends, one for each context.
        out : list of NDArray, optional
            Get the sum; default: `value` itself.
        priority : int, default 0
            What has more goes first.
        """
        raise NotImplementedError(f"{type(self).__name__} must define pushpull()")

    def pushpull_all(
        self,
        values: Mapping[Any, Sequence[NDArray]],
        outs: Mapping[Any, Sequence[NDArray]] | None = None,
    ) -> None:
        """Sum the arrays of several keys, as `pushpull` does those of one.

        Trainers call it once in each step; a store that sends small arrays together overrides it.

        Parameters
        ----------
        values : dict of key to list of NDArray
            The first ones are needed first.
        outs : dict of key to list of NDArray, optional
            Get the sums; default: `values` itself.
        """
        for place, (key, value) in enumerate(values.items()):
            self.pushpull(key, value, out=None if outs is None else outs[key], priority=-place)

    def set_gradient_compression(self, compression_params: dict[str, Any]) -> None:
        """Send gradients in fewer bits; only a store that can."""
        raise NotImplementedError(f"{type(self).__name__} does not compress gradients")

    def set_optimizer(self, optimizer: Any) -> None:
        """Let the store update parameters; only one that has the capability ``"optimizer"``."""
        raise NotImplementedError(f"{type(self).__name__} does not update parameters")

    def is_capable(self, capability: str) -> bool:
        """Tell whether the store can do what a name stands for, as ``"optimizer"``."""
        return False

    def save_optimizer_states(self, fname: str, dump_optimizer: bool = False) -> None:
        """Write the states of the store's optimizer to a file."""
        raise NotImplementedError(f"{type(self).__name__} does not update parameters")

    def load_optimizer_states(self, fname: str, trusted: bool = False) -> None:
        """Read what `save_optimizer_states` wrote; `trusted` admits a pickle of anything."""
        raise NotImplementedError(f"{type(self).__name__} does not update parameters")

    @property
    def type(self) -> str:
        """The name by which `create` makes such a store."""
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
        """Return a key as errors show it."""
        name = self.key_names.get(key)
        return repr(key) if name is None else f"{key!r} ({name!r})"

    @staticmethod
    def register(klass: Any) -> Any:
        """Register a class under its lower-case name for this program; usable as a decorator."""
        return REGISTRY.register(klass)


REGISTRY: NameRegistry[KVStoreBase] = NameRegistry(KVStoreBase, "kvstore")


_add_mxnet_names(__name__)
