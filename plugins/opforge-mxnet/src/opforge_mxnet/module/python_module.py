"""Modules written in Python: `PythonModule` and `PythonLossModule`."""

import logging
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from opforge import ndarray as nd
from opforge.ndarray import NDArray

from .base_module import BaseModule
from .inputs import describe_data, describe_labels

__all__ = ["PythonLossModule", "PythonModule"]


class PythonModule(BaseModule):
    """Base class of modules without parameters that are written in Python.

    A subclass defines `forward`, `backward`, `get_outputs`, `get_input_grads` and
    `_compute_output_shapes`.

    Parameters
    ----------
    data_names : list of str
    label_names : list of str or None
    output_names : list of str
    logger : logging.Logger or module logging
    """

    def __init__(
        self,
        data_names: Sequence[str],
        label_names: Sequence[str] | None,
        output_names: Sequence[str],
        logger: Any = logging,
    ) -> None:
        super().__init__(logger)
        self._data_names = list(data_names)
        self._label_names = list(label_names or ())
        self._output_names = list(output_names)
        self._data_shapes: Any = None
        self._label_shapes: Any = None
        self._output_shapes: Any = None

    @property
    def data_names(self) -> list[str]:
        """Names of the data."""
        return self._data_names

    @property
    def output_names(self) -> list[str]:
        """Names of the outputs."""
        return self._output_names

    @property
    def data_shapes(self) -> Any:
        """Names and shapes of the data."""
        return self._data_shapes

    @property
    def label_shapes(self) -> Any:
        """Names and shapes of the labels; None if bound without labels."""
        return self._label_shapes

    @property
    def output_shapes(self) -> Any:
        """Names and shapes of the outputs."""
        return self._output_shapes

    def get_params(self) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
        """Return two empty dicts."""
        return {}, {}

    def _init_params(self, *args: Any) -> None:
        """Do nothing: there are no parameters."""
        self.params_initialized = True

    def _init_optimizer(self, *args: Any) -> None:
        """Do nothing: there are no parameters."""
        self.optimizer_initialized = True

    def update(self) -> None:
        """Do nothing: there are no parameters."""

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Update a metric with the outputs if the module was bound with labels."""
        if self._label_shapes is None:
            return
        if pre_sliced:
            raise RuntimeError(f"{type(self).__name__}: labels must come as one list, not sliced")
        eval_metric.update(labels, self.get_outputs())

    def _bind(
        self, data_shapes: Any, label_shapes: Any, rebinds: bool, shared_module: Any, grad_req: Any
    ) -> None:
        assert grad_req == "write", f"{type(self).__name__}: grad_req must be 'write'"
        self._data_shapes = describe_data(self._data_names, data_shapes)
        self._label_shapes = describe_labels(self._label_names, label_shapes)
        self._output_shapes = self._compute_output_shapes()
        self.binded = True

    def _compute_output_shapes(self) -> Any:
        """Return names and shapes of the outputs from `_data_shapes` and `_label_shapes`."""
        raise self._undefined("_compute_output_shapes()")


class PythonLossModule(PythonModule):
    """Loss in Python: the output is the input, and a function computes the gradient.

    Parameters
    ----------
    name : str, default "pyloss"
    data_names, label_names : list of one str
    logger : logging.Logger or module logging
    grad_func : callable, optional
        ``grad_func(scores, labels)`` returns the gradient of the scores, an NDArray or array_like;
        without it a subclass defines `_backward_impl`, which sets `_scores_grad`.
    """

    def __init__(
        self,
        name: str = "pyloss",
        data_names: Sequence[str] = ("data",),
        label_names: Sequence[str] = ("softmax_label",),
        logger: Any = logging,
        grad_func: Callable[[NDArray, NDArray], Any] | None = None,
    ) -> None:
        super().__init__(data_names, label_names, [f"{name}_output"], logger)
        assert len(data_names) == len(label_names) == 1, (
            f"PythonLossModule: got data {data_names} and labels {label_names}, expected one each"
        )
        assert grad_func is None or callable(grad_func), "grad_func must be a function"
        self._name = name
        self._grad_func = grad_func
        self._scores: Any = None
        self._labels: Any = None
        self._scores_grad: Any = None

    def _compute_output_shapes(self) -> list[tuple[str, tuple[int, ...]]]:
        """Return the shape of the data as that of the output."""
        return [(self._output_names[0], self._data_shapes[0].shape)]

    def forward(self, data_batch: Any, is_train: bool | None = None) -> None:
        """Store the scores and, in training, the labels of a batch."""
        self._scores = data_batch.data[0]
        if self.for_training if is_train is None else is_train:
            self._labels = data_batch.label[0]

    def get_outputs(self, merge_multi_context: bool = True) -> list[NDArray]:
        """Return the scores."""
        assert merge_multi_context, "PythonLossModule: outputs come merged"
        return [self._scores]

    def backward(self, out_grads: Any = None) -> None:
        """Compute the gradient of the scores; a loss takes no gradients of its output."""
        assert out_grads is None, "PythonLossModule is a loss: out_grads must be None"
        self._require("for_training")
        self._backward_impl()

    def _backward_impl(self) -> None:
        """Set `_scores_grad` from `_scores` and `_labels`."""
        if self._grad_func is None:
            raise self._undefined("_backward_impl(), or get grad_func=...")
        grad = self._grad_func(self._scores, self._labels)
        self._scores_grad = grad if isinstance(grad, NDArray) else nd.array(np.asarray(grad))

    def get_input_grads(self, merge_multi_context: bool = True) -> list[NDArray]:
        """Return the gradient of the scores."""
        assert merge_multi_context, "PythonLossModule: gradients come merged"
        return [self._scores_grad]

    def install_monitor(self, mon: Any) -> None:
        """Do nothing: there is no graph to monitor."""
