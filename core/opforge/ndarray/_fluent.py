"""Methods of NDArray that are operators: ``x.exp()`` is ``nd.exp(x)``.

They find the operator when called, so that those of plugins work as soon as they are installed.
"""

from collections.abc import Callable
from typing import Any

from ._operators import operators

__all__ = ["FLUENT", "add_fluent_methods"]

# fmt: off
FLUENT = (
    "abs", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "argmax",
    "argmax_channel", "argmin", "argsort", "broadcast_axes", "cbrt", "ceil", "clip", "cos",
    "cosh", "degrees", "depth_to_space", "diag", "erf", "exp", "expm1", "fix", "flip", "floor",
    "log", "log10", "log1p", "log2", "log_softmax", "max", "mean", "min", "nanprod", "nansum",
    "norm", "one_hot", "ones_like", "pad", "pick", "prod", "radians", "rcbrt", "reciprocal",
    "relu", "repeat", "reshape_like", "rint", "round", "rsqrt", "shape_array", "sigmoid", "sign",
    "sin", "sinh", "size_array", "slice", "slice_axis", "slice_like", "softmax", "softmin",
    "sort", "space_to_depth", "split", "sqrt", "square", "sum", "swapaxes", "take", "tan", "tanh",
    "tile", "topk", "trunc", "zeros_like",
)
# fmt: on


def _method(name: str) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        nd = operators()
        return getattr(nd, name)(self, *args, **kwargs)

    method.__name__ = name
    method.__qualname__ = f"NDArray.{name}"
    method.__doc__ = f"Call ``nd.{name}`` with this array as first input; see there."
    return method


def add_fluent_methods(cls: type) -> type:
    """Give `cls` one method for each name in `FLUENT`."""
    for name in FLUENT:
        setattr(cls, name, _method(name))
    return cls
