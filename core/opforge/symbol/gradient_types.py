"""`CastGradients`: gradient arrays whose type is not that of their arguments.

Programs bind float16 arguments with float32 gradients, to sum them up with more precision. A graph
computes a gradient in its argument's type; these are cast after each backward pass.
"""

from collections.abc import Mapping
from typing import Any

from ..base.dtypes import is_floating
from .bound_arrays import zeros

__all__ = ["CastGradients", "can_cast"]


def can_cast(array: Any, grad: Any) -> bool:
    """Return whether the gradients of `array` can be written to `grad`, of another type."""
    return (
        array.stype == grad.stype == "default"
        and is_floating(array.dtype_code)
        and is_floating(grad.dtype_code)
    )


class CastGradients:
    """Arrays that a graph writes in place of gradient arrays of another type.

    Parameters
    ----------
    args, grads : dict of str to NDArray
    requests : dict of str to {"write", "add"}

    Attributes
    ----------
    written : dict of str to NDArray
        `grads`, with an array of the argument's type for each one of another type.
    requests : dict of str to {"write", "add"}
        Requests for `written`.
    targets : list of (NDArray, NDArray, str)
        For each gradient of another type: the written array, the gradient, and its request.
    """

    def __init__(
        self, args: Mapping[str, Any], grads: Mapping[str, Any], requests: Mapping[str, str]
    ) -> None:
        self.written = {name: grads[name] for name in requests}
        self.requests = dict(requests)
        self.targets: list[tuple[Any, Any, str]] = []
        for name, request in requests.items():
            array, grad = args[name], grads[name]
            if array.dtype_code != grad.dtype_code:
                own = zeros(array.shape, array.dtype_code, array.context)
                self.written[name], self.requests[name] = own, "write"
                self.targets.append((own, grad, request))

    def cast(self) -> None:
        """Write or add the gradients to the arrays of another type."""
        for own, grad, request in self.targets:
            if request == "write":
                grad[:] = own
            else:
                grad += own.astype(grad.dtype)
