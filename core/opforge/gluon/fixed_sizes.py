"""Sizes of inputs on which a traced graph depends, which users are warned of when they export it.

A block that reads the size of an array has a number in its graph. This is right while the block
itself runs, because it is traced again for other sizes, but not for the exported graph.
"""

import warnings
from typing import Any

from ..symbol.node import Type
from .tracing import Trace, trace

__all__ = ["fixed_sizes", "warn_of_fixed_sizes"]


def fixed_sizes(block: Any, found: Trace) -> list[int]:
    """Return the sizes of inputs that the block's graph holds as numbers.

    The block is traced again with other sizes; axes of equal sizes stay equal.

    Parameters
    ----------
    block : HybridBlock
    found : Trace
        A trace of it.
    """
    if found.is_general:
        return []
    expected = _text(trace(block, found.arguments, found.types))
    sizes = sorted({size for kind in found.types for size in kind.shape})
    return [size for size in sizes if _depends_on(block, found, size, expected)]


def _depends_on(block: Any, found: Trace, size: int, expected: str) -> bool:
    """Return whether another size than `size` gives another graph."""
    for other in (2 * size, size + 1):  # a multiple first, for code that divides sizes
        types = [
            Type(tuple(other if dim == size else dim for dim in kind.shape), kind.code)
            for kind in found.types
        ]
        try:
            return _text(trace(block, found.arguments, types)) != expected
        except Exception:  # the block takes no such input, so its graph may hold the size
            continue
    return False


def _text(found: Trace) -> str:
    return "" if found.unknown is not None else found.symbol.tojson(remove_amp_cast=False)


def warn_of_fixed_sizes(block: Any, found: Trace) -> None:
    """Warn if the graph of a trace holds for some sizes of inputs only."""
    sizes = fixed_sizes(block, found)
    if sizes:
        shapes = ", ".join(str(kind.shape) for kind in found.types)
        warnings.warn(
            f"{block.name}: the exported graph holds only for inputs of the same sizes as in the "
            f"first call, {shapes}, where they are {' or '.join(map(str, sizes))}, because "
            f"hybrid_forward reads sizes ({found.sizes_read_at}). Use operators that follow the "
            "inputs instead, such as F.shape_array, F.slice_like, F.mean, F.zeros_like, and "
            "F.reshape with the codes 0 and -1",
            stacklevel=3,
        )
