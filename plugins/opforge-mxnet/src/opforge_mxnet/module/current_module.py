"""`CurrentModule`: base of modules that delegate to the current one of several."""

from typing import Any

from opforge.ndarray import NDArray
from opforge.symbol import Symbol

from .composite_module import CompositeModule
from .module import Module

__all__ = ["CurrentModule"]


class CurrentModule(CompositeModule):
    """Module that delegates everything about the last batch to `_curr_module`."""

    _curr_module: Module

    @property
    def symbol(self) -> Symbol:
        """The symbol of the current module."""
        return self._curr_module.symbol

    @property
    def data_names(self) -> list[str]:
        """Names of the data of the current module."""
        return self._curr_module.data_names

    @property
    def output_names(self) -> list[str]:
        """Names of the outputs of the current module."""
        return self._curr_module.output_names

    @property
    def data_shapes(self) -> Any:
        """Names and shapes of the data of the current module."""
        return self._curr_module.data_shapes

    @property
    def label_shapes(self) -> Any:
        """Names and shapes of the labels of the current module."""
        return self._curr_module.label_shapes

    @property
    def output_shapes(self) -> Any:
        """Names and shapes of the outputs of the current module."""
        return self._curr_module.output_shapes

    def get_states(self, merge_multi_context: bool = True) -> list[list[NDArray]]:
        """Return the states of the current module; see `Module.get_states`."""
        return self._curr_module.get_states(merge_multi_context)

    def set_states(self, states: Any = None, value: Any = None) -> None:
        """Set the states of the current module; see `Module.set_states`."""
        self._curr_module.set_states(states, value)

    def backward(self, out_grads: Any = None) -> None:
        """Compute the gradients for the last batch; see `Module.backward`."""
        self._curr_module.backward(out_grads)

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Update a metric with the last outputs; see `Module.update_metric`."""
        self._curr_module.update_metric(eval_metric, labels, pre_sliced)

    def get_outputs(self, merge_multi_context: bool = True) -> Any:
        """Return the outputs for the last batch; see `Module.get_outputs`."""
        return self._curr_module.get_outputs(merge_multi_context)

    def get_input_grads(self, merge_multi_context: bool = True) -> Any:
        """Return the gradients of the data of the last batch; see `Module.get_input_grads`."""
        return self._curr_module.get_input_grads(merge_multi_context)
