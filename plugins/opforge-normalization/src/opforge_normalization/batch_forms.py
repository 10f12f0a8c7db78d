"""Variants of BatchNorm: BatchNormWithReLU, and BatchNorm_v1 of MXNet's first version."""

from typing import Any

from opforge.plugin_api import Attribute

from .batch_norm import BatchNorm


class _Variant(BatchNorm):
    """Base class of operators that are composed of BatchNorm."""

    outputs = ("output", "mean", "var")
    blocked = False

    def list_outputs(self) -> list[str]:
        """Return the names of the outputs; mean and variance only with `output_mean_var`."""
        return list(self.outputs) if self.output_mean_var else ["output"]

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shapes that BatchNorm infers, for the requested outputs."""
        inputs, outputs, states = super().infer_shape(in_shape)
        return inputs, outputs[: len(self.list_outputs())], states

    def infer_type(self, in_type: Any) -> Any:
        """Return the dtypes that BatchNorm infers, for the requested outputs."""
        inputs, outputs, states = super().infer_type(in_type)
        return inputs, outputs[: len(self.list_outputs())], states

    def blocked_form(self, inputs: Any, needs_gradient: bool) -> None:
        """Return None: graphs contain the BatchNorm that this operator calls, which is blocked."""

    def compose(
        self, F: Any, data: Any, gamma: Any, beta: Any, moving_mean: Any, moving_var: Any
    ) -> Any:
        """Call BatchNorm."""
        found = F.BatchNorm(
            *(data, gamma, beta, moving_mean, moving_var),
            eps=self.eps,
            momentum=self.momentum,
            fix_gamma=self.fix_gamma,
            use_global_stats=self.use_global_stats,
            output_mean_var=self.output_mean_var,
            axis=self.axis,
        )
        if not self.output_mean_var:
            return self._activate(F, found)
        output, mean, inverse = found
        return [self._activate(F, output), mean, self._reported_var(F, inverse)]

    def _activate(self, F: Any, output: Any) -> Any:
        return output

    def _reported_var(self, F: Any, inverse: Any) -> Any:
        return inverse


class BatchNormWithReLU(_Variant):
    """BatchNorm followed by ReLU.

    Examples
    --------
    >>> from opforge import nd
    >>> x = nd.array([[1, -10], [-3, 30]])
    >>> ones, zeros = nd.ones((2,)), nd.zeros((2,))
    >>> print(nd.contrib.BatchNormWithReLU(x, ones, zeros, zeros, ones).asnumpy().round(1))
    [[ 1.  0.]
     [ 0. 30.]]
    """

    name = "_contrib_BatchNormWithReLU"
    min_calib_range = Attribute(
        float, default=None, optional=True, doc="Ignored; MXNet uses it in quantized graphs."
    )
    max_calib_range = Attribute(
        float, default=None, optional=True, doc="Ignored; MXNet uses it in quantized graphs."
    )

    def _activate(self, F: Any, output: Any) -> Any:
        return F.maximum(output, 0)


class BatchNormV1(_Variant):
    """BatchNorm of axis 1 as in MXNet's first version, which returns the variance itself.

    Examples
    --------
    >>> from opforge import nd
    >>> x = nd.array([[1, 10], [3, 30]])
    >>> ones, zeros = nd.ones((2,)), nd.zeros((2,))
    >>> print(nd.BatchNorm_v1(x, ones, zeros, zeros, ones).asnumpy().round(2))  # moving statistics
    [[ 1.   10.  ]
     [ 3.   29.99]]
    """

    name = "BatchNorm_v1"
    output_mean_var = Attribute(bool, default=False, doc="Return mean and variance as well.")
    axis = 1
    cudnn_off = None

    def _reported_var(self, F: Any, inverse: Any) -> Any:
        return F.maximum(1 / F.square(inverse) - self.eps, 0)
