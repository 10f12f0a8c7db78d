"""`Trainer`: applies an optimizer to the parameters of a network."""

from collections.abc import Mapping, Sequence
from typing import Any

from .. import autograd
from .. import optimizer as opt
from ..base.files import replacing
from ..native.dispatch import tape
from ..ndarray import NDArray
from .parameter import Parameter
from .parameter_dict import ParameterDict
from .trainer_store import StoreTrainer

__all__ = ["Trainer"]


class Trainer(StoreTrainer):
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
        What sums the gradients of several contexts, or of several workers, and gives the first
        one's parameters to all. ``"device"`` and ``"local"`` are nothing for a single context.
        With None the copies of several contexts are left to the program.
    compression_params : dict, optional
        ``{"type": "2bit", "threshold": 0.5}``: how the store sends gradients.
    update_on_kvstore : bool, optional
        Whether the optimizer runs in the store; default: where there is a store and it can. Pass
        False to call `allreduce_grads` and `update` instead of `step`.

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
        super().__init__(_parameter_list(params), kvstore, compression_params, update_on_kvstore)
        self._optimizer = self._make_optimizer(optimizer, optimizer_params or {})
        self._updaters = [opt.get_updater(self._optimizer) for _ in self._contexts]
        self._scale = self._optimizer.rescale_grad
        self._begin_alike()

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Neither copies of parameters nor copies of optimizers keep what refers to each other.
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

    #: What `contrib.amp.init_trainer` sets: a LossScaler, and `_scale` as it was before.
    _amp_loss_scaler: Any = None
    _amp_original_scale = 1.0

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
        self._begin()
        if self._update_on_kvstore:
            self._update_in_store(ignore_stale_grad)
        else:
            self._allreduce_grads()
            self._update(ignore_stale_grad)

    def allreduce_grads(self) -> None:
        """Make the gradients of all contexts, and of all workers, the sum of all.

        `step` does it; call it for what comes between sum and update, as gradient clipping does.

        Raises
        ------
        AssertionError
            The store updates the parameters; pass ``update_on_kvstore=False``.
        """
        self._begin()
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
        self._expect_own_updates("update")
        self._optimizer.rescale_grad = self._scale / batch_size
        self._update(ignore_stale_grad)

    def _update_in_store(self, ignore_stale_grad: bool) -> None:
        """Push the gradients to a store that updates by them, and take what it has then."""
        assert self._kvstore is not None
        if self._amp_loss_scaler is not None and self._amp_loss_scaler.has_overflow(self._params):
            return  # gradients of a scaled loss are not finite: the step is left out
        trained = [p for p in self._params if p.grad_req != "null"]
        stale: set[int] = set()
        for param in trained:
            flags = [tape.is_fresh(value) for value in param._values()]
            if not ignore_stale_grad and not all(flags):
                raise _stale(param, param._values()[flags.index(False)])
            # Other workers may have used it: they wait for this one's part.
            if not any(flags) and self._kvstore.num_workers == 1:
                stale.add(id(param))
        self._allreduce_grads(stale)
        for param in trained:
            for value in param._values():
                tape.set_fresh(value, False)

    def _update(self, ignore_stale_grad: bool) -> None:
        if self._amp_loss_scaler is not None and self._amp_loss_scaler.has_overflow(self._params):
            return  # as above
        # What each updater gets: indices, gradients and values of its context.
        work: list[tuple[list[int], list[NDArray], list[NDArray]]] = [
            ([], [], []) for _ in self._updaters
        ]
        for index, param in enumerate(self._params):
            if param.grad_req == "null":
                continue
            gradients = self._gradients_of(index)
            for place, value in enumerate(param._values()):
                if tape.is_fresh(value):
                    indices, of_values, values = work[place]
                    indices.append(index)
                    of_values.append(gradients[place])
                    values.append(value)
                elif not ignore_stale_grad:
                    raise _stale(param, value)
        with autograd.pause():
            for place, (indices, of_values, values) in enumerate(work):
                self._update_copies(place, indices, of_values, values)

    def _update_copies(
        self, place: int, indices: list[int], gradients: list[NDArray], values: list[NDArray]
    ) -> None:
        """Update the copies of parameters on one context."""
        self._updaters[place](indices, gradients, values)
        for value in values:
            tape.set_fresh(value, False)

    def _gradients_of(self, index: int) -> list[NDArray]:
        """Return the gradients that update a parameter, one for each context."""
        return self._params[index].list_grad()

    def save_states(self, fname: str) -> None:
        """Write the optimizer and its states (momenta and the like) to a file.

        Parameters
        ----------
        fname : str

        Raises
        ------
        AssertionError
            The store updates the parameters, and has not got all of them yet.
        """
        self._begin()
        if self._update_on_kvstore:
            assert self._kvstore is not None
            assert not self._params_to_init, (
                "Cannot save trainer states when some parameters are not yet initialized in "
                "kvstore."
            )
            self._kvstore.save_optimizer_states(fname, dump_optimizer=True)
            return
        with replacing(fname) as file:
            file.write(self._updaters[0].get_states(dump_optimizer=True))

    def load_states(self, fname: str, trusted: bool = False) -> None:
        """Read what `save_states` wrote, here or in MXNet 1.x.

        Parameters
        ----------
        fname : str
            A pickle of arrays, optimizers and schedulers.
        trusted : bool, default False
            Admit other classes and functions too; the file may run any code then.

        Raises
        ------
        pickle.UnpicklingError
            The file names something else.
        """
        self._begin()
        if self._update_on_kvstore:
            store: Any = self._kvstore
            store.load_optimizer_states(fname, trusted)
            self._optimizer = store._updater.optimizer
        else:
            with open(fname, "rb") as file:
                states = file.read()
            for updater in self._updaters:
                updater.set_states(states, trusted)
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
