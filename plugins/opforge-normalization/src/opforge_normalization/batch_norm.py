"""BatchNorm: normalize each channel over the batch."""

from typing import Any

import numpy as np

from opforge.plugin_api import (
    Attribute,
    CustomOp,
    F,
    OperatorProp,
    ShapeError,
    element_type,
    kernels,
    layouts,
)

from .layer_norm import check_axis


class BatchNormOp(CustomOp):
    """One call of BatchNorm, which remembers for backward which statistics it used."""

    def __init__(self, prop: "BatchNorm", axis: int) -> None:
        self._prop = prop
        self._axis = axis
        self._global = True
        # Moments of the batch in float64: the variance of large float32 values is out of range.
        self._exact: tuple[Any, Any] | None = None

    def forward(self, is_train: int, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
        """Normalize with the batch's moments, or with the moving averages."""
        data, gamma, beta = in_data
        out, mean, var = out_data
        self._global = not is_train or self._prop.use_global_stats
        if self._global:
            self._exact = None
            mean[:], var[:] = moments = aux
        else:
            exact = (F.zeros(mean.shape, mean.context, "float64") for _ in range(2))
            self._exact = moments = tuple(exact)
            self._compute_moments(data, *moments)
            mean[:], var[:] = moments
        scale = None if self._prop.fix_gamma else gamma
        kernels.batch_norm(
            data,
            scale,
            beta,
            *moments,
            out,
            axis=self._axis,
            eps=self._prop.eps,
            req=req[0],
            blocked=self._prop.blocked,
        )
        if self._prop.returns_inverse:
            var[:] = 1 / (var + self._prop.eps).sqrt()

    def _compute_moments(self, data: Any, mean: Any, var: Any) -> None:
        """Write the moments of the batch; those of an empty one, which nothing reads, are 0."""
        if not data.size:
            mean[:] = var[:] = 0
            return
        channels = (self._axis, data.ndim - 1) if self._prop.blocked else (self._axis,)
        others = tuple(axis for axis in range(data.ndim) if axis not in channels)
        kernels.moments(data, mean, var, others)

    def _moments(self, out_data: Any) -> tuple[Any, Any]:
        """Return the mean and the variance that forward used."""
        if self._exact is not None:
            return self._exact
        _, mean, var = out_data
        return mean, 1 / var.square() - self._prop.eps if self._prop.returns_inverse else var

    def _update_averages(self, aux: Any, moments: Any) -> None:
        """Update the moving averages with the batch's moments, unless forward used the averages.

        As in MXNet this happens in backward, so that forward passes in training mode without a
        backward pass leave the averages unchanged.
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
        """Compute the three gradients and update the moving averages; a fixed gamma gets zeros."""
        data, gamma, _ = in_data
        mean, var = self._moments(out_data)
        if data.size:  # an empty batch has no moments
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
    r"""Normalize each channel to mean 0 and variance 1 over the batch, then scale and shift it.

    .. math:: y_c = \gamma_c \, \frac{x_c - \mu_c}{\sqrt{\sigma_c^2 + \epsilon}} + \beta_c

    Examples
    --------
    >>> from opforge import autograd, nd
    >>> x = nd.array([[1, 10], [3, 30]])
    >>> mean, var = nd.zeros((2,)), nd.ones((2,))
    >>> with autograd.train_mode():
    ...     y = nd.BatchNorm(x, nd.ones((2,)), nd.zeros((2,)), mean, var)
    >>> print(y.asnumpy().round(2))
    [[-1. -1.]
     [ 1.  1.]]
    """

    name = "BatchNorm"
    category = "normalization"
    arguments = ("data", "gamma", "beta")
    #: If visible, `var` is the inverse standard deviation; the name is MXNet's.
    outputs = ("output", "mean", "var")
    auxiliary_states = ("moving_mean", "moving_var")
    dtypes = ("floating",)
    argument_dtypes = {"gamma": ("floating",), "beta": ("floating",)}
    output_dtypes = {"mean": "gamma", "var": "gamma"}
    saves = ("data", "gamma", "mean", "var")
    eps = Attribute(float, default=1e-3, gt=0, doc="Added to the variance.")
    momentum = Attribute(
        float, default=0.9, doc="Decay of the moving averages: the part kept at each update."
    )
    fix_gamma = Attribute(bool, default=True, doc="Treat gamma as 1 and give it no gradient.")
    use_global_stats = Attribute(
        bool, default=False, doc="Use the moving averages in training too."
    )
    output_mean_var = Attribute(
        bool, default=False, doc="Also return the mean and the inverse standard deviation."
    )
    axis = Attribute(int, default=1, doc="Axis of the channels.")
    cudnn_off = Attribute(
        bool, default=False, doc="Ignored; accepted for compatibility with MXNet."
    )
    blocked = Attribute(bool, default=False, doc="The last axis of data holds a block of channels.")
    argument_docs = {
        "data": "shape (n, channels, ...), floating; blocked: (n, channels / lanes, ..., lanes)",
        "gamma": "shape (channels,)",
        "beta": "shape (channels,)",
        "moving_mean": "shape (channels,)",
        "moving_var": "shape (channels,)",
    }
    #: Initializers of the variables that `sym.BatchNorm` creates for the moving averages.
    attrs = {
        "FSetInputVarAttrOnCompose": {
            "moving_mean": {"__init__": '["zero", {}]'},
            "moving_var": {"__init__": '["one", {}]'},
        }
    }

    @property
    def num_visible_outputs(self) -> int:
        """Number of visible outputs; the statistics only with `output_mean_var`."""
        return 3 if self.output_mean_var else 1

    @property
    def returns_inverse(self) -> bool:
        """True if the last output is the inverse standard deviation instead of the variance."""
        return self.output_mean_var

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the data's shape; all other arrays have one element per channel."""
        data = in_shape[0]
        axis = check_axis(self.name, self.axis, data)
        if self.blocked and axis == len(data) - 1:
            raise ShapeError(
                f"data has shape {tuple(data)} and blocked=True: its last axis holds blocked "
                f"channels, so axis cannot be {self.axis}. Pass the axis of the blocks, or "
                "blocked=False"
            )
        channels = (data[axis] * data[-1] if self.blocked else data[axis],)
        return [data, channels, channels], [data, channels, channels], [channels, channels]

    def infer_type(self, in_type: Any) -> Any:
        """Return the dtype of the data; for data of 16 bits, arrays of channels are float32."""
        data = next((dtype for dtype in in_type if dtype is not None), None)
        wide = np.float32 if data is not None and element_type(data).is_half else data
        channels = [dtype or wide for dtype in in_type[1:]]
        return [data, *channels], [data, channels[0], channels[0]], [channels[0]] * 2

    def compose_predicting(
        self, F: Any, data: Any, gamma: Any, beta: Any, mean: Any, var: Any
    ) -> list[Any] | None:
        """Compose the prediction of a factor and a shift per channel.

        An operator that computes the data can apply them in its epilogue. Return None for float16,
        whose range they may exceed. In bfloat16 they lose as much as weights that they are
        multiplied with in advance.
        """
        dtype = np.dtype(data.dtype)
        if dtype == np.float16:
            return None
        inverse = F.rsqrt(var + self.eps)
        scale = inverse if self.fix_gamma else inverse * gamma
        shift = beta - mean * scale
        along = [1] * len(data.shape)
        along[self.axis] = data.shape[self.axis]
        if self.blocked:
            along[-1] = data.shape[-1]
        factor, shift = (
            F.reshape(x if dtype == np.dtype(x.dtype) else F.cast(x, dtype=dtype), shape=along)
            for x in (scale, shift)
        )
        scaled = F.broadcast_mul(data, factor)
        reported = inverse if self.returns_inverse else var
        return [F.broadcast_add(scaled, shift), mean, reported]

    def blocked_form(self, inputs: Any, needs_gradient: bool) -> layouts.BlockedForm | None:
        """Accept data with blocked channels."""
        data = inputs[0]
        if self.blocked or data.layout is None:
            return None
        if data.layout.axis != self.axis % len(data.shape):
            return None
        arrays = [data.layout, None, None]
        return layouts.BlockedForm(arrays, arrays, {"axis": data.layout.axis, "blocked": True})

    def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> CustomOp:
        """Return the state of one call."""
        return BatchNormOp(self, self.axis % len(in_shapes[0]))
