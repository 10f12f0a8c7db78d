"""`Trainer`: applies an optimizer to the parameters of a network."""

from collections.abc import Mapping, Sequence
from typing import Any, Never

from .. import autograd
from .. import optimizer as opt
from ..base.familiar_names import TRAINER_NAMES
from ..base.files import open_file, replacing
from ..base.name_hints import add_hints, unexpected_arguments
from ..native.dispatch import tape
from ..ndarray import NDArray
from ..optimizer.updater import restore_states, saved_content
from .base_block import Block
from .parameter import Parameter
from .parameter_dict import ParameterDict
from .trainer_store import StoreTrainer

__all__ = ["Trainer"]


@add_hints(TRAINER_NAMES)
class Trainer(StoreTrainer):
    """Updates parameters from their gradients.

    Parameters
    ----------
    params : Block, ParameterDict, dict or list of Parameter
        Usually ``net.collect_params()``; a block gives its parameters.
    optimizer : str or Optimizer
        For instance ``"sgd"`` or ``"adam"``.
    optimizer_params : dict, optional
        Arguments of the optimizer, for instance ``{"learning_rate": 0.1}``.
    kvstore : str, KVStoreBase or None, default "device"
        Store that sums the gradients of several contexts or workers, and broadcasts the initial
        parameters of the first one. ``"device"`` and ``"local"`` are not used for a single context.
        With None, the program must synchronize the copies on several contexts.
    compression_params : dict, optional
        Gradient compression of the store, such as ``{"type": "2bit", "threshold": 0.5}``.
    update_on_kvstore : bool, optional
        Whether the optimizer runs in the store; default: if there is a store that supports it. Pass
        False to call `allreduce_grads` and `update` instead of `step`.

    Raises
    ------
    ValueError
        `params` contains other objects than parameters, or the name of the optimizer or key-value
        store is unknown.
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
        params: Block | ParameterDict | Mapping[str, Parameter] | Sequence[Parameter],
        optimizer: str | opt.Optimizer,
        optimizer_params: dict[str, Any] | None = None,
        kvstore: Any = "device",
        compression_params: dict[str, Any] | None = None,
        update_on_kvstore: bool | None = None,
        **unknown: Never,
    ) -> None:
        if unknown:
            raise unexpected_arguments(type(self), unknown)
        super().__init__(_parameter_list(params), kvstore, compression_params, update_on_kvstore)
        self._optimizer = self._make_optimizer(optimizer, optimizer_params or {})
        self._updaters = [opt.get_updater(self._optimizer) for _ in self._contexts]
        self._scale = self._optimizer.rescale_grad
        self._broadcast_initial_values()

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Copies of parameters and optimizers do not keep references to each other.
        self.__dict__.update(state)
        self._optimizer.param_dict = dict(enumerate(self._params))
        for param in self._params:
            param._set_trainer(self)

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

    def __repr__(self) -> str:
        optimizer = type(self._optimizer).__name__
        n = len(self._params)
        rate = f"learning_rate={self.learning_rate:.6g}"
        return f"Trainer({optimizer}, {rate}, {n} parameter{'s' * (n != 1)})"

    #: Set by `contrib.amp.init_trainer`: a LossScaler, and the previous `_scale`.
    _amp_loss_scaler: Any = None
    _amp_original_scale = 1.0

    @property
    def optimizer(self) -> opt.Optimizer:
        """The optimizer."""
        return self._optimizer

    @property
    def learning_rate(self) -> float:
        """Current learning rate, from the scheduler if there is one."""
        return self._optimizer.learning_rate

    def set_learning_rate(self, lr: float) -> None:
        """Set the learning rate.

        Raises
        ------
        UserWarning
            The optimizer has a scheduler, which determines the learning rate.
        """
        self._optimizer.set_learning_rate(lr)

    def step(self, batch_size: float, ignore_stale_grad: bool = False) -> None:
        """Sum gradients over contexts and update all parameters.

        Call it after `backward`, outside ``autograd.record``.

        Parameters
        ----------
        batch_size : int
            Divisor of the gradients.
        ignore_stale_grad : bool, default False
            Skip parameters whose gradients were not computed since the last step; by default,
            they are an error.

        Raises
        ------
        UserWarning
            A gradient is stale and `ignore_stale_grad` is False.
        DeferredInitializationError
            The shape of a parameter is still unknown, because the network was not called yet.
        """
        self._optimizer.rescale_grad = self._scale / batch_size
        self._begin()
        if self._params_to_init:
            self._expect_shapes()
        if self._update_on_kvstore:
            self._update_in_store(ignore_stale_grad)
        else:
            self._allreduce_grads()
            self._update(ignore_stale_grad)

    def allreduce_grads(self) -> None:
        """Replace the gradients of all contexts and workers by their sum.

        `step` includes this; call it to modify gradients before `update`, as in gradient clipping.

        Raises
        ------
        AssertionError
            The store updates the parameters; pass ``update_on_kvstore=False``.
        """
        self._begin()
        if self._params_to_init:
            self._expect_shapes()
        self._expect_own_updates("allreduce_grads")
        self._allreduce_grads()

    def _expect_own_updates(self, method: str) -> None:
        assert not self._update_on_kvstore, (
            f"{method}() when parameters are updated on kvstore is not supported. Try setting "
            "`update_on_kvstore` to False when creating trainer."
        )

    def update(self, batch_size: float, ignore_stale_grad: bool = False) -> None:
        """Update all parameters; use it after `allreduce_grads` instead of `step`.

        Parameters
        ----------
        batch_size : int
        ignore_stale_grad : bool, default False
            As in `step`.

        Raises
        ------
        AssertionError
            The store updates the parameters; pass ``update_on_kvstore=False``.
        """
        self._begin()
        if self._params_to_init:
            self._expect_shapes()
        self._expect_own_updates("update")
        self._optimizer.rescale_grad = self._scale / batch_size
        self._update(ignore_stale_grad)

    def _update_in_store(self, ignore_stale_grad: bool) -> None:
        """Push the gradients to a store that updates the parameters, and pull the results."""
        assert self._kvstore is not None
        if self._amp_loss_scaler is not None and self._amp_loss_scaler.has_overflow(self._params):
            return  # gradients of a scaled loss are not finite: skip the step
        trained = [p for p in self._params if p.grad_req != "null"]
        stale: set[int] = set()
        for param in trained:
            flags = [tape.is_fresh(value) for value in param._values()]
            if not ignore_stale_grad and not all(flags):
                raise _stale(param, param._values()[flags.index(False)])
            # In distributed training, other workers may have used it and wait for this one.
            if not any(flags) and self._kvstore.num_workers == 1:
                stale.add(id(param))
        self._allreduce_grads(stale)
        for param in trained:
            for value in param._values():
                tape.set_fresh(value, False)

    def _update(self, ignore_stale_grad: bool) -> None:
        if self._amp_loss_scaler is not None and self._amp_loss_scaler.has_overflow(self._params):
            return  # as above
        # Arguments of each updater: indices, gradients and values on its context.
        work: list[tuple[list[int], list[NDArray], list[NDArray]]] = [
            ([], [], []) for _ in self._updaters
        ]
        for index, param in enumerate(self._params):
            if param.grad_req == "null":
                continue
            gradients = self._gradients_of(index)
            for position, value in enumerate(param._values()):
                if tape.is_fresh(value):
                    indices, of_values, values = work[position]
                    indices.append(index)
                    of_values.append(gradients[position])
                    values.append(value)
                elif not ignore_stale_grad:
                    raise _stale(param, value)
        with autograd.pause():
            for position, (indices, of_values, values) in enumerate(work):
                self._update_copies(position, indices, of_values, values)

    def _update_copies(
        self, position: int, indices: list[int], gradients: list[NDArray], values: list[NDArray]
    ) -> None:
        """Update the copies of parameters on one context."""
        self._updaters[position](indices, gradients, values)
        for value in values:
            tape.set_fresh(value, False)

    def _gradients_of(self, index: int) -> list[NDArray]:
        """Return the gradients of a parameter for the update, one per context."""
        return self._params[index].list_grad()

    def save_states(self, fname: str, pickled: bool = False) -> None:
        """Save the optimizer and its states, such as momenta, to a file.

        Parameters
        ----------
        fname : str
            Replaced atomically.
        pickled : bool, default False
            Write MXNet's format, a pickle that MXNet 1.x reads, instead of safetensors.

        Raises
        ------
        AssertionError
            The store updates the parameters and does not have all of them yet.
        TypeError
            A state or setting is an object that the format cannot hold.
        ValueError
            `pickled` is True, and each of several contexts has its own states.
        """
        self._begin()
        if self._update_on_kvstore:
            assert self._kvstore is not None
            assert not self._params_to_init, (
                "Cannot save trainer states when some parameters are not yet initialized in "
                "kvstore."
            )
            choice = {"pickled": True} if pickled else {}  # stores of a program may not have it
            self._kvstore.save_optimizer_states(fname, dump_optimizer=True, **choice)
            return
        # A store sums the gradients, so that all contexts have the same states.
        updaters = self._updaters if self._kvstore is None else self._updaters[:1]
        content = saved_content(updaters, dump_optimizer=True, pickled=pickled)
        with replacing(fname) as file:
            file.write(content)

    def load_states(self, fname: str, trusted: bool = False) -> None:
        """Load a file of `save_states`, of opforge or MXNet 1.x.

        Parameters
        ----------
        fname : str
        trusted : bool, default False
            Allow all classes and functions that a pickle names; it may then run arbitrary code.

        Raises
        ------
        StatesError
            The file refers to other classes or functions, is damaged, or does not fit the
            parameters; the trainer is unchanged. It is an `OpforgeError` and a
            `pickle.UnpicklingError`.
        """
        self._begin()
        if self._update_on_kvstore:
            store: Any = self._kvstore
            store.load_optimizer_states(fname, trusted)
            self._optimizer = store._updater.optimizer
        else:
            with open_file(fname, "rb") as file:
                content = file.read()
            weights = {
                index: param._data[0] if param._data else None
                for index, param in enumerate(self._params)
            }
            restore_states(self._updaters, content, trusted, weights)
            if self._updaters:
                self._optimizer = self._updaters[0].optimizer
        self._optimizer.param_dict = dict(enumerate(self._params))


def _parameter_list(params: Any) -> list[Parameter]:
    if isinstance(params, Block):
        params = params.collect_params()
    if isinstance(params, Mapping | ParameterDict):
        params = [params[key] for key in sorted(params.keys())]
    if not isinstance(params, list | tuple):
        raise ValueError(
            f"First argument must be a block, or a list or dict of Parameters, got {type(params)}."
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
