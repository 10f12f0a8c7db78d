"""Inference methods of symbols: shapes and types of a graph from those of some variables."""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from ...base.dtypes import code_of, dtype_of
from ...base.errors import OpforgeError
from ...base.integers import as_integers
from ...base.numpy_semantics import is_np_shape
from ...op.declaring.validation import UNKNOWN_TYPE
from ..node import Edge, Type, topological
from .numpy_shapes import numpy_shapes
from .propagation import Inference

__all__ = ["InferredSymbol", "infer_types_of"]


class InferredSymbol:
    """Methods of symbols that infer shapes and types."""

    __slots__ = ()

    def infer_shape(self, *args: Any, **kwargs: Any) -> Any:
        """Return the shapes that follow from the given ones.

        Parameters
        ----------
        *args, **kwargs : tuple of int
            Shapes of arguments, by position or by name, with 0 for unknown dimensions (-1 under
            `util.np_shape`).

        Returns
        -------
        arg_shapes, out_shapes, aux_shapes : list of tuple of int
            In the order of `list_arguments`, `list_outputs`, `list_auxiliary_states`; None, with a
            warning, if they cannot be inferred.

        Raises
        ------
        ShapeError
            Shapes contradict each other; the error names the node and both shapes.

        Examples
        --------
        >>> from opforge import sym
        >>> y = sym.FullyConnected(sym.var("x"), num_hidden=4, name="fc")
        >>> y.infer_shape(x=(2, 3))
        ([(2, 3), (4, 3), (4,)], [(2, 4)], [])
        """
        return _infer_shape(self, False, args, kwargs)

    def infer_shape_partial(self, *args: Any, **kwargs: Any) -> Any:
        """Return the shapes as far as they can be inferred; () and 0 stand for unknown."""
        return _infer_shape(self, True, args, kwargs)

    def infer_type(self, *args: Any, **kwargs: Any) -> Any:
        """Return the element types that follow from the given ones; see `infer_shape`."""
        return _infer_type(self, False, args, kwargs)

    def infer_type_partial(self, *args: Any, **kwargs: Any) -> Any:
        """Return the types as far as they can be inferred; None stands for unknown."""
        return _infer_type(self, True, args, kwargs)


def infer_types_of(
    roots: Sequence[Edge],
    shapes: Mapping[str, Any],
    codes: Mapping[str, int],
    of_shapes: bool = True,
    of_types: bool = True,
    discard_types: bool = False,
) -> Inference:
    """Infer a graph from the shapes and type codes of variables by name; see `Inference`.

    Raises
    ------
    ShapeError, DTypeError
        The given values contradict each other, or an operator rejects them.
    """
    order = topological(roots)
    given = {
        name: tuple([max(dim, 0) for dim in as_integers(shape, f"shape of {name!r}")])
        for name, shape in shapes.items()
    }
    inference = Inference(order, of_shapes, of_types, given, codes, discard_types)
    inference.run()
    return inference


def _by_name(
    symbol: Any, what: str, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the given values by variable name; reject unknown names."""
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


def _infer_shape(symbol: Any, partial: bool, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Return the shapes of arguments, outputs and auxiliary states."""
    given = _by_name(symbol, "shape", args, kwargs)
    for name, shape in given.items():
        if not isinstance(shape, tuple | list):
            raise TypeError(
                f"Arguments need to be shapes (tuple), but argument {name} is {type(shape)}."
            )
    found = infer_types_of(symbol.edges, given, {}, of_types=False)
    if is_np_shape():
        return _numpy_shapes(symbol, partial, given, found)
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


def _numpy_shapes(symbol: Any, partial: bool, given: Mapping[str, Any], found: Inference) -> Any:
    """Return shapes as `_infer_shape` does, with NumPy's semantics; -1 and None are unknown."""
    known = numpy_shapes(symbol.nodes(), given, found)
    shapes = tuple([known[edge] for edge in edges] for edges in _edges(symbol))
    if partial or not any(s is None or -1 in s for group in shapes for s in group):
        return shapes
    found.raise_contradiction()
    pairs = zip(symbol.list_arguments(), shapes[0], strict=True)
    unknown = {name: shape for name, shape in pairs if shape is None or -1 in shape}
    _warn_unknown("shape (-1 means unknown dimensions)", unknown, found.explain())
    return None, None, None


def _warn_unknown(what: str, unknown: Mapping[str, Any], why: str) -> None:
    lines = [f"\n\t{name}: {value}" for name, value in unknown.items()]
    noun, _, note = what.partition(" ")
    warnings.warn(
        f"Cannot decide {noun} for the following arguments{' ' + note if note else ''}. Consider "
        f"providing them as input:{''.join(lines)}" + (f"\n({why})" if why else ""),
        stacklevel=4,
    )


def _infer_type(symbol: Any, partial: bool, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Return the types of arguments, outputs and auxiliary states."""
    given = {k: code_of(v) for k, v in _by_name(symbol, "type", args, kwargs).items()}
    found = infer_types_of(symbol.edges, {}, given, of_shapes=False)
    codes = [[t.code for t in group] for group in _groups(symbol, found)]
    if not partial and any(code == UNKNOWN_TYPE for group in codes for code in group):
        open_ones = [n for n, c in zip(symbol.list_arguments(), codes[0], strict=True) if c < 0]
        _warn_unknown("type", dict.fromkeys(open_ones), found.explain())
        return None, None, None
    return tuple([None if code < 0 else dtype_of(code) for code in group] for group in codes)


def _groups(symbol: Any, found: Inference) -> list[list[Type]]:
    return [[found.of(edge) for edge in edges] for edges in _edges(symbol)]


def _edges(symbol: Any) -> tuple[Sequence[Edge], Sequence[Edge], Sequence[Edge]]:
    """Return the edges of the arguments, the outputs and the auxiliary states."""
    return (
        [(node, 0) for node in symbol.argument_nodes()],
        symbol.edges,
        [(node, 0) for node in symbol.state_nodes()],
    )
