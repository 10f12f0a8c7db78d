"""Calls of functions of `mx.np` that a graph makes once it knows shapes, or has arrays.

Most functions compose a graph by the numbers of axes and the lengths of their arguments. Symbols
that are not bound to arrays have neither, and some functions compute in NumPy on elements. Such a
call becomes a node, whose operator calls the function when the graph is compiled, or when it runs.
"""

import functools
import inspect
import json
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from opforge.plugin_api import (
    Attribute,
    F,
    OperatorProp,
    OpforgeError,
    UnknownShapeError,
    array_classes,
    numpy_semantics,
)

from .namespace import composing, is_symbol, symbol_operators
from .operators import constant

__all__ = ["NumpyCall", "Slot", "as_symbols", "call_attributes", "deferred", "on_arrays"]

NDArray = array_classes.NDArray
Function = Callable[..., Any]
Shape = tuple[int, ...]


class NumpyCall(OperatorProp):
    """Call a function of `mx.np`.

    Examples
    --------
    >>> from opforge import nd
    >>> x = nd.array([[1, 2], [3, 4]])
    >>> nd._np_call(x, function="tril").asnumpy().tolist()
    [[1.0, 0.0], [3.0, 4.0]]
    """

    name = "_np_call"
    variadic = "num_args"
    arguments = ("data",)
    function = Attribute(str, doc="Name of the function in `mx.np`, such as ``linalg.svd``.")
    call = Attribute(
        str,
        default='[[{"input": 0}], {}]',
        doc="Positional and named arguments as JSON; arrays are numbers of inputs.",
    )
    num_args = Attribute(int, default=1, ge=0, doc="Number of inputs; set by the call.")
    num_results = Attribute(int, default=1, ge=1, counts=True, doc="Number of results.")
    reads_elements = Attribute(
        bool, default=False, doc="Whether the function reads elements, which graphs lack."
    )

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.shapes_from_values = self.reads_elements  # type: ignore[misc]  # depends on the call
        #: Shapes of the inputs when these were last inferred; types depend on the numbers of axes.
        self._in_shapes: Sequence[Shape] | None = None

    def list_outputs(self) -> list[str]:
        """Return a name for each result."""
        return ["output"] if self.num_results == 1 else [f"out{i}" for i in range(self.num_results)]

    def compose(self, F: Any, *inputs: Any) -> Any:
        """Call the function."""
        is_graph = F is symbol_operators()
        if self.reads_elements and is_graph:
            raise UnknownShapeError(
                f"np.{self.function} needs arrays, which a graph has when it runs"
            )
        positional, named = json.loads(self.call)
        args = _decode(positional, inputs)
        # One by one: {"dtype": ...} as a whole would be an element type.
        kwargs = {name: _decode(value, inputs) for name, value in named.items()}
        function = composing(_function(self.function), is_graph)
        with numpy_semantics.np_shape(), numpy_semantics.np_array():
            found = function(*args, **kwargs)
            return as_symbols(found) if is_graph else _own_memory(found, inputs)

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shapes that the function gives to arrays of these shapes."""
        shapes = [tuple(shape) for shape in in_shape]
        unknown: Any = [None] * self.num_results
        if any(0 in shape for shape in shapes):
            return in_shape, unknown, []
        if self.function in _LENGTHS_FROM_ELEMENTS:
            return in_shape, [(0,)] * self.num_results, []
        self._in_shapes = shapes
        for dtype in ("float32", "int64"):
            found = self._results(shapes, [dtype] * len(shapes))
            if found is not None:
                return in_shape, [shape for shape, _ in found], []
        return in_shape, unknown, []

    def infer_type(self, in_type: Any) -> Any:
        """Return the types that the function gives to arrays of these types."""
        found = None
        if self._in_shapes is not None and None not in in_type:
            found = self._results(self._in_shapes, [np.dtype(dtype).name for dtype in in_type])
        default = next((dtype for dtype in in_type if dtype is not None), None)
        types = [default] * self.num_results if found is None else [dtype for _, dtype in found]
        return in_type, types, []

    def _sample_call(self, types: Sequence[tuple[Shape, str]]) -> Any:
        """Call the function on symbols, or on arrays, of given shapes and types."""
        if not self.reads_elements:
            sym = symbol_operators()
            return self.compose(sym, *(sym.zeros(shape, dtype=kind) for shape, kind in types))
        try:
            inputs = [F.array(_identity(shape), dtype=kind) for shape, kind in types]
            return self.compose(F, *inputs)
        except np.linalg.LinAlgError:
            inputs = [F.array(_random(shape), dtype=kind) for shape, kind in types]
            return self.compose(F, *inputs)

    def _results(self, shapes: Sequence[Shape], types: Sequence[str]) -> Any:
        """Return the shapes and types of the results, or None if the elements determine them."""
        pairs = list(zip(shapes, types, strict=True))
        with numpy_semantics.np_shape():
            try:
                found = self._sample_call(pairs)
            except (OpforgeError, ValueError, TypeError):
                return None  # for other types, or for elements, the function may have a result
            results = list(found) if isinstance(found, list | tuple) else [found]
            found_shapes = [_known_shape(result) for result in results]
            if len(results) != self.num_results or None in found_shapes:
                return None
            return [(shape, x.dtype) for shape, x in zip(found_shapes, results, strict=True)]


def as_symbols(found: Any) -> Any:
    """Return results as symbols: arrays, also in lists and tuples, are constants."""
    if isinstance(found, list | tuple):
        return type(found)(map(as_symbols, found))
    return constant(symbol_operators(), found) if isinstance(found, NDArray) else found


def _own_memory(found: Any, inputs: Sequence[Any]) -> Any:
    """Return copies of results that share the memory of inputs, which operators must not do."""
    from ..creation import may_share_memory

    if isinstance(found, list | tuple):
        return [_own_memory(part, inputs) for part in found]
    is_view = isinstance(found, NDArray) and any(may_share_memory(found, x) for x in inputs)
    return F.identity(found) if is_view else found


#: Functions whose results have one axis, with a length that depends on elements.
_LENGTHS_FROM_ELEMENTS = ("bincount", "histogram", "nonzero", "unique")


def _identity(shape: Shape) -> Any:
    """Return identity matrices, which all decompositions accept; ones if they do not fit."""
    is_square = len(shape) > 1 and shape[-1] == shape[-2]
    return np.broadcast_to(np.eye(shape[-1]) if is_square else 1.0, shape)


def _random(shape: Shape) -> Any:
    """Return numbers that form a regular matrix, also with axes in another order."""
    return np.random.default_rng(0).random(shape)


def _known_shape(result: Any) -> Shape | None:
    """Return the shape of an array, or that of a Symbol if it is known."""
    if is_symbol(result) and not result.type.known:
        return None
    found: Shape = result.shape
    return found


def _function(name: str) -> Function:
    """Return a function of `mx.np` by a name such as ``linalg.svd``, or of `mx.npx`."""
    from .. import np, npx

    found: Function = attrgetter(name.removeprefix("npx."))(npx if name.startswith("npx.") else np)
    return found


# -- calls --------------------------------------------------------------------------------------


def _sections(arguments: dict[str, Any]) -> int:
    parts = arguments["indices_or_sections"]
    return parts if isinstance(parts, int) else len(parts) + 1


def _of_all(name: str) -> Callable[[dict[str, Any]], int | None]:
    """Return a function that counts the arrays of the parameter `name`; None for a single one."""
    return lambda arguments: len(arguments[name]) if len(arguments[name]) > 1 else None


def _flags(*names: str) -> Callable[[dict[str, Any]], int | None]:
    """Return a function that counts a result and those that flags request; None without these."""
    return lambda arguments: (
        1 + sum(map(bool, map(arguments.get, names))) if any(map(arguments.get, names)) else None
    )


#: Functions with several results: their number, or a function that counts them by the arguments.
_RESULTS: dict[str, Any] = {
    "array_split": _sections,
    "atleast_1d": _of_all("arys"),
    "atleast_2d": _of_all("arys"),
    "atleast_3d": _of_all("arys"),
    "average": _flags("returned"),
    "broadcast_arrays": lambda arguments: len(arguments["args"]),
    "dsplit": _sections,
    "histogram": 2,
    "hsplit": _sections,
    "linalg.eig": 2,
    "linalg.eigh": 2,
    "linalg.slogdet": 2,
    "linalg.svd": 3,
    "meshgrid": lambda arguments: len(arguments["xi"]),
    "split": _sections,
    "unique": _flags("return_index", "return_inverse", "return_counts"),
    "unravel_index": lambda arguments: np.size(arguments["shape"]),
    "vsplit": _sections,
}
_LISTS = ("array_split", "broadcast_arrays", "dsplit", "hsplit", "meshgrid", "split", "vsplit")


def deferred(name: str, args: Any, kwargs: Any, reads_elements: bool = False) -> Any:
    """Return a call of a function as symbols, one for each result.

    Parameters
    ----------
    name : str
        Name in `mx.np`.
    args, kwargs
        Its arguments: symbols, arrays, numbers, strings, element types, and sequences of them.
    reads_elements : bool, default False
        Whether the function needs arrays; otherwise shapes and types are sufficient.
    """
    inputs, attributes = call_attributes(name, args, kwargs, reads_elements)
    result = symbol_operators()._internal._np_call(*inputs, **attributes)
    number = attributes.get("num_results")
    if number is None:
        return result
    parts = [result[at] for at in range(number)] if number > 1 else [result]
    return parts if name in _LISTS else tuple(parts)


def call_attributes(
    name: str, args: Any, kwargs: Any, reads_elements: bool = False
) -> tuple[list[Any], dict[str, Any]]:
    """Return the arrays and symbols among the arguments of a call, and the operator's attributes.

    Parameters
    ----------
    name : str
        Name of a function in `mx.np`, or below ``npx.`` one in `mx.npx`.
    args, kwargs
        Its arguments, as for `deferred`; a `Slot` stands for an input of the operator.
    reads_elements : bool, default False
    """
    bound = inspect.signature(_function(name)).bind(*args, **kwargs)
    bound.apply_defaults()
    rule = _RESULTS.get(name)
    number = rule(bound.arguments) if callable(rule) else rule
    inputs: list[Any] = []
    text = json.dumps(
        [_encode([*args], inputs), {k: _encode(v, inputs) for k, v in kwargs.items()}]
    )
    attributes: dict[str, Any] = {"function": name, "call": text}
    if number:
        attributes["num_results"] = number
    if reads_elements or name.startswith("linalg."):
        # A decomposition may be a part of any function of linalg.
        attributes["reads_elements"] = True
    return inputs, attributes


def on_arrays(name: str) -> Callable[[Function], Function]:
    """Return a decorator of a function that reads elements: with symbols, its call is deferred.

    Parameters
    ----------
    name : str
        Name in `mx.np`.
    """

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            if any(map(_has_symbol, args)) or (kwargs and any(map(_has_symbol, kwargs.values()))):
                return deferred(name, args, kwargs, reads_elements=True)
            return function(*args, **kwargs)

        return called

    return decorate


def _has_symbol(value: Any) -> bool:
    return any(map(is_symbol, value)) if isinstance(value, (list, tuple)) else is_symbol(value)


# -- arguments as JSON --------------------------------------------------------------------------


class Slot(NamedTuple):
    """An input of the operator among the arguments of a call."""

    position: int


def _encode(value: Any, inputs: list[Any]) -> Any:
    """Return an argument in the types of JSON; append its symbols and arrays to `inputs`."""
    if isinstance(value, Slot):
        return {"input": value.position}
    if isinstance(value, NDArray | np.ndarray):
        array = value if isinstance(value, NDArray) else F.array(value, dtype=value.dtype)
        value = constant(symbol_operators(), array)
    if is_symbol(value):
        inputs.append(value)
        return {"input": len(inputs) - 1}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, list):
        return [_encode(item, inputs) for item in value]
    if isinstance(value, tuple):
        return {"tuple": [_encode(item, inputs) for item in value]}
    if isinstance(value, slice):
        return {"slice": [value.start, value.stop, value.step]}
    if isinstance(value, type | np.dtype):
        return {"dtype": np.dtype(value).name}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"an argument of type {type(value).__name__} cannot be part of a graph")


def _decode(value: Any, inputs: Sequence[Any]) -> Any:
    """Return the argument that `_encode` received, with other inputs."""
    if isinstance(value, list):
        return [_decode(item, inputs) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        ((kind, content),) = value.items()
        if kind == "input":
            return inputs[content]
        if kind == "tuple":
            return tuple(_decode(content, inputs))
        if kind == "slice":
            return slice(*content)
        if kind == "dtype":
            return np.dtype(content)
    return {key: _decode(item, inputs) for key, item in value.items()}
