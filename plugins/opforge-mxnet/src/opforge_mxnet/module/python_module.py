"""Modules whose computation is Python: `PythonModule`, and `PythonLossModule` for losses."""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from opforge import ndarray as nd
from opforge.ndarray import NDArray

from .base_module import BaseModule
from .inputs import describe_data, describe_labels
from .loops import DEFAULT_INITIALIZER

__all__ = ["PythonLossModule", "PythonModule"]


class PythonModule(BaseModule):
    """Base of modules without parameters that are written in Python.

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
        """Names and shapes of the labels; None where it was bound without."""
        return self._label_shapes

    @property
    def output_shapes(self) -> Any:
        """Names and shapes of the outputs."""
        return self._output_shapes

    def get_params(self) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
        """Return two empty dicts."""
        return {}, {}

    def init_params(
        self,
        initializer: Any = DEFAULT_INITIALIZER,
        arg_params: Mapping[str, NDArray] | None = None,
        aux_params: Mapping[str, NDArray] | None = None,
        allow_missing: bool = False,
        force_init: bool = False,
        allow_extra: bool = False,
    ) -> None:
        """Do nothing: there are no parameters."""
        self.params_initialized = True

    def init_optimizer(
        self,
        kvstore: Any = "local",
        optimizer: Any = "sgd",
        optimizer_params: Any = (("learning_rate", 0.01),),
        force_init: bool = False,
    ) -> None:
        """Do nothing: there are no parameters."""
        self.optimizer_initialized = True

    def update(self) -> None:
        """Do nothing: there are no parameters."""

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Let a metric take in the outputs, where the module was bound with labels."""
        if self._label_shapes is None:
            return
        if pre_sliced:
            raise RuntimeError(f"{type(self).__name__}: labels must come as one list, not sliced")
        eval_metric.update(labels, self.get_outputs())

    def bind(
        self,
        data_shapes: Any,
        label_shapes: Any = None,
        for_training: bool = True,
        inputs_need_grad: bool = False,
        force_rebind: bool = False,
        shared_module: BaseModule | None = None,
        grad_req: Any = "write",
    ) -> None:
        """Note the shapes and compute those of the outputs; see `Module.bind`.

        Raises
        ------
        ValueError
            Names of data are not those of the module.
        """
        if self.binded and not force_rebind:
            self.logger.warning("Already bound, ignoring bind()")
            return
        assert grad_req == "write", f"{type(self).__name__}: grad_req must be 'write'"
        self._data_shapes = describe_data(self._data_names, data_shapes)
        self._label_shapes = describe_labels(self._label_names, label_shapes)
        self.for_training, self.inputs_need_grad = for_training, inputs_need_grad
        self._output_shapes = self._compute_output_shapes()
        self.binded = True

    def _compute_output_shapes(self) -> Any:
        """Return names and shapes of the outputs from `_data_shapes` and `_label_shapes`."""
        raise self._undefined("_compute_output_shapes()")


class PythonLossModule(PythonModule):
    """A loss in Python: its output is what it gets, its gradient what a function says.

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
        """Return that the output has the shape of the data."""
        return [(self._output_names[0], self._data_shapes[0].shape)]

    def forward(self, data_batch: Any, is_train: bool | None = None) -> None:
        """Take the scores, and in training the labels, of a batch."""
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
        """Do nothing: there is no graph to look into."""
