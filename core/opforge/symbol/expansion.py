"""`expanded`: the composition of an operator as a separate graph."""

from collections.abc import Sequence
from typing import Any

from ..base.dtypes import code_of
from .composition import composed_parts
from .modes import composing_arrays
from .node import Node, Operation, Type
from .symbol import Symbol

__all__ = ["expanded"]


def expanded(
    operation: Operation, shapes: Sequence[tuple[int, ...]], dtypes: Sequence[Any]
) -> Symbol:
    """Return what an operator is composed of, with its inputs as variables input0, input1, ...

    Operators in the result that are composed themselves are not expanded.

    Parameters
    ----------
    operation : Operation
        One whose `is_composed` is true: ``node.operation`` of a node of `Symbol.nodes`.
    shapes, dtypes : sequence
        Of its inputs: arguments, then auxiliary states.

    Examples
    --------
    >>> from opforge import sym
    >>> (node,) = [n for n in sym.log_softmax(sym.var("x")).nodes() if not n.is_variable]
    >>> node.operation.is_composed
    False
    """
    inputs = [
        (Node(f"input{index}", types=[Type(tuple(shape), code_of(dtype))]), 0)
        for index, (shape, dtype) in enumerate(zip(shapes, dtypes, strict=True))
    ]
    with composing_arrays():
        parts = composed_parts(operation, "compose", inputs)
    assert parts is not None
    return Symbol(parts)
