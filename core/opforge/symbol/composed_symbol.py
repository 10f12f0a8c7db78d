"""Symbols as functions of their variables: composition by call, and copies.

Copies have their own nodes, so composing a symbol never changes another. Invariant: nothing here
recurses, so graphs may be arbitrarily deep.
"""

from collections.abc import Callable, Mapping
from typing import Any

from ..base.errors import OpforgeError
from ._namespace import operators
from .inference.node_types import infer_node
from .node import Edge, Node, topological

__all__ = ["ComposedSymbol"]


class ComposedSymbol:
    """Methods of symbols that copy them and substitute symbols for variables."""

    __slots__ = ()

    edges: tuple[Edge, ...]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return a copy in which variables are replaced by symbols.

        Parameters
        ----------
        *args : Symbol
            In the order of `list_arguments`.
        **kwargs : Symbol
            Symbols by variable name, and `name`, a string, for the first output of the copy.

        Examples
        --------
        >>> from opforge import sym
        >>> net = sym.exp(sym.var("data"), name="e")
        >>> net(data=sym.var("image")).list_arguments()
        ['image']
        """
        copied = self.__copy__()
        copied._compose(*args, **kwargs)
        return copied

    def _compose(self, *args: Any, **kwargs: Any) -> None:
        """Replace variables in this symbol itself; see `__call__`."""
        name = kwargs.pop("name", None)
        given = _by_variable(self, args, kwargs)
        edges = _copy_graph(self.edges)
        if name is not None:
            edges[0][0].name = name
        self.edges = _replace_variables(edges, given)  # type: ignore[misc]

    def __copy__(self) -> Any:
        return type(self)(_copy_graph(self.edges))  # type: ignore[call-arg]

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self.__copy__()

    def __reduce__(self) -> tuple[Callable[[str], Any], tuple[str]]:
        return operators().load_json, (self.tojson(remove_amp_cast=False),)  # type: ignore[attr-defined]


def _copy_graph(edges: tuple[Edge, ...]) -> tuple[Edge, ...]:
    """Return the same outputs of a copied graph."""
    copies: dict[int, Node] = {}
    for node in topological(edges):
        inputs = [(copies[id(source)], index) for source, index in node.inputs]
        copy = Node(node.name, node.operation, inputs, dict(node.attrs), list(node.types))
        copy.plan = node.plan
        copies[id(node)] = copy
    return tuple((copies[id(node)], index) for node, index in edges)


def _by_variable(symbol: Any, args: Any, kwargs: Mapping[str, Any]) -> dict[str, Edge]:
    """Return the replacement of each variable, by name."""
    if args and kwargs:
        raise TypeError(
            "compose only accept input Symbols either as positional or keyword arguments, not both"
        )
    names = symbol.list_inputs()
    arguments = symbol.list_arguments()
    if len(args) > len(arguments):
        raise OpforgeError(
            f"{symbol!r} has {len(arguments)} arguments ({', '.join(arguments)}), got {len(args)}"
        )
    given = dict(zip(arguments, args, strict=False)) if args else dict(kwargs)
    unknown = sorted(set(given) - set(names))
    if unknown:
        raise OpforgeError(
            f"{symbol!r} has no variable {', '.join(map(repr, unknown))} to replace; its variables "
            f"are {', '.join(names)}"
        )
    found: dict[str, Edge] = {}
    for name, item in given.items():
        if not isinstance(item, type(symbol)):
            raise TypeError(
                f"Compose expect `Symbol` as arguments, got {type(item).__name__} for {name!r}"
            )
        if len(item.edges) != 1:
            raise OpforgeError(
                f"{name!r} cannot be replaced by a symbol of {len(item.edges)} outputs "
                f"({', '.join(item.list_outputs())}), expected one; select it by index"
            )
        found[name] = item.edges[0]
    return found


def _replace_variables(edges: tuple[Edge, ...], given: Mapping[str, Edge]) -> tuple[Edge, ...]:
    """Replace variables below `edges` in place and return the new outputs.

    Shapes and types of the nodes that depend on a replaced variable are inferred again.
    """
    changed: set[int] = set()
    for node in topological(edges) if given else ():
        inputs = tuple(_target(edge, given) for edge in node.inputs)
        if inputs != node.inputs or any(id(source) in changed for source, _ in inputs):
            changed.add(id(node))
            node.inputs = inputs
            node.forget()
            infer_node(node)
    return tuple(_target(edge, given) for edge in edges)


def _target(edge: Edge, given: Mapping[str, Edge]) -> Edge:
    source = edge[0]
    return given.get(source.name, edge) if source.is_variable else edge
