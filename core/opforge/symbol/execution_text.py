"""Text form of a bound graph, in the format of MXNet's `Executor.debug_str`, which users parse."""

from collections.abc import Iterator
from typing import Any

from .node import Node

__all__ = ["describe_execution"]

_LINE = "-" * 20
_MIB = 1 << 20


def describe_execution(symbol: Any, nbytes: int) -> str:
    r"""Return the computation of an executor as text, with the memory planned for one pass.

    Parameters
    ----------
    symbol : Symbol
    nbytes : int
        Memory of intermediate results.

    Examples
    --------
    >>> from opforge import sym
    >>> text = describe_execution(sym.exp(sym.var("x"), name="y"), 1 << 21)
    >>> text.splitlines()[4:]
    ['Op:exp, Name=y', 'Inputs:', '\targ[0]=x(0)', 'Total 2 MB allocated']
    """
    lines = ["Symbol Outputs:"]
    lines += [f"\toutput[{at}]={_edge(edge)}" for at, edge in enumerate(symbol.edges)]
    previous: Node | None = None
    for node in symbol.nodes():
        if previous is not None:
            lines.append(_LINE)
        lines += _describe(node)
        previous = node
    return "\n".join([*lines, f"Total {-(-nbytes // _MIB)} MB allocated"])


def _describe(node: Node) -> Iterator[str]:
    if node.operation is None:
        yield f"Variable:{node.name}"
        return
    yield f"Op:{node.operation.name}, Name={node.name}"
    if node.inputs:
        yield "Inputs:"
    for at, edge in enumerate(node.inputs):
        yield f"\targ[{at}]={_edge(edge)}"
    if node.operation.attributes:
        yield "Attrs:"
    for key, value in sorted(node.operation.attributes.items()):
        yield f"\t{key}={value}"


def _edge(edge: tuple[Node, int]) -> str:
    node, index = edge
    return f"{node.name}({index})"
