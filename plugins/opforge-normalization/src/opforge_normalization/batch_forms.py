"""Other forms of BatchNorm: the first one, and followed by relu."""

from typing import Any

from opforge.plugin_api import Attribute

from .batch_norm import BatchNorm


class _Form(BatchNorm):
    """Base class of operators that call BatchNorm."""

    outputs = ("output", "mean", "var")
    blocked = False

    def list_outputs(self) -> list[str]:
        """Return the names; the statistics are there on request."""
        return list(self.outputs) if self.output_mean_var else ["output"]

    def infer_shape(self, in_shape: Any) -> Any:
        """Return what BatchNorm does, as far as it is asked for."""
        inputs, outputs, states = super().infer_shape(in_shape)
        return inputs, outputs[: len(self.list_outputs())], states

    def infer_type(self, in_type: Any) -> Any:
        """Return what BatchNorm does, as far as it is asked for."""
        inputs, outputs, states = super().infer_type(in_type)
        return inputs, outputs[: len(self.list_outputs())], states

    def blocked_form(self, inputs: Any, needs_gradient: bool) -> None:
        """Return None: graphs see the BatchNorm that is called."""

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
            return self._finished(F, found)
        output, mean, inverse = found
        return [self._finished(F, output), mean, self._shown(F, inverse)]

    def _finished(self, F: Any, output: Any) -> Any:
        return output

    def _shown(self, F: Any, inverse: Any) -> Any:
        return inverse


class BatchNormWithReLU(_Form):
    """BatchNorm, and 0 for what is negative then."""

    name = "_contrib_BatchNormWithReLU"
    min_calib_range = Attribute(
        float, default=None, optional=True, doc="Accepted for MXNet's sake: of quantised graphs."
    )
    max_calib_range = Attribute(
        float, default=None, optional=True, doc="Accepted for MXNet's sake: of quantised graphs."
    )

    def _finished(self, F: Any, output: Any) -> Any:
        return F.maximum(output, 0)


class BatchNormV1(_Form):
    """BatchNorm of axis 1 as it was first, which shows the variance itself."""

    name = "BatchNorm_v1"
    output_mean_var = Attribute(bool, default=False, doc="Return mean and variance as well.")
    axis = 1
    cudnn_off = None

    def _shown(self, F: Any, inverse: Any) -> Any:
        return F.maximum(1 / F.square(inverse) - self.eps, 0)


OPERATORS = (BatchNormWithReLU, BatchNormV1)
