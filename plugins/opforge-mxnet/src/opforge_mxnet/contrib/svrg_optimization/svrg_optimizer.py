"""Optimizers of `SVRGModule`: a wrapper that lets a key-value store keep full gradients, too."""

import inspect
from typing import Any

from opforge import optimizer as opt
from opforge.ndarray import NDArray

__all__: list[str] = []

#: End of the keys and names under which a store keeps the gradients of all data.
FULL = "_full"


@opt.register
class _AssignmentOptimizer(opt.Optimizer):
    """Optimizer that sets weights to their gradients."""

    def update(self, index: Any, weight: NDArray, grad: NDArray, state: Any) -> None:
        """Set the weight to the gradient."""
        weight[:] = grad


@opt.register
class _SVRGOptimizer(opt.Optimizer):
    """Optimizer that updates parameters with another one, and only stores full gradients.

    Parameters
    ----------
    default_optimizer : str or Optimizer
        Optimizer of the parameters.
    **kwargs
        Settings of the optimizer that is created if `default_optimizer` is a name. Those of
        `Optimizer` also apply to this one.
    """

    def __init__(self, default_optimizer: Any, **kwargs: Any) -> None:
        super().__init__(**self._check_params(**kwargs))
        if isinstance(default_optimizer, str):
            default_optimizer = opt.create(default_optimizer, **kwargs)
        self.default_opt: opt.Optimizer = default_optimizer
        self.aux_opt = opt.create(_AssignmentOptimizer.__name__)

    @staticmethod
    def _check_params(**kwargs: Any) -> dict[str, Any]:
        """Return the settings that every optimizer has."""
        common = inspect.signature(opt.Optimizer).parameters
        return {name: value for name, value in kwargs.items() if name in common}

    def create_state(self, index: Any, weight: NDArray) -> Any:
        """Return the state of a weight; full gradients have none."""
        return self._optimizer_of(index).create_state(index, weight)

    def update(self, index: Any, weight: NDArray, grad: NDArray, state: Any) -> None:
        """Update a parameter, or store a full gradient."""
        self._optimizer_of(index).update(index, weight, grad, state)

    def _optimizer_of(self, index: Any) -> Any:
        name = self._check_index(index)
        return self.aux_opt if "full" in name else self.default_opt

    def _check_index(self, index: Any) -> Any:
        """Return the name for the index of a weight, which may be the name."""
        return index if index in self.idx2name.values() else self.idx2name[index]

    # -- saved states -------------------------------------------------------------------------

    def to_save(self) -> opt.Optimizer:
        """Return the optimizer of the parameters."""
        return self.default_opt

    def of_saved(self, optimizer: opt.Optimizer) -> "_SVRGOptimizer":
        """Wrap an optimizer that was loaded."""
        rescale_grad = self.rescale_grad
        return _SVRGOptimizer(optimizer, param_idx2name=self.idx2name, rescale_grad=rescale_grad)

    def _count_from(self, counts: dict[int, dict[Any, int]]) -> None:
        self.default_opt._count_from(counts)
