"""Diagrams and tables of networks: `plot_network` (with Graphviz) and `print_summary`."""

from collections.abc import Collection, Mapping, Sequence
from math import prod
from typing import Any

from opforge.op.declaring.category import Category
from opforge.symbol import Symbol
from opforge.symbol.node import Node

__all__ = ["plot_network", "print_summary"]

Shape = tuple[int, ...]

#: Arguments of operators that are always parameters, and those that never are.
_PARAMETERS = frozenset({"weight", "bias", "gamma", "beta", "alpha", "parameters"})
_DATA = frozenset({"label", "index", "indices", "state", "state_cell", "sequence_length", "length"})
#: Ends of the names of parameters, whichever operator reads them.
_SUFFIXES = ("_weight", "_bias", "_gamma", "_beta")
_HEADERS = ("Layer (type)", "Output Shape", "Param #", "Previous Layer")

#: Colors by category of operator, from ColorBrewer's Set3, as in MXNet.
_COLORS: Mapping[Category, str] = {
    "linear": "#fb8072",
    "activation": "#ffffb3",
    "normalization": "#bebada",
    "pooling": "#80b1d3",
    "shape": "#fdb462",
    "loss": "#b3de69",
}
_OTHER_COLOR = "#fccde5"
_VARIABLE_COLOR = "#8dd3c7"


def print_summary(
    symbol: Symbol,
    shape: Mapping[str, Shape] | None = None,
    line_length: int = 120,
    positions: Sequence[float] = (0.44, 0.64, 0.74, 1.0),
) -> None:
    """Print a table of a network's layers with their output shapes and numbers of parameters.

    A parameter is counted in the row of the first operator that reads it.

    Parameters
    ----------
    symbol : Symbol
    shape : dict of str to tuple, optional
        Shapes of the data by name; labels may be omitted. All other variables are parameters. If
        None, no output shapes are printed, the first variable is the data, and only parameters
        whose shapes are known without the data are counted.
    line_length : int
    positions : sequence of float
        End of each column, as a fraction of `line_length`; in characters if the last one is
        above 1.

    Raises
    ------
    ValueError
        The given shapes do not determine all others.

    Examples
    --------
    >>> from opforge import sym
    >>> net = sym.FullyConnected(sym.var("data"), num_hidden=3, name="fc")
    >>> print_summary(net, {"data": (1, 4)}, 80)  # doctest: +NORMALIZE_WHITESPACE
    ________________________________________________________________________________
    Layer (type)                       Output Shape    Param # Previous Layer
    ================================================================================
    data(null)                         4               0
    ________________________________________________________________________________
    fc(FullyConnected)                 3               15      data
    ================================================================================
    Total params: 15
    ________________________________________________________________________________
    """
    _expect_symbol(symbol)
    unit = line_length if positions[-1] <= 1 else 1
    columns = [int(unit * end) for end in positions]
    shapes = _shapes(symbol, shape)
    print("_" * line_length)
    _print_row(_HEADERS, columns)
    print("=" * line_length)
    rows = [node for at, node in enumerate(symbol.nodes()) if not node.is_variable or at == 0]
    total = 0
    uncounted = _counted_names(symbol, shape or {rows[0].name: ()})
    for at, node in enumerate(rows):
        names = {source.name for source, _ in node.inputs} & uncounted
        uncounted -= names
        count = sum(prod(known) for name in names if (known := shapes[name, 0]))
        total += count
        found = shapes.get((node.name, 0), ()) if shape is not None else ()
        title = f"{node.name}({'null' if node.operation is None else node.operation.name})"
        previous = [s.name for s, _ in node.inputs if not s.is_variable or s is rows[0]]
        _print_row((title, "x".join(map(str, found[1:])), count, *previous[:1]), columns)
        for name in previous[1:]:
            _print_row(("", "", "", name), columns)
        print(("=" if at == len(rows) - 1 else "_") * line_length)
    print(f"Total params: {total}")
    print("_" * line_length)


def plot_network(
    symbol: Symbol,
    title: str = "plot",
    save_format: str = "pdf",
    shape: Mapping[str, Shape] | None = None,
    dtype: Mapping[str, Any] | None = None,
    node_attrs: Mapping[str, str] | None = None,
    hide_weights: bool = True,
) -> Any:
    """Return a diagram of a network, a `graphviz.Digraph`.

    Parameters
    ----------
    symbol : Symbol
    title : str
    save_format : str
        Format of the file that ``.render()`` writes.
    shape : dict of str to tuple, optional
        Shapes of the data by name; the edges then show the shapes.
    dtype : dict of str to type, optional
        Accepted for compatibility with MXNet.
    node_attrs : dict of str to str, optional
        Graphviz attributes of all nodes.
    hide_weights : bool, default True
        Whether to omit parameters.

    Raises
    ------
    ImportError
        The Python package graphviz is not installed.
    """
    _expect_symbol(symbol)
    try:
        from graphviz import Digraph
    except ImportError:
        raise ImportError(
            "plot_network needs the Python package graphviz: pip install 'opforge[viz]'. To render "
            "images, also install Graphviz's program dot"
        ) from None
    shapes = {} if shape is None else _shapes(symbol, shape)
    dot = Digraph(name=title, format=save_format)
    look = {"shape": "box", "fixedsize": "true", "width": "1.3", "height": "0.8034"}
    look |= {"style": "filled", **(node_attrs or {})}
    nodes = symbol.nodes()
    hidden = _parameter_names(nodes) if hide_weights else set()
    for node in nodes:
        if node.name not in hidden:
            own = {**look, "shape": "oval"} if node.is_variable else look
            dot.node(node.name, _label(node), _attributes={**own, "fillcolor": _color(node)})
    for node in nodes:
        for source, index in node.inputs:
            if source.name not in hidden:
                found = shapes.get((source.name, index), ())
                text = "x".join(map(str, found[1:]))
                look = {"label": text, "dir": "back", "arrowtail": "open"}
                dot.edge(node.name, source.name, _attributes=look)
    return dot


def _expect_symbol(symbol: Any) -> None:
    if not isinstance(symbol, Symbol):
        raise TypeError(f"symbol must be Symbol, got {type(symbol).__name__}")


def _shapes(symbol: Symbol, given: Mapping[str, Shape] | None) -> dict[tuple[str, int], Shape]:
    """Return the shapes of all outputs by name of the node and index of the output."""
    internals = symbol.get_internals()
    if given is None:
        found = internals.infer_shape_partial()[1]
    else:
        found = internals.infer_shape(**given)[1]
        if found is None:
            raise ValueError("Input shape is incomplete. Pass the shapes of all data")
    return {
        (node.name, index): shape
        for (node, index), shape in zip(internals.edges, found, strict=True)
    }


def _roles(node: Node) -> list[tuple[str, Node]]:
    """Return argument name and source of each input of an operator, without states."""
    names = [] if node.operation is None else node.operation.prop.list_arguments()
    return [(role, source) for role, (source, _) in zip(names, node.inputs, strict=False)]


def _counted_names(symbol: Symbol, data: Collection[str]) -> set[str]:
    """Return the names of the variables that are neither data nor states."""
    nodes = symbol.nodes()
    roles = {(role, source.name) for node in nodes for role, source in _roles(node)}
    inputs = {*data, *(name for role, name in roles if role in _DATA)}
    trained = {name for role, name in roles if role in _PARAMETERS}
    variables = {node.name for node in nodes if node.is_variable}
    return variables - (inputs - trained) - set(symbol.list_auxiliary_states())


def _parameter_names(nodes: Sequence[Node]) -> set[str]:
    states = {source.name for node in nodes for source, _ in node.state_inputs}
    trained = {
        source.name
        for node in nodes
        for role, source in _roles(node)
        if source.is_variable and (role in _PARAMETERS or source.name.endswith(_SUFFIXES))
    }
    return states | trained


def _label(node: Node) -> str:
    operation = node.operation
    if operation is None:
        return node.name
    if operation.name == "Custom":
        return operation.attributes["op_type"]
    # Required attributes describe a layer better than its name.
    table = getattr(operation.prop, "attributes", {})
    shown = [value for key, value in operation.attributes.items() if _is_required(table, key)]
    return "\n".join([operation.name, *shown]) if shown else node.name


def _is_required(table: Mapping[str, Any], key: str) -> bool:
    return key in table and bool(table[key].required)


def _color(node: Node) -> str:
    if node.operation is None:
        return _VARIABLE_COLOR
    # A CustomOpProp, which implements only MXNet's protocol, has no category.
    return _COLORS.get(getattr(node.operation.prop, "category", ""), _OTHER_COLOR)


def _print_row(fields: Sequence[Any], columns: Sequence[int]) -> None:
    line = ""
    for field, end in zip([*fields, ""][: len(columns)], columns, strict=False):
        line = f"{line}{field}"[:end].ljust(end)
    print(line)
