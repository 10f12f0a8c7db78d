"""BatchNorm: each channel gets mean 0 and variance 1 over the batch."""

from typing import Any

import numpy as np

from opforge.plugin_api import Attribute, CustomOp, OperatorProp, ShapeError, kernels, layouts

from .layer_norm import check_axis


class BatchNormOp(CustomOp):
    """One call: which statistics it used is remembered for backward."""

    def __init__(self, prop: "BatchNorm", axis: int) -> None:
        self._prop = prop
        self._axis = axis
        self._global = True

    def forward(self, is_train: int, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
        """Normalise with the batch's moments, or with the moving averages."""
        data, gamma, beta = in_data
        out, mean, var = out_data
        self._global = not is_train or self._prop.use_global_stats
        if self._global:
            mean[:], var[:] = aux
        else:
            self._measure(data, mean, var)
        scale = None if self._prop.fix_gamma else gamma
        kernels.batch_norm(
            data,
            scale,
            beta,
            mean,
            var,
            out,
            axis=self._axis,
            eps=self._prop.eps,
            req=req[0],
            blocked=self._prop.blocked,
        )
        if self._prop.shows_inverse:
            var[:] = 1 / (var + self._prop.eps).sqrt()

    def _measure(self, data: Any, mean: Any, var: Any) -> None:
        """Write the moments of the batch."""
        channels = (self._axis, data.ndim - 1) if self._prop.blocked else (self._axis,)
        others = tuple(axis for axis in range(data.ndim) if axis not in channels)
        kernels.moments(data, mean, var, others)

    def _moments(self, out_data: Any) -> tuple[Any, Any]:
        """Return mean and variance as forward stored them."""
        _, mean, var = out_data
        return mean, 1 / var.square() - self._prop.eps if self._prop.shows_inverse else var

    def _update_averages(self, aux: Any, moments: Any) -> None:
        """Move the averages towards the batch's moments, unless forward used the averages.

        MXNet does it in backward, too: forward passes in training mode that are not for training
        leave them alone.
        """
        if self._global:
            return
        momentum = self._prop.momentum
        for average, moment in zip(aux, moments, strict=True):
            moved = moment * (1.0 - momentum)
            average[:] = average * momentum + moved.astype(average.dtype, copy=False)

    def backward(
        self, req: Any, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any
    ) -> None:
        """Compute the three gradients, and update the moving averages; a fixed gamma gets zeros."""
        data, gamma, _ = in_data
        mean, var = self._moments(out_data)
        self._update_averages(aux, (mean, var))
        dx, dgamma, dbeta = in_grad
        if self._prop.fix_gamma:
            self.assign(dgamma, req[1], 0)
            gamma = dgamma = None
        kernels.batch_norm_grad(
            out_grad[0],
            data,
            gamma,
            mean,
            var,
            dx,
            dgamma,
            dbeta,
            axis=self._axis,
            eps=self._prop.eps,
            use_global_stats=self._global,
            reqs=tuple(req),
            blocked=self._prop.blocked,
        )


class BatchNorm(OperatorProp):
    r"""Give each channel mean 0 and variance 1 over the batch, then scale and shift by channel.

    .. math:: y_c = \gamma_c \, \frac{x_c - \mu_c}{\sqrt{\sigma_c^2 + \epsilon}} + \beta_c
    """

    name = "BatchNorm"
    category = "normalization"
    arguments = ("data", "gamma", "beta")
    #: Where the last one is shown, it is the inverse deviation; MXNet has this name for it.
    outputs = ("output", "mean", "var")
    auxiliary_states = ("moving_mean", "moving_var")
    saves = ("data", "gamma", "mean", "var")
    eps = Attribute(float, default=1e-3, gt=0, doc="Added to the variance.")
    momentum = Attribute(float, default=0.9, doc="How much of the moving averages is kept.")
    fix_gamma = Attribute(bool, default=True, doc="Take gamma as 1 and give it no gradient.")
    use_global_stats = Attribute(bool, default=False, doc="Use the averages in training too.")
    output_mean_var = Attribute(
        bool, default=False, doc="Return mean and inverse deviation as well."
    )
    axis = Attribute(int, default=1, doc="Axis of the channels.")
    cudnn_off = Attribute(bool, default=False, doc="Accepted for MXNet's sake: there is no cuDNN.")
    blocked = Attribute(bool, default=False, doc="The last axis of data has lanes of the channels.")
    argument_docs = {
        "data": "shape (n, channels, ...), floating; blocked (n, channels / lanes, ..., lanes)",
        "gamma": "shape (channels,)",
        "beta": "shape (channels,)",
    }
    #: How the variables that `sym.BatchNorm` makes for its statistics are initialised.
    attrs = {
        "FSetInputVarAttrOnCompose": {
            "moving_mean": {"__init__": '["zero", {}]'},
            "moving_var": {"__init__": '["one", {}]'},
        }
    }

    @property
    def num_visible_outputs(self) -> int:
        """The statistics are shown on request."""
        return 3 if self.output_mean_var else 1

    @property
    def shows_inverse(self) -> bool:
        """True if the last output is the inverse deviation instead of the variance."""
        return self.output_mean_var

    def infer_shape(self, in_shape: Any) -> Any:
        """Return data's shape; everything else is one per channel."""
        data = in_shape[0]
        axis = check_axis(self.name, self.axis, data)
        if self.blocked and axis == len(data) - 1:
            raise ShapeError(
                f"data has shape {tuple(data)}: its last axis has lanes of the channels, so axis "
                f"cannot be {self.axis}; pass that of their groups, or blocked=False"
            )
        channels = (data[axis] * data[-1] if self.blocked else data[axis],)
        return [data, channels, channels], [data, channels, channels], [channels, channels]

    def infer_type(self, in_type: Any) -> Any:
        """Return the type of the data; what is one per channel is float32 beside float16."""
        data = next((dtype for dtype in in_type if dtype is not None), None)
        wide = np.float32 if data is np.float16 else data
        channels = [dtype or wide for dtype in in_type[1:]]
        return [data, *channels], [data, channels[0], channels[0]], [channels[0]] * 2

    def compose_predicting(
        self, F: Any, data: Any, gamma: Any, beta: Any, mean: Any, var: Any
    ) -> list[Any] | None:
        """Return a factor and a shift for each channel, which what computes the data may take over.

        In float16 they would lose digits.
        """
        if np.dtype(data.dtype).itemsize < 4:
            return None
        inverse = F.rsqrt(var + self.eps)
        scale = inverse if self.fix_gamma else inverse * gamma
        shift = beta - mean * scale
        along = [1] * len(data.shape)
        along[self.axis] = data.shape[self.axis]
        if self.blocked:
            along[-1] = data.shape[-1]
        scaled = F.broadcast_mul(data, F.reshape(scale, shape=along))
        shown = inverse if self.shows_inverse else var
        return [F.broadcast_add(scaled, F.reshape(shift, shape=along)), mean, shown]

    def blocked_form(self, inputs: Any, needs_gradient: bool) -> layouts.BlockedForm | None:
        """Follow where the channels come in lanes."""
        data = inputs[0]
        if self.blocked or data.layout is None:
            return None
        if data.layout.axis != self.axis % len(data.shape):
            return None
        arrays = [data.layout, None, None]
        return layouts.BlockedForm(arrays, arrays, {"axis": data.layout.axis, "blocked": True})

    def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> CustomOp:
        """Return the operator of one call."""
        return BatchNormOp(self, self.axis % len(in_shapes[0]))
