"""``FInferShape`` and ``FInferType`` functions of operators whose arrays have one shape and type.

Both work in either direction: known inputs or outputs determine the unknown ones.
"""

from collections.abc import Callable, MutableSequence, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from opforge.base.errors import DTypeError, ShapeError
from opforge.op.declaring.inference import united

__all__ = ["ElemwiseShape", "elemwise_shape", "elemwise_type"]

ShapeTuple = tuple[int, ...]
#: ``(attrs, in, out) -> all known``; fills the lists in place.
Inference = Callable[[Any, MutableSequence[Any], MutableSequence[Any]], bool]


def elemwise_shape(n_in: int, n_out: int) -> Inference:
    """Return the ``FInferShape`` of an operator whose arrays have the same shape.

    Parameters
    ----------
    n_in, n_out : int
        Number of inputs and outputs.

    Examples
    --------
    >>> inputs, outputs = [(2, 0), (0, 3)], [()]
    >>> elemwise_shape(2, 1)(None, inputs, outputs), outputs
    (True, [(2, 3)])
    """
    return ElemwiseShape(n_in, n_out)


@dataclass(frozen=True, slots=True)
class ElemwiseShape:
    """``FInferShape`` of equal shapes, as a class that graphs can recognize."""

    n_in: int
    n_out: int

    def __call__(self, attrs: Any, in_shapes: Any, out_shapes: Any) -> bool:
        """Merge the known dimensions and assign them to every array."""
        _check_counts(attrs, in_shapes, out_shapes, self.n_in, self.n_out)
        shape: ShapeTuple = ()
        for other in (*in_shapes, *out_shapes):
            shape = _merge_shapes(attrs, shape, tuple(other or ()))
        in_shapes[:] = [shape] * self.n_in
        out_shapes[:] = [shape] * self.n_out
        return bool(shape) and 0 not in shape


def elemwise_type(n_in: int, n_out: int) -> Inference:
    """Return the ``FInferType`` of an operator whose arrays have the same type; None is unknown.

    Parameters
    ----------
    n_in, n_out : int
        Number of inputs and outputs.
    """

    def infer(attrs: Any, in_types: Any, out_types: Any) -> bool:
        _check_counts(attrs, in_types, out_types, n_in, n_out)
        known = [dtype for dtype in (*in_types, *out_types) if dtype is not None]
        if len(set(known)) > 1:
            names = ", ".join(np.dtype(dtype).name for dtype in known)
            raise DTypeError(f"{_origin(attrs)}all arrays must have the same dtype, got {names}")
        if not known:
            return False
        in_types[:], out_types[:] = known[:1] * n_in, known[:1] * n_out
        return True

    return infer


def _check_counts(
    attrs: Any, inputs: Sequence[Any], outputs: Sequence[Any], n_in: int, n_out: int
) -> None:
    if (len(inputs), len(outputs)) != (n_in, n_out):
        raise ShapeError(
            f"{_origin(attrs)}it has {len(inputs)} inputs and {len(outputs)} outputs, but its "
            f"inference is for {n_in} and {n_out}"
        )


def _merge_shapes(attrs: Any, known: ShapeTuple, other: ShapeTuple) -> ShapeTuple:
    merged = united(known, other)
    if merged is None:
        raise ShapeError(
            f"{_origin(attrs)}all arrays must have the same shape, got {known} and {other}"
        )
    return merged


def _origin(attrs: Any) -> str:
    return f"operator '{attrs.op}': " if attrs is not None else ""
