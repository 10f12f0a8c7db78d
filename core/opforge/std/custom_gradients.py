"""Elementwise operators with a custom gradient, such as straight-through estimators."""

from typing import Any, ClassVar

from ..native import calls
from ..op.declaring.attribute import Attribute
from ..op.declaring.layouts import elementwise
from ._operator import StdOperator

__all__: list[str] = []


class _CustomGradient(StdOperator):
    """Base of operators with one kernel, whose gradient depends only on the output gradient."""

    category = "elementwise"
    attrs = {"FElementwiseShape": True}
    blocked_form = elementwise
    saves = ()
    #: Name of the unary kernel.
    kernel: ClassVar[str] = "identity"

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Run the kernel."""
        calls.unary(self.kernel, in_data[0], out_data[0], req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        return [out_grad[0]]


class RoundSTE(_CustomGradient):
    """Round to the nearest integer; the gradient is that of the identity.

    Such a straight-through estimator allows training of networks with quantized weights.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.contrib.round_ste(nd.array([-1.5, 0.2, 2.6])).asnumpy().tolist()
    [-2.0, 0.0, 3.0]
    """

    name = "_contrib_round_ste"
    kernel = "round"


class SignSTE(_CustomGradient):
    """Return the sign; the gradient is that of the identity.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.contrib.sign_ste(nd.array([-1.5, 0, 2.6])).asnumpy().tolist()
    [-1.0, 0.0, 1.0]
    """

    name = "_contrib_sign_ste"
    kernel = "sign"


class GradientMultiplier(_CustomGradient):
    """Return `data`; the gradient is multiplied by a number, which is negative to reverse it.

    Examples
    --------
    >>> from opforge import autograd, nd
    >>> x = nd.array([1, 2])
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     y = nd.contrib.gradientmultiplier(x, scalar=-0.5) * 4
    >>> y.backward()
    >>> x.grad.asnumpy().tolist()
    [-2.0, -2.0]
    """

    name = "_contrib_gradientmultiplier"
    scalar = Attribute(float, default=1.0, doc="The number.")
    is_int = Attribute(bool, default=True, doc="Ignored; accepted for compatibility with MXNet.")

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        return [out_grad[0] * self.scalar]
