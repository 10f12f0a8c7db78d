"""Shape inference of an operator from partially known shapes.

Declarations are written for known shapes; this module calls them such that their results hold for
partially known ones.
"""

from collections.abc import Sequence
from typing import Any

from ...op.declaring.inference import infer_shapes
from ...std._operator import StdOperator
from ..node import Operation

__all__ = ["infer_partial_shapes", "lacks_inputs"]

Shape = tuple[int, ...]

#: Trial sizes for unknown dimensions; highly divisible, so that equal parts fit.
_TRIALS = (2520, 5040)


def lacks_inputs(operation: Operation, given: Sequence[Shape]) -> bool:
    """Return whether too little is known for an operator to infer its shapes.

    Most operators read the shapes of all inputs, or complete the others from the first one.
    """
    prop = operation.prop
    if not given or getattr(prop, "variadic", None) is not None:
        return bool(given) and not any(given)
    completes = getattr(type(prop), "complete", None)
    if completes is not None and completes is StdOperator.complete:
        return not all(given)
    return not given[0]


def _broadcast(left: Shape, right: Shape) -> Shape:
    """Return the known part of a broadcast shape; an unknown dimension (0) may turn out to be 1."""
    ndim = max(len(left), len(right))
    a = (1,) * (ndim - len(left)) + left
    b = (1,) * (ndim - len(right)) + right
    pairs = zip(a, b, strict=True)
    return tuple(0 if 0 in pair and max(pair) <= 1 else max(pair) for pair in pairs)


def infer_partial_shapes(operation: Operation, given: Sequence[Shape], names: Any) -> Any:
    """Return an operator's inferred shapes, without values that depend on unknown dimensions.

    Declarations compute with integers, so a sum or product with the 0 of an unknown dimension looks
    like a known size. They are therefore called again with trial sizes. A declaration that fails
    with those (they contradict a known size) is assumed to handle zeros itself.
    """
    if getattr(operation.prop, "kernel_broadcasts", False) and any(0 in s for s in given):
        return tuple(given), (_broadcast(*given),), ()
    answer = infer_shapes(operation.prop, operation.entry, given, names)
    # A shape that the operator completed may be partially known as well.
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
        tuple(_common_part(one, other) for one, other in zip(*groups, strict=True))
        for groups in zip(*trials, strict=True)
    )


def _common_part(one: Shape, other: Shape) -> Shape:
    if len(one) != len(other):
        return ()
    return tuple(a if a == b else 0 for a, b in zip(one, other, strict=True))
