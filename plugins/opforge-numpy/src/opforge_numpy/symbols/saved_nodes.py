"""Nodes of MXNet's `mx.np` in symbol files, read as calls of functions of `mx.np`.

MXNet writes an operator of its own for each function, ``_npi_true_divide`` for ``np.true_divide``.
A row of the tables here describes one whose inputs and attributes are not simply the arguments of
the function of the same name.
"""

import ast
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from opforge.plugin_api import AttributeValueError

from .calls import Slot, call_attributes

__all__ = ["read"]

Values = dict[str, Any]
#: Positional and named arguments of a function, from the inputs and the attributes of a node.
Arguments = tuple[list[Any], Values]
Reader = Callable[[list[Slot], Values], Arguments]

#: Attributes that describe the other inputs, or have no effect here.
_IGNORED = ("ctx", "has_weights", "is_int", "is_logit", "num_args", "weighted")


def read(operator: str, attributes: dict[str, str], count: int) -> tuple[str, dict[str, str]]:
    """Return the operator and the attributes that stand for a node of a file.

    Parameters
    ----------
    operator : str
        Operator of MXNet.
    attributes : dict of str
    count : int
        Number of inputs; the operator that is returned has the same inputs.

    Raises
    ------
    AttributeValueError
        An attribute has a value that the function of `mx.np` does not take.
    """
    values = {name: _value(text) for name, text in attributes.items()}
    renamed = _OPERATORS.get(operator)
    if renamed is not None:
        return renamed, {name: text for name, text in attributes.items() if name != "ctx"}
    function, reader = _reader(operator)
    inputs = [Slot(position) for position in range(count)]
    try:
        args, kwargs = reader(inputs, values)
        _, found = call_attributes(function, args, kwargs, _reads_elements(function, args))
    except (TypeError, ValueError, LookupError) as error:
        raise AttributeValueError(
            f"operator {operator!r} of MXNet has {count} inputs and attributes {attributes}, which "
            f"np.{function} does not take: {type(error).__name__}: {error}"
        ) from error
    found["num_args"] = count
    return "_np_call", {name: str(value) for name, value in found.items()}


#: Functions that read elements, which graphs have when they run.
_READING = frozenset(
    ("bincount", "bitwise_and", "bitwise_or", "bitwise_xor", "lcm", "npx.nonzero", "unique")
)
#: Functions that read the elements of their second argument if it is an array: indices, ranks.
_READING_SECOND = ("delete", "insert", "percentile")


def _reads_elements(function: str, args: Sequence[Any]) -> bool:
    if function == "pad":
        return args[2] in ("maximum", "minimum")
    in_second = function in _READING_SECOND and isinstance(args[1], Slot)
    return in_second or function in _READING


def _value(text: str) -> Any:
    """Return the value of an attribute: a number, a tuple, a bool, None or a string."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text
    return tuple(value) if isinstance(value, list) else value


def _reader(operator: str) -> tuple[str, Reader]:
    """Return the name of a function, and how its arguments follow from a node."""
    if operator in _READERS:
        return _READERS[operator]
    _, _, name = operator[1:].partition("_")  # after np, npi or npx
    if name.endswith("_scalar"):
        name = name.removesuffix("_scalar")
        if name in _REFLECTED:
            return name[1:], _scalar_first
        return name, _scalar
    return name, _same


def _same(inputs: list[Slot], values: Values) -> Arguments:
    """Take the inputs in order and the attributes by name, except those without a value."""
    return [*inputs], {
        name: value for name, value in values.items() if value is not None and name not in _IGNORED
    }


def _number(values: Values) -> float:
    """Return the number of an operator with a scalar, which files contain as a float."""
    number = float(values.get("scalar", 1))
    is_whole = number.is_integer() and values.get("is_int", True)
    return int(number) if is_whole else number


def _scalar(inputs: list[Slot], values: Values) -> Arguments:
    return [inputs[0], _number(values)], {}


def _scalar_first(inputs: list[Slot], values: Values) -> Arguments:
    return [_number(values), inputs[0]], {}


#: Names of functions with a scalar as first argument.
_REFLECTED = frozenset(
    f"r{name}"
    for name in ("arctan2", "copysign", "ldexp", "mod", "power", "subtract", "true_divide")
)


def _rename(**names: str) -> Reader:
    """Return a reader that gives attributes other names."""

    def reader(inputs: list[Slot], values: Values) -> Arguments:
        args, kwargs = _same(inputs, values)
        return args, {names.get(name, name): value for name, value in kwargs.items()}

    return reader


def _sequence(inputs: list[Slot], values: Values) -> Arguments:
    """Take the inputs as one list; the axis None flattens them."""
    has_axis = not values.keys().isdisjoint(("axis", "dim"))
    return [inputs], {"axis": values.get("axis", values.get("dim"))} if has_axis else {}


def _in_order(*names: str) -> Reader:
    """Return a reader that takes attributes in order, those without a value from the inputs."""

    def reader(inputs: list[Slot], values: Values) -> Arguments:
        rest = iter(inputs)
        args = [values.pop(name, None) for name in names]
        args = [next(rest, None) if value is None else value for value in args]
        return args, _same([], values)[1]

    return reader


def _batch(*names: str) -> Reader:
    """Return a reader of parameters of distributions and of how many numbers each gives."""

    def reader(inputs: list[Slot], values: Values) -> Arguments:
        args, kwargs = _in_order(*names)(inputs, values)
        return [*args, kwargs.pop("size", None)], kwargs

    return reader


def _where(*names: str) -> Reader:
    """Return a reader of a choice between values, arrays except those named by attributes."""

    def reader(inputs: list[Slot], values: Values) -> Arguments:
        condition, *arrays = inputs
        return [condition, *(float(values.get(n, 0)) if n else arrays.pop(0) for n in names)], {}

    return reader


def _sections(inputs: list[Slot], values: Values) -> Arguments:
    """Take the number of parts, or the indices between them; MXNet begins these with a 0."""
    return [inputs[0], values.get("sections") or tuple(values["indices"])[1:]], {}


def _norm(inputs: list[Slot], values: Values) -> Arguments:
    order = {-2: None, 1: None, 2: "nuc"}.get(values.get("flag", -1), values.get("ord"))
    axis = values.get("axis")
    if isinstance(axis, tuple) and len(axis) == 1:
        (axis,) = axis
    return [inputs[0], order, axis], {"keepdims": values.get("keepdims", False)}


def _average(inputs: list[Slot], values: Values) -> Arguments:
    args, kwargs = _same(inputs[:1], values)
    return args, {**kwargs, "weights": inputs[1]} if len(inputs) > 1 else kwargs


def _tensordot(inputs: list[Slot], values: Values) -> Arguments:
    return [*inputs, (values["a_axes_summed"], values["b_axes_summed"])], {}


#: Largest number of elements of a matrix or a window, which a graph keeps as a constant.
_MAX_CONSTANT = 2**24


def _constant(*names: str) -> Reader:
    """Return a reader of lengths, which a file must not make too large for a constant."""

    def reader(inputs: list[Slot], values: Values) -> Arguments:
        lengths = [values[name] for name in names if values.get(name) is not None]
        count = prod(map(int, np.ravel(lengths)))
        if count > _MAX_CONSTANT:
            raise ValueError(f"{count} elements, expected at most {_MAX_CONSTANT}")
        return _same(inputs, values)

    return reader


def _identity(inputs: list[Slot], values: Values) -> Arguments:
    length, _ = values.pop("shape")
    return _constant("n", "n")(inputs, {**values, "n": length})


def _ends(inputs: list[Slot], values: Values) -> Arguments:
    """Take the numbers before and after differences, arrays or attributes."""
    array, *arrays = inputs
    named = {
        name: arrays.pop(0) if values.get(f"{name}_arr_given") else values.get(f"{name}_scalar")
        for name in ("to_begin", "to_end")
    }
    return [array], named


def _choice(inputs: list[Slot], values: Values) -> Arguments:
    """Take the population from an attribute or the first input, the weights from the last."""
    rest = [*inputs]
    weights = {"p": rest.pop()} if values.get("weighted") else {}
    population = rest.pop() if rest else values.get("a")
    return [population, values.get("size"), values.get("replace", True)], weights


def _delete(inputs: list[Slot], values: Values) -> Arguments:
    array, *rest = inputs
    return [array, _selection(rest, values)], {"axis": values.get("axis")}


def _insert(inputs: list[Slot], values: Values) -> Arguments:
    array, *rest = inputs
    new = values.get("val")
    if new is None:
        new = rest.pop(0)
    return [array, _selection(rest, values), new], {"axis": values.get("axis")}


def _selection(arrays: list[Slot], values: Values) -> Any:
    """Return an index, an array of indices if there is one, or a slice."""
    if values.get("int_ind") is not None:
        return values["int_ind"]
    return arrays[0] if arrays else slice(*map(values.get, ("start", "stop", "step")))


def _padding(inputs: list[Slot], values: Values) -> Arguments:
    mode = values.get("mode", "constant")
    extra = {
        "constant": {"constant_values": values.get("constant_value", 0)},
        "reflect": {"reflect_type": values.get("reflect_type", "even")},
        "symmetric": {"reflect_type": values.get("reflect_type", "even")},
    }
    return [inputs[0], values["pad_width"], mode], extra.get(mode, {})


def _draw(function: str, *names: str) -> tuple[str, Reader]:
    return f"random.{function}", _in_order(*names)


def _in_linalg(names: Sequence[str]) -> dict[str, tuple[str, Reader]]:
    return {f"_npi_{name}": (f"linalg.{name}", _same) for name in names}


#: Operators of files that opforge has, with the same inputs and attributes.
_OPERATORS = {
    "_npi_arange": "_arange",
    "_npi_ones": "_ones",
    "_npi_zeros": "_zeros",
    "_npx_relu": "relu",
    "_npx_sigmoid": "sigmoid",
}

_READERS: dict[str, tuple[str, Reader]] = {
    **_in_linalg(("cholesky", "eig", "eigh", "eigvals", "eigvalsh", "solve", "svd", "tensorinv")),
    "_npi_average": ("average", _average),
    "_npi_bernoulli": ("npx.random.bernoulli", _same),
    "_npi_blackman": ("blackman", _constant("M")),
    "_npi_choice": ("random.choice", _choice),
    "_npi_column_stack": ("column_stack", _sequence),
    "_npi_concatenate": ("concatenate", _sequence),
    "_npi_delete": ("delete", _delete),
    "_npi_dsplit": ("dsplit", _sections),
    "_npi_dstack": ("dstack", _sequence),
    "_npi_ediff1d": ("ediff1d", _ends),
    "_npi_exponential": _draw("exponential", "scale"),
    "_npi_eye": ("eye", _constant("N", "M")),
    "_npi_gamma": _draw("gamma", "shape", "scale"),
    "_npi_gumbel": _draw("gumbel", "loc", "scale"),
    "_npi_hamming": ("hamming", _constant("M")),
    "_npi_hanning": ("hanning", _constant("M")),
    "_npi_hsplit": ("hsplit", _sections),
    "_npi_hstack": ("hstack", _sequence),
    "_npi_identity": ("identity", _identity),
    "_npi_indices": ("indices", _constant("dimensions")),
    "_npi_insert_scalar": ("insert", _insert),
    "_npi_insert_slice": ("insert", _insert),
    "_npi_insert_tensor": ("insert", _insert),
    "_npi_logistic": _draw("logistic", "loc", "scale"),
    "_npi_logspace": ("logspace", _constant("num")),
    "_npi_norm": ("linalg.norm", _norm),
    "_npi_normal": _draw("normal", "loc", "scale"),
    "_npi_normal_n": ("npx.random.normal_n", _batch("loc", "scale")),
    "_npi_pad": ("pad", _padding),
    "_npi_pareto": _draw("pareto", "a"),
    "_npi_percentile": ("percentile", _in_order("a", "q_scalar")),
    "_npi_pinv": ("linalg.pinv", _same),
    "_npi_pinv_scalar_rcond": ("linalg.pinv", _same),
    "_npi_powerd": _draw("power", "a"),
    "_npi_rayleigh": _draw("rayleigh", "scale"),
    "_npi_stack": ("stack", _sequence),
    "_npi_tensordot": ("tensordot", _tensordot),
    "_npi_tensordot_int_axes": ("tensordot", _same),
    "_npi_tensorsolve": ("linalg.tensorsolve", _rename(a_axes="axes")),
    "_npi_uniform": _draw("uniform", "low", "high"),
    "_npi_uniform_n": ("npx.random.uniform_n", _batch("low", "high")),
    "_npi_vstack": ("vstack", _sequence),
    "_npi_weibull": _draw("weibull", "a"),
    "_npi_where_lscalar": ("where", _where("scalar", "")),
    "_npi_where_rscalar": ("where", _where("", "scalar")),
    "_npi_where_scalar2": ("where", _where("x", "y")),
    "_npx_nonzero": ("npx.nonzero", _same),
    "_npx_reshape": ("npx.reshape", _same),
}
