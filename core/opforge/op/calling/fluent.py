"""Methods of NDArray and Symbol that call operators: ``x.exp()`` is ``nd.exp(x)``.

The operator is looked up in each call, so that those of newly installed plugins work.
"""

from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["FLUENT", "add_fluent_methods", "axis_order"]

Class = TypeVar("Class", bound=type)

# fmt: off
FLUENT = (
    "abs", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "argmax",
    "argmax_channel", "argmin", "argsort", "broadcast_axes", "cbrt", "ceil", "clip", "cos",
    "cosh", "degrees", "depth_to_space", "diag", "erf", "exp", "expm1", "fix", "flip", "floor",
    "log", "log10", "log1p", "log2", "log_softmax", "max", "mean", "min", "nanprod", "nansum",
    "norm", "one_hot", "ones_like", "pad", "pick", "prod", "radians", "rcbrt", "reciprocal",
    "relu", "repeat", "reshape_like", "rint", "round", "rsqrt", "shape_array", "sigmoid", "sign",
    "sin", "sinh", "size_array", "slice", "slice_axis", "slice_like", "softmax", "softmin",
    "sort", "space_to_depth", "split", "split_v2", "sqrt", "square", "sum", "swapaxes", "take",
    "tan", "tanh", "tile", "topk", "trunc", "zeros_like",
)
# fmt: on


def axis_order(axes: tuple[Any, ...], named: Any) -> tuple[Any, ...]:
    """Return the axes of a ``transpose`` call: separate arguments, one sequence, or `named`.

    Examples
    --------
    >>> axis_order((1, 0), None), axis_order(((1, 0),), None), axis_order((), [1, 0])
    ((1, 0), (1, 0), (1, 0))
    """
    if named is not None:
        if axes:
            raise TypeError("transpose() got multiple values for argument 'axes'")
        axes = (named,)
    order = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
    return tuple(order or ())


def _method(cls: type, name: str, operators: Callable[[], Any]) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(operators(), name)(self, *args, **kwargs)

    method.__name__ = name
    method.__qualname__ = f"{cls.__name__}.{name}"
    method.__doc__ = f"Call the operator `{name}` with this as its first input; see there."
    return method


def add_fluent_methods(operators: Callable[[], Any]) -> Callable[[Class], Class]:
    """Return a class decorator that adds a method for each name in `FLUENT`.

    Parameters
    ----------
    operators : callable
        Returns the namespace whose functions the methods call.
    """

    def decorate(cls: Class) -> Class:
        for name in FLUENT:
            setattr(cls, name, _method(cls, name, operators))
        return cls

    return decorate
