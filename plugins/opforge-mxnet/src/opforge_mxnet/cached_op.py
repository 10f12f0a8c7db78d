"""`CachedOp`: a symbol as a function of arrays, compiled for their shapes.

MXNet's hybridized blocks consist of one; programs use it to run a symbol without a block.
"""

from collections.abc import Callable, Iterable
from typing import Any

from opforge import ndarray as nd
from opforge.gluon import SymbolBlock
from opforge.ndarray import NDArray
from opforge.symbol import Symbol, load_json, var

__all__ = ["CachedOp", "call_symbol", "compose_symbol"]


class CachedOp:
    """Function that computes a symbol's outputs from arrays; gradients flow through it.

    Parameters
    ----------
    sym : Symbol
    flags : list of (str, value)
        Options of `HybridBlock.hybridize`, such as ``("static_alloc", True)``.

    Examples
    --------
    >>> op = CachedOp(var("a") * var("b"))
    >>> op(nd.array([2, 3]), nd.array([4, 5])).asnumpy().tolist()
    [8.0, 15.0]
    """

    def __init__(self, sym: Symbol, flags: Iterable[tuple[str, Any]] = ()) -> None:
        self._inputs = sym.list_inputs()
        self._block = SymbolBlock(sym, [var(name) for name in self._inputs])
        self._block.hybridize(**dict(flags))

    def __call__(self, *args: NDArray, out: Any = None, **kwargs: Any) -> Any:
        """Return the outputs; a single one is not in a list.

        Parameters
        ----------
        *args : NDArray
            In the order of ``sym.list_inputs()``.
        out : NDArray or list of NDArray, optional
            Arrays for the outputs.

        Raises
        ------
        TypeError
            The number of arrays differs from that of the inputs, or other arguments are given.
        """
        if kwargs:
            raise TypeError(
                f"CachedOp.__call__ got unexpected keyword argument(s): {', '.join(kwargs)}"
            )
        if len(args) != len(self._inputs):
            raise TypeError(
                f"CachedOp got {len(args)} arrays, expected one for each input of the symbol: "
                f"{', '.join(self._inputs)}"
            )
        outputs = self._block(*args)
        if out is None:
            return outputs
        pairs = zip(_as_list(outputs), _as_list(out), strict=True)
        for output, target in pairs:
            nd.identity(output, out=target)
        return out

    def _register_op_hook(self, callback: Callable[..., Any], monitor_all: bool = False) -> None:
        """Call a function for each operator; see `HybridBlock.register_op_hook`."""
        self._block.register_op_hook(callback, monitor_all)


def call_symbol(*args: NDArray, subgraph: str, out: Any = None, **flags: Any) -> Any:
    """Return the outputs of a graph for arrays: ``nd._internal._CachedOp``.

    Parameters
    ----------
    *args : NDArray
        In the order of the graph's ``list_inputs()``.
    subgraph : str
        The graph in JSON.
    out : NDArray or list of NDArray, optional
    **flags
        As for `CachedOp`.
    """
    return CachedOp(load_json(subgraph), list(flags.items()))(*args, out=out)


def compose_symbol(*args: Symbol, subgraph: str, **flags: Any) -> Symbol:
    """Return a graph with its inputs replaced by symbols: ``sym._internal._CachedOp``.

    Parameters
    ----------
    *args : Symbol
        In the order of the graph's ``list_inputs()``.
    subgraph : str
        The graph in JSON.
    **flags
        Not used: executors compile the whole graph.
    """
    graph = load_json(subgraph)
    inputs = dict(zip(graph.list_inputs(), args, strict=True))
    composed: Symbol = graph(**inputs)
    return composed


def _as_list(arrays: Any) -> list[NDArray]:
    return list(arrays) if isinstance(arrays, list | tuple) else [arrays]
