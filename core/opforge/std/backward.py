"""Gradients of elementary functions as operators, computed in one pass and differentiable again.

``_backward_f(ograd, saved)`` is ``ograd * f'``, with f' as a function of the saved input or output.
The function of a row is the derivative of f' with respect to `saved`, for second-order gradients.
All have kernels; functions of plugins (sigmoid, relu, ...) are included because their kernels are
in the core.
"""

from collections.abc import Callable, Sequence
from math import log
from typing import Any

from ..base.errors import OpforgeError
from ._elementwise import binary_row, unary_row
from ._operator import needs_gradient, no_gradient

__all__: list[str] = []

_LN2 = log(2.0)
_LN10 = log(10.0)


def _backward_row(kernel: str, slope: Callable[[Any, Any], Any] | None) -> None:
    """Declare ``_backward_<f>`` for the kernel ``<f>_grad_x`` or ``<f>_grad_y``."""
    function = kernel.rsplit("_", 2)[0]
    name = f"_backward_{function}"

    def rule(F: Any, dy: Any, head: Any, saved: Any, y: Any) -> Sequence[Any]:
        along_head = getattr(F, name)(dy, saved)
        if slope is None or not needs_gradient(saved):
            return [along_head, no_gradient(F, saved)]
        return [along_head, dy * head * slope(F, saved)]

    binary_row(name, kernel, f"Return ``ograd`` times the derivative of {function}.", rule, X)


def _no_second_order(F: Any, x: Any) -> Any:
    raise OpforgeError(
        "the second derivative of gamma and gammaln is not available (it needs the trigamma "
        "function); compute it by finite differences of the first"
    )


X = ("inputs",)

_backward_row("abs_grad_x", None)
_backward_row("relu_grad_y", None)
_backward_row("square_grad_x", lambda F, x: F.ones_like(x) * 2.0)
_backward_row("sqrt_grad_y", lambda F, y: -0.5 / (y * y))
_backward_row("rsqrt_grad_y", lambda F, y: -1.5 * y * y)
_backward_row("reciprocal_grad_y", lambda F, y: -2.0 * y)
_backward_row("cbrt_grad_y", lambda F, y: (-2.0 / 3.0) / (y * y * y))
_backward_row("rcbrt_grad_x", lambda F, x: (4.0 / 9.0) * F.rcbrt(x) / (x * x))
_backward_row("expm1_grad_y", lambda F, y: F.ones_like(y))
_backward_row("log1p_grad_x", lambda F, x: -1.0 / F.square(1.0 + x))
_backward_row("log2_grad_x", lambda F, x: (-1.0 / _LN2) / (x * x))
_backward_row("log10_grad_x", lambda F, x: (-1.0 / _LN10) / (x * x))
_backward_row("sin_grad_x", lambda F, x: -F.sin(x))
_backward_row("cos_grad_x", lambda F, x: -F.cos(x))
_backward_row("tan_grad_y", lambda F, y: 2.0 * y)
_backward_row("arcsin_grad_x", lambda F, x: x * (1.0 - x * x) ** -1.5)
_backward_row("arccos_grad_x", lambda F, x: -(x * (1.0 - x * x) ** -1.5))
_backward_row("arctan_grad_x", lambda F, x: -2.0 * x / F.square(1.0 + x * x))
_backward_row("sinh_grad_x", lambda F, x: F.sinh(x))
_backward_row("cosh_grad_x", lambda F, x: F.cosh(x))
_backward_row("tanh_grad_y", lambda F, y: -2.0 * y)
_backward_row("arcsinh_grad_x", lambda F, x: -(x * (1.0 + x * x) ** -1.5))
_backward_row("arccosh_grad_x", lambda F, x: -(x * (x * x - 1.0) ** -1.5))
_backward_row("arctanh_grad_x", lambda F, x: 2.0 * x / F.square(1.0 - x * x))
_backward_row("sigmoid_grad_y", lambda F, y: 1.0 - 2.0 * y)
_backward_row("softrelu_grad_y", lambda F, y: F.exp(-y))
_backward_row("softsign_grad_x", lambda F, x: -2.0 * F.sign(x) / (1.0 + F.abs(x)) ** 3.0)
_backward_row("erf_grad_x", lambda F, x: -2.0 * x * F._backward_erf(F.ones_like(x), x))
_backward_row("erfinv_grad_y", lambda F, y: 2.0 * y * F._backward_erfinv(F.ones_like(y), y))
_backward_row("gammaln_grad_x", _no_second_order)

unary_row(
    "_digamma",
    "Return the logarithmic derivative of the gamma function.",
    lambda F, dy, x, y: _no_second_order(F, x),
    X,
    kernel="digamma",
)
