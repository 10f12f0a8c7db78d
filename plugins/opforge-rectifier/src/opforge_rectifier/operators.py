"""Operator LeakyReLU and the random slopes of its rrelu variant."""

from math import sqrt
from typing import Any

from opforge.plugin_api import (
    Attribute,
    AttributeValueError,
    OperatorProp,
    ShapeError,
    kernels,
)

#: Constants of self-normalizing networks, which preserve mean 0 and variance 1 across layers.
SELU_SCALE = 1.0507009873554804934193349852946
SELU_ALPHA = 1.6732632423543772848170429916717


class LeakyReLU(OperatorProp):
    r"""Apply the variant of the rectified linear unit that `act_type` selects.

    .. math::

        \begin{aligned}
        \text{leaky, prelu, rrelu:} \quad & y = \max(x, 0) + s \min(x, 0) \\
        \text{elu:} \quad & y = \max(x, 0) + s \, (e^{\min(x, 0)} - 1) \\
        \text{selu:} \quad & y = 1.0507 \, (\max(x, 0) + 1.6733 \, (e^{\min(x, 0)} - 1)) \\
        \text{gelu:} \quad & y = \frac{x}{2} \left(1 + \mathrm{erf}\frac{x}{\sqrt{2}}\right)
        \end{aligned}

    Examples
    --------
    >>> from opforge import nd
    >>> nd.LeakyReLU(nd.array([-1.0, 2.0]), slope=0.5).asnumpy().tolist()
    [-0.5, 2.0]
    """

    name = "LeakyReLU"
    category = "activation"
    arguments = ("data", "gamma")
    dtypes = ("floating",)
    argument_docs = {
        "data": "shape (n, channels, ...), floating",
        "gamma": "slopes of prelu, one per channel or a single one; unused by other variants",
    }
    act_type = Attribute(
        str,
        default="leaky",
        choices=("elu", "gelu", "leaky", "prelu", "rrelu", "selu"),
        doc="Variant of the function.",
    )
    slope = Attribute(float, default=0.25, doc="Factor of negative elements, for leaky and elu.")
    lower_bound = Attribute(float, default=0.125, doc="Lower bound of the slopes of rrelu.")
    upper_bound = Attribute(float, default=0.334, doc="Upper bound of the slopes of rrelu.")
    #: Default initializer of the variable that `sym.LeakyReLU` creates for the slopes.
    attrs = {"FSetInputVarAttrOnCompose": {"gamma": {"__init__": '["Constant", {"value": 0.25}]'}}}

    def list_arguments(self) -> list[str]:
        """Return the names of the inputs; only prelu has slopes as an input."""
        return ["data", "gamma"] if self.act_type == "prelu" else ["data"]

    def infer_shape(self, in_shape: Any) -> Any:
        """Return data's shape; a missing shape of gamma is one slope per channel."""
        data = in_shape[0]
        shapes = list(in_shape)
        if data and self.act_type == "prelu":
            shapes[1] = in_shape[1] or (data[1] if len(data) > 1 else 1,)
            broadcast_shape(shapes[1], data)
        return shapes, [data], []

    def infer_inputs(self, in_shapes: Any, out_shapes: Any) -> list[Any]:
        """Return the output's shape for data."""
        return [out_shapes[0], *in_shapes[1:]]

    def compose(self, F: Any, data: Any, gamma: Any = None) -> Any:
        """Return the activation of `data`."""
        if self.act_type == "gelu":
            return data * (0.5 * (1 + F.erf(data * sqrt(0.5))))
        if self.act_type == "leaky" and self.slope > 0:
            # At 0, where both arguments are equal, the gradient is that of the first.
            choose = F.maximum if self.slope <= 1 else F.minimum
            return choose(self.slope * data, data)
        # At 0 the gradient is that of the first argument, so only `negative` has one there.
        positive = F.maximum(F.zeros_like(data), data)
        negative = F.minimum(data, 0)
        if self.act_type == "prelu":
            slopes = F.reshape(gamma, shape=broadcast_shape(gamma.shape, data.shape))
            # Selected rather than added, so that a NaN slope does not affect positive elements.
            return F.where(data > 0, data, F.broadcast_mul(negative, slopes))
        if self.act_type == "rrelu":
            bounds = {"lower_bound": self.lower_bound, "upper_bound": self.upper_bound}
            return positive + negative * F._random_slopes(data, **bounds)
        if self.act_type == "elu":
            return positive + self.slope * F.expm1(negative)
        if self.act_type == "selu":
            return SELU_SCALE * positive + SELU_SCALE * SELU_ALPHA * F.expm1(negative)
        return positive + self.slope * negative


class RandomSlopes(OperatorProp):
    """Draw a slope for each element of `data` in training; return their mean in prediction."""

    name = "_random_slopes"
    differentiable = False
    saves = ()
    attrs = {"FElementwiseShape": True}
    argument_docs = {"data": "any shape, floating; its values are ignored"}
    lower_bound = Attribute(float, default=0.125, doc="Lower bound of the slopes.")
    upper_bound = Attribute(float, default=0.334, doc="Upper bound of the slopes.")

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        if self.lower_bound > self.upper_bound:
            raise AttributeValueError(
                f"lower_bound is {self.lower_bound}; expected at most upper_bound, "
                f"{self.upper_bound}"
            )

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Fill the output with random slopes, or with their mean."""
        low, high = self.lower_bound, self.upper_bound
        if not is_train:
            low = high = (low + high) / 2
        kernels.uniform(out_data[0], low, high, req=req[0])


def broadcast_shape(gamma: Any, data: Any) -> tuple[int, ...]:
    """Return the shape in which slopes broadcast to data, with their last axis on channels."""
    shape, left = [1] * len(data), list(gamma)
    for axis in range(min(len(data), 2) - 1, -1, -1):
        if left and left[-1] in (1, data[axis]):
            shape[axis] = left.pop()
    if left:
        raise ShapeError(
            f"gamma has shape {tuple(gamma)}; expected (1,) or one slope per channel because data "
            f"has shape {tuple(data)}"
        )
    return tuple(shape)
