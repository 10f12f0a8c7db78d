"""`StoreTrainer`: the part of `Trainer` that uses the key-value store.

Attributes that begin with an underscore have MXNet's names, because programs read them. Keys are
indices of parameters in the trainer's list.
"""

from collections.abc import Collection
from typing import Any

from .. import autograd
from .. import optimizer as opt
from ..base.context import Context
from ..kvstore.base import KVStoreBase
from ..kvstore.factory import resolved, store_for, store_of_rows
from ..kvstore.local import KVStore
from .parameter import Parameter

__all__ = ["StoreTrainer"]


class StoreTrainer:
    """Synchronizes parameters and sums their gradients over contexts and workers.

    Parameters
    ----------
    params : list of Parameter
    kvstore : str, KVStoreBase or None
    compression_params : dict or None
    update_on_kvstore : bool or None
        As for `Trainer`.
    """

    _optimizer: opt.Optimizer

    def __init__(
        self,
        params: list[Parameter],
        kvstore: Any,
        compression_params: dict[str, Any] | None,
        update_on_kvstore: bool | None,
    ) -> None:
        self._params = params
        self._contexts = self._check_contexts()
        self._compression_params = compression_params
        self._kvstore_params = {"kvstore": kvstore, "update_on_kvstore": update_on_kvstore}
        self._chosen = resolved("Trainer", kvstore)
        #: Key-value store, once it is created; None if it is not needed.
        self._kvstore: KVStoreBase | None = None
        self._update_on_kvstore: bool | None = None
        self._reset_kvstore()
        for param in params:
            param._set_trainer(self)

    def _check_contexts(self) -> list[Context]:
        contexts: list[Context] | None = None
        for param in self._params:
            ctx = param.list_ctx()
            assert contexts is None or contexts == ctx, (
                "All Parameters must be initialized on the same set of contexts, but Parameter "
                f"{param.name} is initialized on {ctx} while previous Parameters are initialized "
                f"on {contexts}."
            )
            contexts = ctx
        return contexts or []

    def _reset_kvstore(self) -> None:
        """Make the next step start with a new store and the parameters at that time.

        Raises
        ------
        RuntimeError
            The store is distributed, and other processes would not reset it.
        """
        if self._kvstore is not None and "dist" in self._kvstore.type:
            raise RuntimeError("Cannot reset distributed KVStore.")
        for param in self._params if self._kvstore is not None else ():
            if param._stype != "default" and param._data is not None:
                whole = param._reduce()
                for copy in param._data:
                    copy[:] = whole
        self._kv_initialized = False
        self._distributed: bool | None = None
        self._kvstore = self._update_on_kvstore = None
        #: Parameters that have not been sent to the store.
        self._params_to_init = list(self._params)

    def _broadcast_initial_values(self) -> None:
        """Broadcast the parameters of the first worker if there are several."""
        if isinstance(self._chosen, KVStoreBase) and self._chosen.num_workers > 1:
            self._begin()

    def _value_was_set(self, param: Parameter) -> None:
        """Update the value in a store that updates parameters."""
        if not self._update_on_kvstore or any(p is param for p in self._params_to_init):
            return
        store = self._kvstore if self._keeps_rows else self._chosen
        if isinstance(store, KVStore):
            store._put(self._index_of(param), param._values()[0])
        else:
            self._reset_kvstore()

    def _index_of(self, param: Parameter) -> int:
        return next(i for i, p in enumerate(self._params) if p is param)

    @property
    def _keeps_rows(self) -> bool:
        """True if parameters hold only some rows of the values in the store."""
        return any(param._stype != "default" for param in self._params)

    def _begin(self) -> None:
        """Create the store, if one is needed, and send it the parameters."""
        if not self._kv_initialized:
            self._init_kvstore()
        if self._params_to_init:
            self._init_params()

    def _expect_shapes(self) -> None:
        """Expect values of all parameters that are trained.

        Raises
        ------
        DeferredInitializationError
            The shape of a parameter is still unknown.
        """
        for param in self._params_to_init:
            # One that was interrupted right after it got its value is still in the list.
            if param.grad_req != "null" and param._data is None:
                raise param._missing()

    def _init_kvstore(self) -> None:
        """Choose the store, and whether it updates the parameters.

        Raises
        ------
        ValueError
            ``update_on_kvstore=True`` with a store that does not support it, or False with a store
            that requires it.
        """
        decided = self._kvstore_params["update_on_kvstore"]
        store: KVStoreBase | None
        if self._keeps_rows:
            if decided is False:
                raise ValueError(
                    "Cannot set update_on_kvstore=False when sparse weights are present."
                )
            store, updates = store_of_rows("Trainer", self._chosen)
            decided = True
        else:
            sizes = [copies[0].size for copies in (p._data for p in self._params) if copies]
            store, updates = store_for(
                "Trainer", self._chosen, len(self._contexts), max(sizes, default=0)
            )
        self._kv_initialized, self._distributed = True, False
        if store is None:
            return
        if decided is None and "dist" not in store.type:
            # Sparse gradients are summed and returned, which avoids copies of entire tables.
            decided = False if any(p._grad_stype != "default" for p in self._params) else None
        updates = _updates_on_store(store, updates, decided)
        if self._compression_params:
            store.set_gradient_compression(self._compression_params)
        if updates:
            store.set_optimizer(self._optimizer)
        store.key_names = {index: param.name for index, param in enumerate(self._params)}
        self._kvstore, self._update_on_kvstore = store, updates
        self._distributed = "dist" in store.type

    def _init_params(self) -> None:
        """Send initialized parameters to the store, and set all copies to the store's values."""
        waiting = {id(param) for param in self._params_to_init}
        self._params_to_init = [p for p in self._params_to_init if p._deferred_init]
        waiting -= {id(param) for param in self._params_to_init}
        if self._kvstore is None:
            return
        with autograd.pause():
            for index, param in enumerate(self._params):
                if id(param) in waiting:
                    copies = param._values()
                    self._kvstore.broadcast(index, copies[0], copies, priority=-index)

    def _row_sparse_pull(self, param: Parameter, out: Any, row_id: Any) -> None:
        """Copy rows of a parameter from the store, which is created if necessary."""
        self._begin()
        index = self._index_of(param)
        store: Any = self._kvstore
        store.row_sparse_pull(index, out=out, row_ids=row_id, priority=-index)

    def _allreduce_grads(self, left_out: Collection[int] = ()) -> None:
        """Sum the gradients over contexts and workers; a store that updates does so.

        Parameters
        ----------
        left_out : collection of int
            Ids of parameters.
        """
        if self._kvstore is None:
            return
        trained = [
            (index, param)
            for index, param in enumerate(self._params)
            if param.grad_req != "null" and id(param) not in left_out
        ]
        store: Any = self._kvstore
        rows = [(index, param) for index, param in trained if param._stype != "default"]
        trained = [(index, param) for index, param in trained if param._stype == "default"]
        with autograd.pause():
            for index, param in rows:  # batches pull the rows they need
                store.push(index, param.list_grad(), priority=-index)
            store.pushpull_all(
                {index: param.list_grad() for index, param in trained},
                {index: param._values() for index, param in trained}
                if self._update_on_kvstore
                else None,
            )


def _updates_on_store(store: KVStoreBase, updates: bool, decided: bool | None) -> bool:
    """Return whether the store updates, as `decided` by the user or else by default."""
    if decided and not store.is_capable(store.OPTIMIZER):
        raise ValueError(
            f"Please set update_on_kvstore=False when training with {type(store).__name__}: it "
            "does not run optimizers"
        )
    if "async" in store.type and decided is False:
        raise ValueError("Please set update_on_kvstore=True when training in async mode.")
    return updates if decided is None else decided
