"""Shapes and types of a whole graph from those of some variables, as symbols answer them."""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from ..base.dtypes import DTYPES, code_of
from ..base.errors import OpforgeError
from ..op.inference import UNKNOWN_TYPE
from .node import Edge, Type, topological
from .propagation import Inference

__all__ = ["infer_shape", "infer_type", "infer_types_of"]


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
    if partial or not any(not s or 0 in s for group in shapes for s in group):
        return tuple(shapes)
    found.raise_contradiction()
    _warn_unknown(
        "shape (0s in shape means unknown dimensions)",
        {
            name: shape
            for name, shape in zip(symbol.list_arguments(), shapes[0], strict=True)
            if not shape or 0 in shape
        },
        found.explain(),
    )
    return None, None, None


def _warn_unknown(what: str, unknown: Mapping[str, Any], why: str) -> None:
    lines = [f"\n\t{name}: {value}" for name, value in unknown.items()]
    noun, _, note = what.partition(" ")
    warnings.warn(
        f"Cannot decide {noun} for the following arguments{' ' + note if note else ''}. Consider "
        f"providing them as input:{''.join(lines)}" + (f"\n({why})" if why else ""),
        stacklevel=4,
    )


def infer_type(symbol: Any, partial: bool, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Return the types of arguments, outputs and auxiliary states; see `Symbol.infer_type`."""
    given = {k: code_of(v) for k, v in _by_name(symbol, "type", args, kwargs).items()}
    found = infer_types_of(symbol.edges, {}, given)
    codes = [[t.code for t in group] for group in _groups(symbol, found)]
    if not partial and any(code == UNKNOWN_TYPE for group in codes for code in group):
        open_ones = [n for n, c in zip(symbol.list_arguments(), codes[0], strict=True) if c < 0]
        _warn_unknown("type", dict.fromkeys(open_ones), found.explain())
        return None, None, None
    return tuple([None if code < 0 else DTYPES[code] for code in group] for group in codes)


def _groups(symbol: Any, found: Inference) -> list[list[Type]]:
    return [
        [found.of((node, 0)) for node in symbol.argument_nodes()],
        [found.of(edge) for edge in symbol.edges],
        [found.of((node, 0)) for node in symbol.state_nodes()],
    ]
