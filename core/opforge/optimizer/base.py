"""`Optimizer`: settings, multipliers and update counts common to all optimizers."""

import inspect
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from ..base.dtypes import is_half
from ..base.numpy_semantics import is_np_array
from ..base.spelling import close_names
from ..ndarray import NDArray
from ..op.registry.named import NameRegistry
from ..symbol.variable_attributes import declared_factor
from .row_sparse import dense_weight

__all__ = ["Optimizer", "create", "register"]

Arrays = Sequence[NDArray]


class Optimizer:
    """Base class of optimizers; subclasses define `create_state` and `update`.

    Parameters
    ----------
    rescale_grad : float, default 1.0
        Factor of every gradient; `gluon.Trainer` sets it to 1 / batch size.
    param_idx2name : dict of int to str, optional
        Names of the weights, for multipliers by name. If given, weights whose name ends with
        neither ``_weight`` nor ``_gamma`` have no weight decay.
    wd : float, default 0.0
        Weight decay.
    clip_gradient : float, optional
        Gradients are clipped to [-clip_gradient, clip_gradient] after rescaling.
    learning_rate : float, default 0.01
        If not given, the scheduler's `base_lr` applies.
    lr_scheduler : LRScheduler, optional
        Learning rate as a function of the number of updates.
    sym : Symbol, optional
        Network whose variables' ``__lr_mult__`` and ``__wd_mult__`` apply.
    begin_num_update : int, default 0
        Initial update count.
    multi_precision : bool, default False
        Update float16 and bfloat16 weights through a float32 copy.
    param_dict : dict of int to gluon.Parameter, optional
        Parameters, whose multipliers apply.
    """

    #: Methods that return the learning rate and the weight decay of each weight of a list, with the
    #: multipliers.
    learning_rates: Any
    weight_decays: Any
    #: Number of weights that MXNet's optimizer updates in one call, which programs read; opforge's
    #: update all that they are given.
    aggregate_num: int = 0
    #: True if the state of a 16-bit weight ends with its float32 copy instead of starting with it,
    #: as in MXNet, whose saved states can be read.
    _copy_is_last: ClassVar[bool] = False

    def __init__(
        self,
        rescale_grad: float = 1.0,
        param_idx2name: Mapping[int, str] | None = None,
        wd: float = 0.0,
        clip_gradient: float | None = None,
        learning_rate: float | None = None,
        lr_scheduler: Any = None,
        sym: Any = None,
        begin_num_update: int = 0,
        multi_precision: bool = False,
        param_dict: Mapping[int, Any] | None = None,
        **unknown: Any,
    ) -> None:
        if unknown:
            raise TypeError(_unknown_settings(type(self), unknown))
        self.rescale_grad = rescale_grad
        self.lr_scheduler = lr_scheduler
        if lr_scheduler is None:
            learning_rate = 0.01 if learning_rate is None else learning_rate
        elif learning_rate is not None and lr_scheduler.base_lr != learning_rate:
            warnings.warn(
                "learning rate from ``lr_scheduler`` has been overwritten by ``learning_rate`` "
                f"in optimizer: base_lr was {lr_scheduler.base_lr} and is {learning_rate} now. "
                "Pass learning_rate=scheduler.base_lr to keep the scheduler's.",
                stacklevel=3,
            )
            lr_scheduler.base_lr = learning_rate
        self.lr: Any = learning_rate
        self.wd = wd
        self.clip_gradient = clip_gradient
        self.multi_precision = multi_precision
        self.allow_np_array = is_np_array()
        self.begin_num_update = begin_num_update
        self.num_update = begin_num_update
        self._all_index_update_counts: dict[int, dict[Any, int]] = {0: {}}
        self._index_update_count = self._all_index_update_counts[0]
        self.idx2name = dict(param_idx2name or {})
        self.sym_info = (sym.attr_dict(), sym.list_arguments()) if sym is not None else ()
        self.param_dict: Mapping[Any, Any] = param_dict or {}
        self.lr_mult: dict[Any, float] = {}
        self.wd_mult: dict[Any, float] = {}
        self.set_lr_mult({})
        self.set_wd_mult({})

    # -- the rule -----------------------------------------------------------------------------

    @property
    def keeps_gradients(self) -> bool:
        """True if updates leave gradients unchanged, so that they may share memory."""
        return False

    def create_state(self, index: Any, weight: NDArray) -> Any:
        """Return the state of one weight: None, an array, or a tuple of arrays."""
        return None

    def update(self, index: Any, weight: NDArray, grad: NDArray, state: Any) -> None:
        """Update `weight` and `state` in place; every optimizer defines it.

        Parameters
        ----------
        index : int or str
            Index of the weight, for its multipliers.
        weight, grad : NDArray
        state
            Result of `create_state` for this weight.
        """
        raise NotImplementedError(f"{type(self).__name__} must define update()")

    def create_state_multi_precision(self, index: Any, weight: NDArray) -> Any:
        """Return the state of one weight, with a float32 copy if `multi_precision` asks for one."""
        weight = dense_weight(weight)
        if is_half(weight.dtype_code):
            if self.multi_precision:
                master = weight.astype(np.float32)
                return self._in_order(master, self.create_state(index, master))
            warnings.warn(
                f"Accumulating with {weight.dtype.__name__} in optimizer can lead to poor accuracy "
                "or slow convergence. Consider using multi_precision=True option of the optimizer",
                stacklevel=2,
            )
        return self.create_state(index, weight)

    def update_multi_precision(
        self, index: Any, weight: NDArray, grad: NDArray, state: Any
    ) -> None:
        """Update `weight`, through its float32 copy if the state has one."""
        weight = dense_weight(weight)
        if self.multi_precision and is_half(weight.dtype_code):
            master, inner = self._in_order(*state)
            self.update(index, master, grad.astype(np.float32), inner)
            weight[:] = master
        else:
            self.update(index, weight, grad, state)

    def _in_order(self, first: Any, second: Any) -> tuple[Any, Any]:
        """Swap copy and state between the order of this class and that of the stored state."""
        return (second, first) if self._copy_is_last else (first, second)

    def update_weights(
        self, indices: Sequence[Any], weights: Arrays, grads: Arrays, states: Sequence[Any]
    ) -> None:
        """Update several weights of one device, given as parallel lists.

        Parameters
        ----------
        indices : list of int or str
        weights, grads : list of NDArray
        states : list
            Results of `create_state_multi_precision` for each weight.
        """
        for one in zip(indices, weights, grads, states, strict=True):
            self.update_multi_precision(*one)

    # -- rates and counts ---------------------------------------------------------------------

    @property
    def learning_rate(self) -> Any:
        """Current learning rate, without multipliers."""
        return self.lr if self.lr_scheduler is None else self.lr_scheduler(self.num_update)

    def set_learning_rate(self, lr: float) -> None:
        """Set the learning rate.

        Raises
        ------
        UserWarning
            The optimizer has a scheduler, which determines the learning rate.
        """
        if self.lr_scheduler is not None:
            raise UserWarning(
                "LRScheduler of the optimizer has already been defined. Note that "
                "set_learning_rate can mutate the value of the learning rate of the optimizer "
                "only when the LRScheduler of the optimizer is undefined."
            )
        self.lr = lr

    def set_lr_mult(self, args_lr_mult: Mapping[Any, float]) -> None:
        """Replace the learning-rate multipliers, by index or name.

        Parameters
        ----------
        args_lr_mult : dict of (int or str) to float
        """
        self.lr_mult = self._declared_multipliers("__lr_mult__") | dict(args_lr_mult)

    def set_wd_mult(self, args_wd_mult: Mapping[Any, float]) -> None:
        """Replace the weight-decay multipliers, by index or name.

        Parameters
        ----------
        args_wd_mult : dict of (int or str) to float
        """
        undecayed = (n for n in self.idx2name.values() if not n.endswith(("_weight", "_gamma")))
        factors: dict[Any, float] = dict.fromkeys(undecayed, 0.0)
        self.wd_mult = factors | self._declared_multipliers("__wd_mult__") | dict(args_wd_mult)

    def _declared_multipliers(self, key: str) -> dict[Any, float]:
        if not self.sym_info:
            return {}
        attributes, names = self.sym_info
        given = {n: attributes[n][key] for n in names if key in attributes.get(n, {})}
        return {name: declared_factor(name, key, text) for name, text in given.items()}

    def _factors(self, indices: Iterable[Any], attribute: str) -> list[float]:
        params, factors = self.param_dict, getattr(self, attribute)
        result: list[float] = []
        for index in indices:
            param = params.get(index)
            if param is not None:
                result.append(getattr(param, attribute))
            elif index in factors:
                result.append(factors[index])
            else:
                result.append(factors.get(self.idx2name.get(index), 1.0))
        return result

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Choose the method that programs for MXNet override: of one weight before that of all."""
        super().__init_subclass__(**kwargs)
        for_one = cls._get_lr is not Optimizer._get_lr, cls._get_wd is not Optimizer._get_wd
        cls.learning_rates = Optimizer._each_lr if for_one[0] else cls._get_lrs
        cls.weight_decays = Optimizer._each_wd if for_one[1] else cls._get_wds

    def _each_lr(self, indices: Sequence[Any]) -> list[float]:
        return [self._get_lr(index) for index in indices]

    def _each_wd(self, indices: Sequence[Any]) -> list[float]:
        return [self._get_wd(index) for index in indices]

    def _get_lr(self, index: Any) -> float:
        return self._get_lrs([index])[0]

    def _get_lrs(self, indices: Iterable[Any]) -> list[float]:
        rate = self.learning_rate
        return [float(rate * factor) for factor in self._factors(indices, "lr_mult")]

    def _get_wd(self, index: Any) -> float:
        return self._get_wds([index])[0]

    def _get_wds(self, indices: Sequence[Any]) -> list[float]:
        wd = self.wd
        if not wd:
            return [0.0] * len(indices)
        return [wd * factor for factor in self._factors(indices, "wd_mult")]

    def _set_current_context(self, device_id: int) -> None:
        """Use the counts of this device: each copy of a weight is updated once per step."""
        self._index_update_count = self._all_index_update_counts.setdefault(device_id, {})

    def _update_count(self, index: Any) -> None:
        counts, latest = self._index_update_count, self.num_update
        for one in index if isinstance(index, list | tuple) else (index,):
            count = counts.get(one, self.begin_num_update) + 1
            counts[one] = count
            if count > latest:
                latest = count
        self.num_update = latest

    def _expect_updates(self, indices: Iterable[Any]) -> None:
        """Count the next step of these weights in advance, so that all use the same rate."""
        counts, begin = self._index_update_count, self.begin_num_update
        next_counts = (counts.get(index, begin) + 1 for index in indices)
        self.num_update = max(self.num_update, *next_counts)

    def _count_from(self, counts: dict[int, dict[Any, int]]) -> None:
        """Restore the update counts of each weight, by device."""
        self._all_index_update_counts = counts
        self._index_update_count = _of_first_device(counts)
        self.num_update = max(
            (count for each in counts.values() for count in each.values()), default=self.num_update
        )

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        del state["param_dict"]  # owned by the network; the trainer sets it again
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.param_dict = {}
        self._index_update_count = _of_first_device(self._all_index_update_counts)

    def to_save(self) -> "Optimizer":
        """Return the optimizer whose attributes are saved with states: that in a wrapper."""
        return self

    def of_saved(self, optimizer: "Optimizer") -> "Optimizer":
        """Return the optimizer to continue with, after `optimizer` was loaded; a wrapper wraps it.

        Parameters
        ----------
        optimizer : Optimizer
            As returned by `to_save`.
        """
        return optimizer

    @staticmethod
    def register(klass: "type[Optimizer]") -> "type[Optimizer]":
        """Register a class under its lower-case name; usable as a decorator."""
        return _registry.register(klass)

    @staticmethod
    def create_optimizer(name: Any, **kwargs: Any) -> "Optimizer":
        """Return an optimizer by name; see `create`."""
        return create(name, **kwargs)


def _of_first_device(counts: dict[int, dict[Any, int]]) -> dict[Any, int]:
    return counts[0] if 0 in counts else next(iter(counts.values()))


_registry: NameRegistry[Optimizer] = NameRegistry(Optimizer, "optimizer")


def register(klass: type[Optimizer]) -> type[Optimizer]:
    """Register a class under its lower-case name; usable as a decorator."""
    return _registry.register(klass)


def registered_class(name: str) -> Any:
    """Return the class or factory that is registered under a name; None if there is none."""
    return _registry.find(name) if name.lower() in _registry.names() else None


def create(name: Any, **kwargs: Any) -> Optimizer:
    """Return the optimizer with this name.

    Parameters
    ----------
    name : str or Optimizer
        Case-insensitive; an instance is returned unchanged.
    **kwargs
        Settings of the optimizer.

    Raises
    ------
    ValueError
        No optimizer has this name.

    Examples
    --------
    >>> create("sgd", learning_rate=0.5).learning_rate
    0.5
    """
    return _registry.create(name, **kwargs)


#: PyTorch's names of settings -> MXNet's.
_OTHER_SETTINGS = {
    "alpha": "gamma1",
    "amsgrad": "",
    "betas": "beta1 and beta2",
    "eps": "epsilon",
    "lr": "learning_rate",
    "nesterov": "",
    "weight_decay": "wd",
}


def _unknown_settings(kind: type, unknown: Mapping[str, Any]) -> str:
    """Return the error message for unknown settings."""
    known = {
        name
        for cls in kind.__mro__
        if issubclass(cls, Optimizer)
        for name in inspect.signature(cls).parameters
        if name not in ("args", "kwargs", "unknown")
    }
    words = []
    for name in unknown:
        close = [_OTHER_SETTINGS[name]] if name in _OTHER_SETTINGS else close_names(name, known, 1)
        words.append(repr(name) + "".join(f" (it is called {text} here)" for text in close if text))
    return (
        f"{kind.__name__} got unexpected arguments: {', '.join(words)}; expected a subset of "
        f"{', '.join(sorted(known))}"
    )
