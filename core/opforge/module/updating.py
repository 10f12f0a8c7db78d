"""`UpdatingModule`: the part of a `Module` that has to do with the optimizer."""

import warnings
from typing import Any

from .. import autograd
from .. import optimizer as opt
from ..base.files import replacing
from ..kvstore import KVStoreBase
from ..kvstore.creating import store_of
from ..kvstore.summing import summed
from ..ndarray import NDArray
from .parameters import ParameterModule

__all__ = ["UpdatingModule"]


class UpdatingModule(ParameterModule):
    """A module whose parameters an optimizer updates, all in one call."""

    _optimizer: opt.Optimizer | None = None
    _updater: opt.Updater | None = None
    #: Where gradients of several workers are summed; None where there is one.
    _store: KVStoreBase | None = None
    #: What the optimizer calls each parameter: shared by all modules that share it.
    _indices: dict[str, int]
    _param_names: list[str]
    #: File with the optimizer's states, to be read once there is one.
    _states_to_load: str | None = None

    def init_optimizer(
        self,
        kvstore: Any = "local",
        optimizer: Any = "sgd",
        optimizer_params: Any = (("learning_rate", 0.01),),
        force_init: bool = False,
    ) -> None:
        """Install an optimizer.

        Parameters
        ----------
        kvstore : str, KVStoreBase or None
            ``"local"``, ``"device"`` and None train in this process. Any other store, by name or
            itself, sums the gradients of its workers, and begins with the first one's parameters.
        optimizer : str or Optimizer, default "sgd"
            Factors ``lr_mult`` and ``wd_mult`` of the symbol's variables hold for one that is
            given by name; weight decay is then for weights and gammas only.
        optimizer_params : dict or list of pairs
            Its settings; `rescale_grad` is 1 / batch size if it is not among them.
        force_init : bool, default False
            Install it also where there is one.

        Raises
        ------
        TypeError
            `kvstore` is neither a name, nor a store, nor None.
        ValueError
            No optimizer or no key-value store has such a name.
        """
        self._require("binded", "params_initialized")
        if self.optimizer_initialized and not force_init:
            self.logger.warning("optimizer already initialized, ignoring...")
            return
        self._store = store_of("init_optimizer", kvstore)
        names = dict(enumerate(self._param_names))
        workers = 1 if self._store is None else self._store.num_workers
        rescale_grad = 1.0 / (self._binding.batch_size * workers)
        if isinstance(optimizer, str):
            settings = {"rescale_grad": rescale_grad, **dict(optimizer_params)}
            optimizer = opt.create(optimizer, sym=self.symbol, param_idx2name=names, **settings)
        else:
            _check_given_optimizer(optimizer, rescale_grad)
            if not optimizer.idx2name:
                optimizer.idx2name = names
        self._optimizer = optimizer
        self._updater = opt.get_updater(optimizer)
        self._indices = {name: index for index, name in names.items()}
        self._begin_alike()
        self.optimizer_initialized = True
        if self._states_to_load is not None:
            self.load_optimizer_states(self._states_to_load)
            self._states_to_load = None

    def _begin_alike(self) -> None:
        """Give the first worker's parameters to all."""
        if self._store is None:
            return
        with autograd.pause():
            for name, copies, _ in self._binding.trained():
                self._store.broadcast(name, copies[0], copies, -self._indices[name])

    def borrow_optimizer(self, shared_module: "UpdatingModule") -> None:
        """Use the optimizer of another module, with its states.

        Parameters
        ----------
        shared_module : Module
        """
        shared_module._require("optimizer_initialized")
        self._optimizer = shared_module._optimizer
        self._updater = shared_module._updater
        self._store = shared_module._store
        self._indices = shared_module._indices
        self.optimizer_initialized = True

    def update(self) -> None:
        """Update the parameters from the gradients of the last batch."""
        self._require("binded", "params_initialized", "optimizer_initialized")
        assert self._updater is not None
        trained = self._binding.trained()
        if not trained:
            return
        with autograd.pause():
            grads = [self._total(name, copies) for name, _, copies in trained]
            weights = [copies[0] for _, copies, _ in trained]
            self._updater([self._indices[name] for name, _, _ in trained], grads, weights)
            for _, (first, *others), _ in trained:
                for other in others:
                    first.copyto(other)

    def _total(self, name: str, grads: list[NDArray]) -> NDArray:
        """Return a parameter's gradient: the sum of those of all devices and workers."""
        if self._store is None:
            return summed(grads, grads[0].context)
        self._store.pushpull(name, grads, priority=-self._indices[name])
        return grads[0]

    def save_optimizer_states(self, fname: str) -> None:
        """Write the states of the optimizer (momenta and the like) to a file.

        Parameters
        ----------
        fname : str
        """
        self._require("optimizer_initialized")
        assert self._updater is not None
        with replacing(fname) as file:
            file.write(self._updater.get_states())

    def load_optimizer_states(self, fname: str) -> None:
        """Read what `save_optimizer_states` wrote. It is a pickle: load only what you trust.

        Parameters
        ----------
        fname : str
        """
        self._require("optimizer_initialized")
        assert self._updater is not None
        with open(fname, "rb") as file:
            self._updater.set_states(file.read())


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
            stacklevel=3,
        )
