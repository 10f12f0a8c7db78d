"""`UpdatingModule`: optimizer handling of `Module`."""

import warnings
from collections.abc import Mapping
from typing import Any

from opforge import autograd
from opforge import ndarray as nd
from opforge import optimizer as opt
from opforge.base.files import open_file, replacing
from opforge.kvstore import KVStore, KVStoreBase
from opforge.kvstore.factory import store_for
from opforge.kvstore.reduction import summed
from opforge.ndarray import NDArray

from .parameters import ParameterModule, Params

__all__ = ["UpdatingModule"]


class UpdatingModule(ParameterModule):
    """Module whose parameters an optimizer updates in a single call."""

    _optimizer: opt.Optimizer | None = None
    _updater: opt.Updater | None = None
    #: Store that sums gradients of several devices and workers; None for a single one.
    _kvstore: KVStoreBase | None = None
    #: Whether the optimizer runs in the store.
    _update_on_kvstore = False
    _compression_params: dict[str, Any] | None = None
    #: Optimizer's index of each parameter, common to all modules that share it.
    _indices: dict[str, int]
    _param_names: list[str]
    #: File with optimizer states, to load when an optimizer is installed.
    _states_to_load: str | None = None

    def _init_optimizer(self, *args: Any) -> None:
        kvstore, optimizer, optimizer_params, force_init = args
        self._require("binded", "params_initialized")
        if self.optimizer_initialized and not force_init:
            self.logger.warning("optimizer already initialized, ignoring...")
            return
        names = dict(enumerate(self._param_names))
        copies = dict(zip(self._param_names, self._binding.param_arrays, strict=True))
        largest = max((first.size for first, *_ in copies.values()), default=0)
        devices = len(self._binding.execs)
        store, updates = store_for("init_optimizer", kvstore, devices, largest)
        workers = 1 if store is None else store.num_workers
        rescale_grad = 1.0 / (self._binding.batch_size * workers)
        defaults = {"rescale_grad": rescale_grad, "param_idx2name": names}
        optimizer = self._create_optimizer(optimizer, defaults, dict(optimizer_params))
        self._optimizer = optimizer
        self._updater = None if updates else opt.get_updater(optimizer)
        self._indices = {name: index for index, name in names.items()}
        self._kvstore, self._update_on_kvstore = store, updates
        if store is not None:
            self._begin_in(store, copies)
        self.optimizer_initialized = True
        if self._states_to_load is not None:
            self.load_optimizer_states(self._states_to_load)
            self._states_to_load = None

    def _create_optimizer(
        self, optimizer: Any, defaults: dict[str, Any], settings: dict[str, Any]
    ) -> opt.Optimizer:
        """Return an optimizer by name with these settings, or the given one."""
        if isinstance(optimizer, str):
            return opt.create(optimizer, sym=self.symbol, **{**defaults, **settings})
        _check_given_optimizer(optimizer, defaults["rescale_grad"])
        if not optimizer.idx2name:
            optimizer.idx2name = defaults["param_idx2name"]
        return optimizer

    def _begin_in(self, store: KVStoreBase, copies: dict[str, list[NDArray]]) -> None:
        """Initialize a store with the parameters, and distribute the first device's values."""
        if self._compression_params:
            store.set_gradient_compression(self._compression_params)
        if self._update_on_kvstore:
            assert self._optimizer is not None
            store.set_optimizer(self._optimizer)
        with autograd.pause():
            for name, arrays in copies.items():
                store.broadcast(name, arrays[0], arrays, -self._indices[name])

    def _parameters_were_set(self) -> None:
        """Copy newly set values to a store that updates parameters."""
        if self._update_on_kvstore and isinstance(self._kvstore, KVStore):
            for name, (first, *_) in zip(
                self._param_names, self._binding.param_arrays, strict=True
            ):
                self._kvstore._put(name, first)

    def borrow_optimizer(self, shared_module: "UpdatingModule") -> None:
        """Use the optimizer of another module, with its states.

        Parameters
        ----------
        shared_module : Module
        """
        shared_module._require("optimizer_initialized")
        self._optimizer = shared_module._optimizer
        self._updater = shared_module._updater
        self._kvstore = shared_module._kvstore
        self._update_on_kvstore = shared_module._update_on_kvstore
        self._indices = shared_module._indices
        self.optimizer_initialized = True

    def get_params(self) -> Params:
        """Return copies of the parameters and of the auxiliary states by name.

        Those of several devices are averaged; row-sparse ones are the store's, which has all rows.
        """
        params, states = super().get_params()
        store: Any = self._kvstore if self._update_on_kvstore else None
        for name, value in params.items() if store is not None else ():
            if value.stype == "row_sparse":
                rows = nd.arange(value.shape[0], dtype="int64")
                store.row_sparse_pull(name, out=value, row_ids=rows)
        return params, states

    def prepare(self, data_batch: Any, sparse_row_id_fn: Any = None) -> None:
        """Pull the rows of row-sparse parameters that a batch needs from the store.

        Without `sparse_row_id_fn` all rows are used; with it, only the rows that it returns.

        Parameters
        ----------
        data_batch : DataBatch
        sparse_row_id_fn : callable, optional
            ``sparse_row_id_fn(data_batch)`` returns a dict of names of parameters to NDArrays,
            the numbers of their rows.

        Raises
        ------
        TypeError
            It returns another type.
        KeyError
            It names an unknown parameter.
        """
        if sparse_row_id_fn is None:
            return
        store: Any = self._kvstore if self._update_on_kvstore else None
        if store is None:
            super().prepare(data_batch, sparse_row_id_fn)
            return
        self._require("binded")
        wanted = sparse_row_id_fn(data_batch)
        if not isinstance(wanted, Mapping):
            raise TypeError(
                f"Module.prepare: sparse_row_id_fn returned {type(wanted).__name__}, expected a "
                "dict of names of parameters to NDArrays"
            )
        copies = dict(zip(self._param_names, self._binding.param_arrays, strict=True))
        for name, rows in wanted.items():
            if name not in copies:
                raise KeyError(
                    f"Module.prepare: sparse_row_id_fn names {name!r}, which is no parameter; they "
                    f"are {', '.join(self._param_names)}"
                )
            if copies[name][0].stype != "row_sparse":
                warnings.warn(
                    f"{name}.stype is not 'row_sparse'. No need to perform row_sparse_pull.",
                    stacklevel=2,
                )
                continue
            store.row_sparse_pull(name, out=copies[name], row_ids=rows)

    def update(self) -> None:
        """Update the parameters from the gradients of the last batch."""
        self._require("binded", "params_initialized", "optimizer_initialized")
        assert self._exec_group is not None
        names, values, grads = self._exec_group.trained()
        if not names:
            return
        with autograd.pause():
            if self._update_on_kvstore:
                assert self._kvstore is not None
                named = dict(zip(names, grads, strict=True))
                self._kvstore.pushpull_all(named, dict(zip(names, values, strict=True)))
                return
            if self._kvstore is not None:
                self._kvstore.pushpull_all(dict(zip(names, grads, strict=True)))
                totals = [first for first, *_ in grads]
            else:
                # A single device, the usual case, already has the sum.
                totals = [
                    copies[0] if len(copies) == 1 else summed(copies, copies[0].context)
                    for copies in grads
                ]
            assert self._updater is not None
            weights = [copies[0] for copies in values]
            self._updater([*map(self._indices.__getitem__, names)], totals, weights)
            for first, *others in values:
                for other in others:
                    first.copyto(other)

    def save_optimizer_states(self, fname: str, pickled: bool = False) -> None:
        """Write the states of the optimizer (such as momenta) to a file.

        Parameters
        ----------
        fname : str
            Replaced atomically.
        pickled : bool, default False
            Write MXNet's format, a pickle that MXNet 1.x reads, instead of safetensors.
        """
        self._require("optimizer_initialized")
        if self._update_on_kvstore:
            assert self._kvstore is not None
            choice = {"pickled": True} if pickled else {}  # stores of a program may not have it
            self._kvstore.save_optimizer_states(fname, **choice)
            return
        assert self._updater is not None
        content = self._updater.get_states(pickled=pickled)
        with replacing(fname) as file:
            file.write(content)

    def load_optimizer_states(self, fname: str, trusted: bool = False) -> None:
        """Load the states that `save_optimizer_states` of opforge or MXNet 1.x wrote.

        Parameters
        ----------
        fname : str
        trusted : bool, default False
            Whether to allow all classes and functions that a pickle names; it can then run
            arbitrary code.
        """
        self._require("optimizer_initialized")
        if self._update_on_kvstore:
            assert self._kvstore is not None
            self._kvstore.load_optimizer_states(fname, trusted)
            return
        assert self._updater is not None
        copies = dict(zip(self._param_names, self._binding.param_arrays, strict=True))
        weights = {  # None for those of other modules that share the optimizer
            index: copies[name][0] if name in copies else None
            for name, index in self._indices.items()
        }
        with open_file(fname, "rb") as file:
            self._updater.set_states(file.read(), trusted, weights)


def _check_given_optimizer(optimizer: Any, rescale_grad: float) -> None:
    if not isinstance(optimizer, opt.Optimizer):
        raise TypeError(
            f"init_optimizer: optimizer must be a str or an Optimizer, got "
            f"{type(optimizer).__name__}"
        )
    if optimizer.rescale_grad != rescale_grad:
        warnings.warn(
            "Optimizer created manually outside Module but rescale_grad is not normalized to "
            f"1.0/batch_size/num_workers ({optimizer.rescale_grad} vs. {rescale_grad}). Is this "
            "intended?",
            stacklevel=4,
        )
