"""Inference of an operator from partially known shapes.

Declarations are written for known shapes; here they are asked so that what they say of others is
true.
"""

from collections.abc import Sequence
from typing import Any

from ...op.declaring.inference import infer_shapes
from ...std._operator import StdOperator
from ..node import Operation

__all__ = ["ask_shapes", "too_little"]

Shape = tuple[int, ...]

#: Sizes that stand for unknown dimensions; any number of equal parts fits into them.
_TRIALS = (2520, 5040)


def too_little(operation: Operation, given: Sequence[Shape]) -> bool:
    """Tell whether an operator cannot answer yet.

    Most read the shapes of all inputs, or of the first, from which they complete the others.
    """
    prop = operation.prop
    if not given or getattr(prop, "variadic", None) is not None:
        return bool(given) and not any(given)
    completes = getattr(type(prop), "complete", None)
    if completes is not None and completes is StdOperator.complete:
        return not all(given)
    return not given[0]


def _broadcast(left: Shape, right: Shape) -> Shape:
    """Return what is known of a broadcast shape; the 0 of an unknown dimension may be a 1."""
    ndim = max(len(left), len(right))
    a = (1,) * (ndim - len(left)) + left
    b = (1,) * (ndim - len(right)) + right
    pairs = zip(a, b, strict=True)
    return tuple(0 if 0 in pair and max(pair) <= 1 else max(pair) for pair in pairs)


def ask_shapes(operation: Operation, given: Sequence[Shape], names: Any) -> Any:
    """Return an operator's answer without what would change with unknown dimensions of its inputs.

    Declarations compute with numbers, and a sum or product with the 0 of an unknown dimension looks
    like a known one. So they are asked again with numbers in its place; one that cannot take those
    (they contradict a known size) reads zeros itself.
    """
    if getattr(operation.prop, "kernel_broadcasts", False) and any(0 in s for s in given):
        return tuple(given), (_broadcast(*given),), ()
    answer = infer_shapes(operation.prop, operation.entry, given, names)
    # What the operator completed may be known in part as well.
    given = answer[0]
    if all(0 not in shape for shape in given) or getattr(operation.prop, "keeps_unknown", False):
        return answer
    trials = []
    for size in _TRIALS:
        shapes = [tuple(dim or size for dim in shape) for shape in given]
        try:
            trials.append(infer_shapes(operation.prop, operation.entry, shapes, names))
        except MemoryError:
            raise
        except Exception:
            return answer
    return tuple(
        tuple(_agreed(one, other) for one, other in zip(*groups, strict=True))
        for groups in zip(*trials, strict=True)
    )


def _agreed(one: Shape, other: Shape) -> Shape:
    if len(one) != len(other):
        return ()
    return tuple(a if a == b else 0 for a, b in zip(one, other, strict=True))
