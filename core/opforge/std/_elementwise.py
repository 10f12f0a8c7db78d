"""Functions that declare elementwise operators from a name, a kernel and a gradient rule."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..base.dtypes import element_type
from ..op.declaring.attribute import Attribute
from ._examples import with_example
from ._operator import StdOperator
from ._shapes import broadcast_shapes

__all__ = ["binary_row", "has_integers", "scalar_row", "unary_row", "zero_gradients"]

#: (F, dy, x, y) -> gradient of x.
UnaryRule = Callable[[Any, Any, Any, Any], Any]
#: (F, dy, a, b, y) -> gradients of a and b.
BinaryRule = Callable[[Any, Any, Any, Any, Any], Sequence[Any]]
#: (F, dy, x, scalar, y) -> gradient of x.
ScalarRule = Callable[[Any, Any, Any, Any, Any], Any]


def has_integers(x: Any) -> bool:
    """Return whether the elements of an array, or of a symbol of known type, are integers."""
    return not element_type(x.dtype).is_floating


class _Broadcasting(StdOperator):
    """Base of binary operators with broadcasting."""

    arguments = ("lhs", "rhs")

    def output_shapes(self, *shapes: tuple[int, ...]) -> list[tuple[int, ...]]:
        return [broadcast_shapes(self.name, *shapes)]


class _SameShape(StdOperator):
    """Base of binary operators on equal shapes."""

    arguments = ("lhs", "rhs")

    def complete(self, shapes: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
        left, right = shapes
        return [left or right, right or left]


class _Scalar(StdOperator):
    """Base of operators on an array and a number; as in MXNet, bool arrays are widened."""

    output_dtypes = {"output": {"bool": "int64"}}

    def __init__(self, **attributes: Any) -> None:
        if isinstance(attributes.get("scalar"), (bool, np.bool_)):
            attributes["scalar"] = float(attributes["scalar"])
        super().__init__(**attributes)

    def infer_input_types(self, in_type: Sequence[Any], out_type: Sequence[Any]) -> list[Any]:
        """Return the type of the output for an unknown input."""
        return [in_type[0] if in_type[0] is not None else out_type[0]]


def zero_gradients(count: int) -> Callable[..., list[Any]]:
    """Return a gradient method for operators that are piecewise constant."""

    def gradient(self: Any, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        return [F.zeros_like(out_grad[0]) for _ in range(count)]

    return gradient


def _first(arrays: Sequence[Any] | None) -> Any:
    return arrays[0] if arrays else None


def _row(base: type, name: str, members: dict[str, Any]) -> type[StdOperator]:
    title = "".join(part.capitalize() for part in name.split("_"))
    members.update(name=name, category="elementwise")
    members.update(__module__=__name__, __doc__=with_example(members.pop("doc"), name))
    return type(title, (base,), members)


def unary_row(
    name: str,
    doc: str,
    rule: UnaryRule | None,
    saves: Sequence[str] = (),
    *,
    kernel: str = "",
    aliases: Sequence[str] = (),
) -> type[StdOperator]:
    """Declare ``y = f(x)``; without a rule, its gradient is zero."""

    def gradient(self: Any, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        assert rule is not None
        return [rule(F, out_grad[0], _first(in_data), _first(out_data))]

    return _row(
        StdOperator,
        name,
        {
            "doc": doc,
            "elementwise_kernel": ("unary", kernel or name),
            "aliases": tuple(aliases),
            "saves": tuple(saves),
            "gradient": zero_gradients(1) if rule is None else gradient,
            "zero_gradient": rule is None,
            "attrs": {"FInplaceOption": [(0, 0)]},
        },
    )


def binary_row(
    name: str,
    kernel: str,
    doc: str,
    rule: BinaryRule | None,
    saves: Sequence[str] = (),
    *,
    aliases: Sequence[str] = (),
    broadcasts: bool = False,
) -> type[StdOperator]:
    """Declare ``y = f(a, b)``; the tape sums gradients over broadcast axes."""

    def gradient(self: Any, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> Sequence[Any]:
        assert rule is not None
        a, b = in_data if in_data else (None, None)
        return rule(F, out_grad[0], a, b, _first(out_data))

    return _row(
        _Broadcasting if broadcasts else _SameShape,
        name,
        {
            "doc": doc,
            "elementwise_kernel": ("binary", kernel),
            "aliases": tuple(aliases),
            "saves": tuple(saves),
            "kernel_broadcasts": broadcasts,
            "gradient": zero_gradients(2) if rule is None else gradient,
            "zero_gradient": rule is None,
            "attrs": {"FInplaceOption": [(0, 0), (1, 0)]},
        },
    )


def scalar_row(
    name: str,
    kernel: str,
    doc: str,
    rule: ScalarRule | None,
    saves: Sequence[str] = (),
    *,
    aliases: Sequence[str] = (),
    reverse: bool = False,
) -> type[StdOperator]:
    """Declare ``y = f(x, scalar)``, or ``f(scalar, x)`` if `reverse`."""

    def gradient(self: Any, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        assert rule is not None
        return [rule(F, out_grad[0], _first(in_data), self.scalar, _first(out_data))]

    return _row(
        _Scalar,
        name,
        {
            "doc": doc,
            "elementwise_kernel": ("scalar", kernel),
            "scalar": Attribute(float, doc="The number."),
            "aliases": tuple(aliases),
            "saves": tuple(saves),
            "kernel_reverse": reverse,
            "gradient": zero_gradients(1) if rule is None else gradient,
            "zero_gradient": rule is None,
            "attrs": {"FInplaceOption": [(0, 0)]},
        },
    )
