"""Tracing: a hybrid block is run once on symbols of known shapes to get its graph.

While a thread traces, each parameter is represented by one variable of the graph. Operators
complete the shapes of deferred parameters.
"""

import threading
from collections.abc import Iterable
from typing import Any

from ..base.dtypes import code_of
from ..base.errors import ShapeError
from ..base.nesting import HERE, OTHER, flatten, unflatten
from ..base.thread_values import assigned
from ..op.declaring.validation import UNKNOWN_TYPE
from ..symbol import Group, Symbol
from ..symbol.control.nested_symbols import separate
from ..symbol.inference.inferred_symbol import infer_types_of
from ..symbol.interpreter import has_shapes_from_values
from ..symbol.node import Type
from ..symbol.size_tracking import tracking_sizes
from ..symbol.variable import typed_variable
from .parameter import Parameter

__all__ = ["Trace", "data_names", "expect_inputs", "parameter_symbol", "trace"]


class _State(threading.local):
    """State of one thread: the running trace."""

    trace: "Trace | None" = None


_state = _State()


class Trace:
    """The graph of one run of a block on symbols.

    Attributes
    ----------
    symbol : Symbol
        The outputs, flattened.
    structure : object
        Nesting of the outputs; see `flatten`.
    repeated : list of tuple of int
        Indices of outputs that are the same as a previous one, and of that one.
    parameters : dict of str to Parameter
        Parameters that the graph reads, by the names of their variables.
    is_general : bool
        Whether it is valid for inputs of other sizes, because the block read none.
    is_imperative : bool
        Whether the block must run imperatively, because shapes in its graph depend on values, or
        its code reads sizes that are unknown in a graph. `symbol` is empty in the latter case.
    unknown : str, optional
        Description of the first unknown sizes that the code reads.
    arguments : nested tuple
        Structure of the arguments, as passed to `trace`.
    types : list of Type
        Types of the arrays among them.
    sizes_read_at : str, optional
        File and line of the first read of sizes.
    """

    def __init__(self, arguments: Any, types: list[Type]) -> None:
        self.arguments = arguments
        self.types = types
        self.sizes_read_at: str | None = None
        self.symbol: Symbol = Symbol([])
        self.structure: Any = None
        self.repeated: list[tuple[int, int]] = []
        self.is_general = False
        self.is_imperative = False
        self.unknown: str | None = None
        self.parameters: dict[str, Parameter] = {}
        self._variables: dict[int, Symbol] = {}

    def variable(self, parameter: Parameter) -> Symbol:
        """Return the variable of a parameter."""
        found = self._variables.get(id(parameter))
        if found is None:
            # The shape () of a known type is that of a scalar, with NumPy's shapes.
            code = UNKNOWN_TYPE if parameter.shape is None else code_of(parameter.dtype)
            found = typed_variable(parameter.name, parameter._sizes, code)
            found.edges[0][0].attrs.update(parameter.var().edges[0][0].attrs)
            self._variables[id(parameter)] = found
            self.parameters[parameter.name] = parameter
        return found

    def complete(self, block: Any) -> None:
        """Initialize deferred parameters with the shapes that the trace determined."""
        waiting = {name: p for name, p in self.parameters.items() if p._deferred_init}
        types = {name: self._variables[id(p)].type for name, p in waiting.items()}
        if not all(found.known for found in types.values()):
            types = self._infer_types(waiting)
        for name, parameter in waiting.items():
            found = types[name]
            if not found.known:
                raise ShapeError(
                    "Deferred initialization failed because shape cannot be inferred: "
                    f"'{block.name}' uses {parameter.name} before an operator that determines "
                    "the shape. Pass it to such an operator (F.FullyConnected, ...) or give the "
                    "parameter its full shape."
                )
            parameter.shape = found.shape
            parameter._finish_deferred_init()

    def _infer_types(self, names: Iterable[str]) -> dict[str, Type]:
        """Infer parameter types from the entire graph: later nodes may determine earlier ones."""
        known = {node.name: node.types[0] for node in self.symbol.nodes() if node.is_variable}
        found = infer_types_of(
            self.symbol.edges,
            {name: kind.shape for name, kind in known.items() if kind.shape},
            {name: kind.code for name, kind in known.items()},
        )
        variables = {name: self._variables[id(self.parameters[name])].edges[0] for name in names}
        return {name: found.of(edge) for name, edge in variables.items()}


def data_names(count: int) -> list[str]:
    """Return the names of the inputs of a traced graph, as in MXNet.

    Examples
    --------
    >>> data_names(1), data_names(2)
    (['data'], ['data0', 'data1'])
    """
    return ["data"] if count == 1 else [f"data{at}" for at in range(count)]


def parameter_symbol(parameter: Parameter) -> Symbol:
    """Return the variable of a parameter in the running trace, or its own variable."""
    running = _state.trace
    return parameter.var() if running is None else running.variable(parameter)


def trace(block: Any, args: Any, types: list[Type]) -> Trace:
    """Return the graph of ``block(*args)``.

    Parameters
    ----------
    block : HybridBlock
    args : nested tuple
        Structure of the arguments, as returned by `flatten`.
    types : list of Type
        Types of the arrays among them.
    """
    names = data_names(len(types))
    inputs = [
        typed_variable(name, found.shape, found.code)
        for name, found in zip(names, types, strict=True)
    ]
    found = Trace(args, types)
    with assigned(_state, trace=found), tracking_sizes() as sizes:
        try:
            result = block._compose(*unflatten(args, iter(inputs)))
        except Exception:
            # Any error may follow from that of an unknown size, which arrays do not raise.
            if sizes.unknown is None:
                raise
        found.is_general = not sizes.were_read
        found.sizes_read_at = sizes.line
        found.unknown = sizes.unknown
    if found.unknown is not None:
        found.is_imperative = True
        return found
    outputs: list[Symbol] = []
    found.structure = flatten(separate(result), Symbol, outputs)
    _expect_outputs(block, found.structure)
    if not outputs:
        raise TypeError(f"'{block.name}' returned no Symbol: a graph needs an output")
    found.symbol = Group(outputs)
    edges = found.symbol.edges
    firsts = map(edges.index, edges)
    found.repeated = [(at, first) for at, first in enumerate(firsts) if at != first]
    found.is_imperative = has_shapes_from_values(found.symbol)
    return found


def _expect_outputs(block: Any, structure: Any) -> None:
    """Reject outputs that would be constant in the graph and may hide symbols."""
    if structure == HERE:
        return
    kind, *content = structure
    if kind is not OTHER:
        for item in content[0]:
            _expect_outputs(block, item)
    elif not (content[1] is None or isinstance(content[1], bool | int | float | str)):
        raise TypeError(
            f"HybridBlock output must be (nested) list of Symbol or NDArray, but '{block.name}' "
            f"returned {content[0].__name__}; call hybridize(False) on it, or return a tuple"
        )


def expect_inputs(name: str, structure: Any) -> None:
    """Reject flattened arguments that are neither arrays nor None.

    Each number would create a separate graph, without bound in a counting loop.
    """
    if structure == HERE:
        return
    kind, *content = structure
    if kind is not OTHER:
        for item in content[0]:
            expect_inputs(name, item)
    elif content[1] is not None:
        raise ValueError(
            f"When hybridized, the input of HybridBlock {name} must be (nested) list of Symbol or "
            f"NDArray, but got {content[1]!r} of type {content[0].__name__}. Pass it as an array, "
            "make it an attribute of the block, or call hybridize(False)"
        )
