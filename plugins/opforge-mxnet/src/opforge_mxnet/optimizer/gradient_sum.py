"""`Test`: the optimizer that MXNet's tests of updates use."""

from typing import Any

from opforge import ndarray as nd
from opforge.ndarray import NDArray
from opforge.plugin_api import Optimizer

__all__ = ["Test"]


class Test(Optimizer):
    """Optimizer that adds gradients to weights, and copies the weights to its states.

    Parameters
    ----------
    **kwargs
        See `Optimizer`; all but `rescale_grad` are without effect.
    """

    __test__ = False  # not a class of tests for pytest

    def create_state(self, index: Any, weight: NDArray) -> NDArray:
        """Return zeros in the shape of the weight."""
        return nd.zeros(weight.shape, weight.context)

    def update(self, index: Any, weight: NDArray, grad: NDArray, state: NDArray) -> None:
        """Add ``rescale_grad * grad`` to the weight, and copy the sum to the state."""
        weight[:] += grad * self.rescale_grad
        state[:] = weight
