"""`Trainer`: applies an optimizer to the parameters of a network."""

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from .. import autograd
from .. import optimizer as opt
from ..base.context import Context
from ..base.errors import DeferredInitializationError
from ..base.files import replacing
from ..kvstore.base import KVStoreBase
from ..kvstore.creating import store_of
from ..kvstore.local import KVStore
from ..kvstore.summing import summed
from ..native.dispatch import tape
from ..ndarray import NDArray
from .parameter import Parameter
from .parameter_dict import ParameterDict

__all__ = ["Trainer"]


class Trainer:
    """Updates parameters from their gradients.

    Parameters
    ----------
    params : ParameterDict, dict or list of Parameter
        Usually ``net.collect_params()``.
    optimizer : str or Optimizer
        For instance ``"sgd"`` or ``"adam"``.
    optimizer_params : dict, optional
        Arguments of the optimizer, for instance ``{"learning_rate": 0.1}``.
    kvstore : str, KVStoreBase or None, default "device"
        ``"device"``, ``"local"`` and None sum the copies of several contexts in this process. Any
        other store, by name or itself, sums the gradients of all its workers, and gives the first
        one's parameters to all.
    compression_params, update_on_kvstore
        Accepted and without effect here.

    Raises
    ------
    ValueError
        `params` holds something else than parameters, or no optimizer or no key-value store has
        such a name.
    TypeError
        `kvstore` is neither a name, nor a store, nor None.

    Examples
    --------
    >>> from opforge import autograd, gluon
    >>> w = gluon.Parameter("w", shape=(1,), init="ones")
    >>> w.initialize()
    >>> trainer = Trainer([w], "sgd", {"learning_rate": 0.5})
    >>> with autograd.record():
    ...     loss = w.data() * 2
    >>> loss.backward()
    >>> trainer.step(batch_size=1)
    >>> w.data().asscalar().item()
    0.0
    """

    def __init__(
        self,
        params: ParameterDict | Mapping[str, Parameter] | Sequence[Parameter],
        optimizer: str | opt.Optimizer,
        optimizer_params: dict[str, Any] | None = None,
        kvstore: Any = "device",
        compression_params: dict[str, Any] | None = None,
        update_on_kvstore: bool | None = None,
    ) -> None:
        self._params = _parameter_list(params)
        self._contexts = self._common_contexts()
        self._kvstore_params = {"kvstore": kvstore, "update_on_kvstore": update_on_kvstore}
        self._compression_params = compression_params
        self._optimizer = self._make_optimizer(optimizer, optimizer_params or {})
        self._updaters = [opt.get_updater(self._optimizer) for _ in self._contexts]
        self._scale = self._optimizer.rescale_grad
        self._store = store_of("Trainer", kvstore)
        self._is_shared = self._store is not None or len(self._contexts) > 1
        # Parameters that have not begun with the first worker's values yet, by index.
        self._waiting = {} if self._store is None else dict(enumerate(self._params))
        self._begin_alike()

    def _common_contexts(self) -> list[Context]:
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

    def _make_optimizer(self, spec: Any, arguments: dict[str, Any]) -> opt.Optimizer:
        by_index = dict(enumerate(self._params))
        if isinstance(spec, opt.Optimizer):
            assert not arguments, (
                "optimizer_params must be None if optimizer is an instance of Optimizer instead "
                "of str"
            )
            spec.param_dict = by_index
            return spec
        return opt.create(spec, param_dict=by_index, **arguments)

    #: Programs ask MXNet's Trainer where it updates: here, not in the store.
    _update_on_kvstore = False

    #: What `contrib.amp.init_trainer` sets: a LossScaler, and `_scale` as it was before.
    _amp_loss_scaler: Any = None
    _amp_original_scale = 1.0

    @functools.cached_property
    def _kvstore(self) -> KVStoreBase | None:
        """The store, which programs ask MXNet's Trainer for; None if the trainer was given None.

        That of a local name takes no part in the training; its updater is the trainer's.
        """
        given = self._kvstore_params["kvstore"]
        if self._store is not None or not isinstance(given, str):
            return self._store or given
        store = KVStore(given.lower())
        store._set_updater(self._updaters[0])
        return store

    @property
    def optimizer(self) -> opt.Optimizer:
        """The optimizer."""
        return self._optimizer

    @property
    def learning_rate(self) -> float:
        """The current learning rate: the scheduler's where there is one."""
        return self._optimizer.learning_rate

    def set_learning_rate(self, lr: float) -> None:
        """Set the learning rate.

        Raises
        ------
        UserWarning
            The optimizer has a scheduler, which decides.
        """
        self._optimizer.set_learning_rate(lr)

    def step(self, batch_size: float, ignore_stale_grad: bool = False) -> None:
        """Sum gradients over contexts and update all parameters.

        Call it after `backward`, outside ``autograd.record``.

        Parameters
        ----------
        batch_size : int
            Gradients are divided by it.
        ignore_stale_grad : bool, default False
            Leave parameters alone whose gradient no backward pass has written since the last
            step; otherwise they are an error.

        Raises
        ------
        UserWarning
            A gradient is stale and `ignore_stale_grad` is False.
        """
        self._optimizer.rescale_grad = self._scale / batch_size
        if self._is_shared:
            self.allreduce_grads()
        self._update(ignore_stale_grad)

    def allreduce_grads(self) -> None:
        """Make the gradients of all contexts, and of all workers, the sum of all.

        `step` does it; call it for what comes between sum and update, as gradient clipping does.
        """
        if not self._is_shared:
            return
        self._begin_alike()
        with autograd.pause():
            for index, param in enumerate(self._params):
                if param.grad_req == "null":
                    continue
                if self._store is None:
                    _sum_into_all(param.list_grad())
                else:
                    self._store.pushpull(index, param.list_grad(), priority=-index)

    def _begin_alike(self) -> None:
        """Give the first worker's parameters to all, as far as they have values by now."""
        for index, param in list(self._waiting.items()):
            try:
                values = param.list_data()
            except DeferredInitializationError:
                continue
            assert self._store is not None
            with autograd.pause():
                self._store.broadcast(index, values[0], values, -index)
            del self._waiting[index]

    def update(self, batch_size: float, ignore_stale_grad: bool = False) -> None:
        """Update all parameters; use it after `allreduce_grads` instead of `step`.

        Parameters
        ----------
        batch_size : int
        ignore_stale_grad : bool, default False
            As in `step`.
        """
        self._optimizer.rescale_grad = self._scale / batch_size
        self._update(ignore_stale_grad)

    def _update(self, ignore_stale_grad: bool) -> None:
        if self._amp_loss_scaler is not None and self._amp_loss_scaler.has_overflow(self._params):
            return
        # What each updater gets: indices, gradients and values of its context.
        work: list[tuple[list[int], list[NDArray], list[NDArray]]] = [
            ([], [], []) for _ in self._updaters
        ]
        for index, param in enumerate(self._params):
            if param.grad_req == "null":
                continue
            gradients = param.list_grad()
            for place, value in enumerate(param.list_data()):
                if tape.is_fresh(value):
                    indices, of_values, values = work[place]
                    indices.append(index)
                    of_values.append(gradients[place])
                    values.append(value)
                elif not ignore_stale_grad:
                    raise _stale(param, value)
        with autograd.pause():
            for place, (indices, of_values, values) in enumerate(work):
                self._updaters[place](indices, of_values, values)
                for value in values:
                    tape.set_fresh(value, False)

    def save_states(self, fname: str) -> None:
        """Write the optimizer and its states (momenta and the like) to a file.

        Parameters
        ----------
        fname : str
        """
        with replacing(fname) as file:
            file.write(self._updaters[0].get_states(dump_optimizer=True))

    def load_states(self, fname: str) -> None:
        """Read what `save_states` wrote. The file is a pickle: load only what you trust.

        Parameters
        ----------
        fname : str
        """
        with open(fname, "rb") as file:
            states = file.read()
        for updater in self._updaters:
            updater.set_states(states)
            updater.optimizer = self._updaters[0].optimizer
        self._optimizer = self._updaters[0].optimizer
        self._optimizer.param_dict = dict(enumerate(self._params))


def _parameter_list(params: Any) -> list[Parameter]:
    if isinstance(params, Mapping | ParameterDict):
        params = [params[key] for key in sorted(params.keys())]
    if not isinstance(params, list | tuple):
        raise ValueError(
            f"First argument must be a list or dict of Parameters, got {type(params)}."
        )
    for param in params:
        if not isinstance(param, Parameter):
            raise ValueError(
                f"First argument must be a list or dict of Parameters, got list of {type(param)}."
            )
    return list(params)


def _stale(param: Parameter, value: NDArray) -> UserWarning:
    return UserWarning(
        f"Gradient of Parameter `{param.name}` on context {value.context} has not "
        "been updated by backward since last `step`. This could mean a bug in your "
        "model that made it only use a subset of the Parameters (Blocks) for this "
        "iteration. If you are intentionally only using a subset, call step with "
        "ignore_stale_grad=True to suppress this warning and skip updating of "
        "Parameters with stale gradient"
    )


def _sum_into_all(gradients: list[NDArray]) -> None:
    total = summed(gradients, gradients[0].context)
    for gradient in gradients:
        gradient[:] = total.as_in_context(gradient.context)
