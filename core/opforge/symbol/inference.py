"""Shapes and types of a whole graph, from those of some of its variables.

Nodes are asked in the order of computation and back, until nothing changes: an operator may tell
the shape of its inputs, and what an elementwise operator gives has the shape of what it takes.
"""

import ast
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..base.dtypes import DTYPES, code_of
from ..base.errors import DTypeError, OpforgeError, ShapeError
from ..op.inference import UNKNOWN_TYPE, infer_shapes, infer_types
from .node import Edge, Node, Type, topological

__all__ = ["Inference", "infer_shape", "infer_type", "infer_types_of"]

Shape = tuple[int, ...]


@dataclass
class Inference:
    """What is known of every output of a graph's nodes.

    Parameters
    ----------
    order : list of Node
        All nodes, inputs before their users.
    """

    order: list[Node]
    types: dict[int, list[Type]] = field(default_factory=dict)
    #: Why the operator of a node could not tell: its inputs may have been unknown still.
    failures: dict[int, Exception] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for node in self.order:
            self.types[id(node)] = list(node.types)
            if node.is_variable:
                self.note((node, 0), declared_type(node), node)

    def of(self, edge: Edge) -> Type:
        """Return what is known of one output."""
        node, index = edge
        return self.types[id(node)][index]

    def note(self, edge: Edge, found: Type, user: Node) -> bool:
        """Unite what is known of an output with `found`; tell whether that is news.

        Raises
        ------
        ShapeError, DTypeError
            They contradict each other.
        """
        node, index = edge
        known = self.types[id(node)][index]
        united = Type(
            _united_shape(known.shape, found.shape, edge, user),
            _united_code(known.code, found.code, edge, user),
        )
        self.types[id(node)][index] = united
        return united != known

    def run(self) -> None:
        """Ask every node until nothing changes."""
        changed = True
        while changed:
            changed = any([self.ask(node) for node in self.order if not node.is_variable])
            changed |= any([self.ask_back(n) for n in reversed(self.order) if not n.is_variable])

    def ask(self, node: Node) -> bool:
        """Let the operator of a node complete its inputs and tell its outputs."""
        assert node.operation is not None
        operation = node.operation
        edges = [*node.inputs, *((node, i) for i in range(node.num_outputs))]
        before = [self.of(edge) for edge in edges]
        if all(t.known for t in before):
            return False
        arguments = [self.of(edge) for edge in node.inputs[: operation.bound.n_arguments]]
        shapes = self._shapes(node, arguments)
        codes = self._codes(node, arguments)
        found = [
            Type(shape, code)
            for shape, code in zip(
                [shape for group in shapes for shape in group] or [()] * len(edges),
                [code for group in codes for code in group] or [UNKNOWN_TYPE] * len(edges),
                strict=True,
            )
        ]
        # Inference answers inputs, outputs, states; the states are inputs of the node.
        n_in, n_out = len(arguments), node.num_outputs
        outputs, states = found[n_in : n_in + n_out], found[n_in + n_out :]
        ordered = [*found[:n_in], *states, *outputs]
        return any([self.note(e, t, node) for e, t in zip(edges, ordered, strict=True)])

    def _shapes(self, node: Node, arguments: Sequence[Type]) -> Sequence[Sequence[Shape]]:
        """Return the operator's answer on shapes, or nothing where it needs to know more."""
        operation = node.operation
        assert operation is not None
        given = [t.shape for t in arguments]
        whole = all(shape and 0 not in shape for shape in given)
        if not whole and not any(given):
            return ((), (), ())
        try:
            answer = infer_shapes(operation.prop, operation.entry, given)
        except Exception as error:
            # A declaration may count on shapes that another node will tell in the next round.
            self.failures[id(node)] = error
            if whole:
                raise _at(node, error) from error
            return ((), (), ())
        self.failures.pop(id(node), None)
        return answer

    def _codes(self, node: Node, arguments: Sequence[Type]) -> Sequence[Sequence[int]]:
        operation = node.operation
        assert operation is not None
        given = [t.code for t in arguments]
        if given and all(code == UNKNOWN_TYPE for code in given):
            return ((), (), ())
        try:
            return infer_types(operation.prop, operation.entry, given)
        except Exception as error:
            if UNKNOWN_TYPE not in given:
                raise _at(node, error) from error
            self.failures[id(node)] = error
            return ((), (), ())

    def ask_back(self, node: Node) -> bool:
        """Give the inputs of an elementwise operator the shape of its output."""
        assert node.operation is not None
        prop = node.operation.prop
        if getattr(prop, "native", None) is None or getattr(prop, "native_broadcasts", False):
            return False
        shape = self.of((node, 0)).shape
        return any([self.note(e, Type(shape, UNKNOWN_TYPE), node) for e in node.inputs])

    def raise_contradiction(self) -> None:
        """Raise what an operator said against the shapes and types it was given, if one did."""
        for node in self.order:
            error = self.failures.get(id(node))
            if isinstance(error, ShapeError | DTypeError):
                raise _at(node, error) from error

    def explain(self) -> str:
        """Return the operators that could not tell, for the error about an incomplete graph."""
        names = {id(node): node.name for node in self.order}
        return "; ".join(f"{names[key]}: {error}" for key, error in self.failures.items())


def declared_type(node: Node) -> Type:
    """Return what a variable's attributes say of its shape and type."""
    text, code = node.attrs.get("__shape__"), node.attrs.get("__dtype__")
    shape = ast.literal_eval(text) if text else ()
    return Type(
        tuple(max(int(dim), 0) for dim in (shape if isinstance(shape, tuple | list) else [shape])),
        int(code) if code not in (None, "-1") else UNKNOWN_TYPE,
    )


def _united_shape(known: Shape, found: Shape, edge: Edge, user: Node) -> Shape:
    if not known or not found:
        return known or found
    if len(known) == len(found) and all(
        a == b or not a or not b for a, b in zip(known, found, strict=True)
    ):
        return tuple(a or b for a, b in zip(known, found, strict=True))
    raise ShapeError(
        f"Error in node '{user.name}'{_operator(user)}: '{edge[0].output_names()[edge[1]]}' has "
        f"shape {known}, inferred is {found}: they must be equal"
    )


def _united_code(known: int, found: int, edge: Edge, user: Node) -> int:
    if UNKNOWN_TYPE in (known, found) or known == found:
        return found if known == UNKNOWN_TYPE else known
    names = [DTYPES[code].__name__ for code in (known, found)]
    raise DTypeError(
        f"Error in node '{user.name}'{_operator(user)}: '{edge[0].output_names()[edge[1]]}' is "
        f"{names[0]}, inferred is {names[1]}: they must be equal"
    )


def _operator(node: Node) -> str:
    return f" ({node.operation.name})" if node.operation else ""


def _at(node: Node, error: Exception) -> Exception:
    """Return the error with the name of the node, of the class it has."""
    text = f"Error in node '{node.name}'{_operator(node)}: {error}"
    for kind in (ShapeError, DTypeError):
        if isinstance(error, kind):
            return kind(text)
    return OpforgeError(text)


def infer_types_of(
    roots: Sequence[Edge], shapes: Mapping[str, Any], codes: Mapping[str, int]
) -> Inference:
    """Infer a graph from the shapes and type codes of variables, by name.

    Raises
    ------
    ShapeError, DTypeError
        They contradict each other, or an operator refuses them.
    """
    order = topological(node for node, _ in roots)
    inference = Inference(order)
    variables = {node.name: node for node in order if node.is_variable}
    for name, shape in shapes.items():
        found = tuple(max(int(dim), 0) for dim in shape)
        inference.note((variables[name], 0), Type(found, UNKNOWN_TYPE), variables[name])
    for name, code in codes.items():
        inference.note((variables[name], 0), Type((), code), variables[name])
    inference.run()
    return inference


def _by_name(
    symbol: Any, what: str, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the given values by variable name; unknown names are refused."""
    if args and kwargs:
        raise ValueError(
            "Can only specify known argument shapes either by positional or kwargs way."
        )
    names = symbol.list_arguments()
    if len(args) > len(names):
        raise ValueError(f"infer_{what} got {len(args)} values for {len(names)} arguments")
    given = dict(zip(names, args, strict=False)) if args else dict(kwargs)
    known = set(symbol.list_inputs())
    unknown = sorted(set(given) - known)
    if unknown:
        raise OpforgeError(
            f"infer_{what}: the graph has no argument {', '.join(map(repr, unknown))}; its "
            f"arguments are {', '.join(names)}"
        )
    return {name: value for name, value in given.items() if value is not None}


def infer_shape(symbol: Any, partial: bool, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Return the shapes of arguments, outputs and auxiliary states; see `Symbol.infer_shape`."""
    given = _by_name(symbol, "shape", args, kwargs)
    for name, shape in given.items():
        if not isinstance(shape, tuple | list):
            raise TypeError(
                f"Arguments need to be shapes (tuple), but argument {name} is {type(shape)}."
            )
    found = infer_types_of(symbol.edges, given, {})
    groups = _groups(symbol, found)
    shapes = [[t.shape for t in group] for group in groups]
    open_ones = [
        name
        for name, t in zip(symbol.list_arguments(), groups[0], strict=True)
        if not t.shape or 0 in t.shape
    ]
    if partial or not any(not s or 0 in s for group in shapes for s in group):
        return tuple(shapes)
    found.raise_contradiction()
    why = found.explain()
    warnings.warn(
        "Cannot decide shape for the following arguments (0s in shape means unknown dimensions). "
        f"Consider providing them as input: {', '.join(open_ones)}" + (f" ({why})" if why else ""),
        stacklevel=3,
    )
    return None, None, None


def infer_type(symbol: Any, partial: bool, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Return the types of arguments, outputs and auxiliary states; see `Symbol.infer_type`."""
    given = {k: code_of(v) for k, v in _by_name(symbol, "type", args, kwargs).items()}
    found = infer_types_of(symbol.edges, {}, given)
    codes = [[t.code for t in group] for group in _groups(symbol, found)]
    if not partial and any(code == UNKNOWN_TYPE for group in codes for code in group):
        return None, None, None
    return tuple([None if code < 0 else DTYPES[code] for code in group] for group in codes)


def _groups(symbol: Any, found: Inference) -> list[list[Type]]:
    return [
        [found.of((node, 0)) for node in symbol.argument_nodes()],
        [found.of(edge) for edge in symbol.edges],
        [found.of((node, 0)) for node in symbol.state_nodes()],
    ]
