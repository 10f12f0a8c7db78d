"""Rules for the other operators of the core: sums, casts, constants, bounds."""

from typing import Any

import numpy as np

from opforge.plugin_api import F

from ..exporting.call import Call

__all__ = [
    "add_n",
    "amp_multicast",
    "arange",
    "clip",
    "constant",
    "filled",
    "identity",
    "like_first",
    "ones_like",
    "quadratic",
    "shape_array",
    "size_array",
    "smooth_l1",
    "zeros_like",
]


def identity(prop: Any, call: Call) -> str:
    """Translate operators that return the first input in predictions."""
    return str(call.node("Identity", call.inputs[0]))


def like_first(prop: Any, call: Call) -> str:
    """Translate a cast of the first input to the dtype of the output."""
    return call.cast(call.inputs[0], call.outputs[0].dtype)


def amp_multicast(prop: Any, call: Call) -> list[str]:
    """Translate amp_multicast: casts to a common dtype."""
    return [call.cast(x, out.dtype) for x, out in zip(call.inputs, call.outputs, strict=True)]


def add_n(prop: Any, call: Call) -> str:
    """Translate add_n."""
    return str(call.node("Sum", *call.inputs))


def clip(prop: Any, call: Call) -> str:
    """Translate clip."""
    bounds = [call.constant(value) for value in (prop.a_min, prop.a_max)]
    return str(call.node("Clip", call.inputs[0], *bounds))


def _fill(call: Call, value: float) -> str:
    """Return an array of the first input's shape when the graph runs."""
    scalar = call.constant(value, call.outputs[0].dtype)
    return str(call.node("Expand", scalar, call.node("Shape", call.inputs[0])))


def zeros_like(prop: Any, call: Call) -> str:
    """Translate zeros_like."""
    return _fill(call, 0)


def ones_like(prop: Any, call: Call) -> str:
    """Translate ones_like."""
    return _fill(call, 1)


def shape_array(prop: Any, call: Call) -> str:
    """Translate shape_array."""
    return str(call.node("Shape", call.inputs[0]))


def size_array(prop: Any, call: Call) -> str:
    """Translate size_array."""
    return str(call.node("Unsqueeze", call.node("Size", call.inputs[0]), call.integers(0)))


def constant(prop: Any, call: Call) -> str:
    """Translate an operator without inputs: its result becomes a constant."""
    given = _attributes(prop)
    if "shape" in given:  # sizes of 0 follow from what reads it
        given["shape"] = call.outputs[0].shape
    values = getattr(F, type(prop).name)(**given)
    return call.constant(values.asnumpy(), call.outputs[0].dtype)


def filled(prop: Any, call: Call) -> str:
    """Translate an array of equal numbers, some of whose sizes may change."""
    out = call.outputs[0]
    if not out.open_axes:
        return constant(prop, call)
    values = getattr(F, type(prop).name)(**_attributes(prop, shape=(1,))).asnumpy()
    whole = str(call.node("Expand", call.constant(values, out.dtype), call.shape_of(out)))
    if not values.any():
        call.graph.zeros.add(whole)
    return whole


def arange(prop: Any, call: Call) -> str:
    """Translate arange, whose length may change."""
    out = call.outputs[0]
    if not out.open_axes:
        return constant(prop, call)
    start = 0 if prop.stop is None else prop.start
    other = call.for_larger or prop
    call.require_for_all_sizes(
        prop.repeat == 1
        and other.step == prop.step
        and (prop.stop is None or other.start == start),
        "its length may change, and its numbers with it",
    )
    length = call.node("Squeeze", call.shape_of(out), call.integers(0))
    bounds = [call.constant(0, np.int64), length, call.constant(1, np.int64)]
    indices = call.cast(call.node("Range", *bounds), out.dtype)
    steps = call.node("Mul", indices, call.constant(prop.step, out.dtype))
    return str(call.node("Add", steps, call.constant(start, out.dtype)))


def _attributes(prop: Any, **others: Any) -> dict[str, Any]:
    """Return the attributes of a declaration, some of which are replaced."""
    return {**{key: getattr(prop, key) for key in prop.attributes}, **others}


def smooth_l1(prop: Any, call: Call) -> str:
    """Translate smooth_l1: a parabola near zero, a line beyond 1 / scalar**2."""
    x, squared = call.inputs[0], float(prop.scalar) ** 2
    size = call.node("Abs", x)
    parabola = call.node("Mul", call.node("Mul", x, x), call.constant(squared / 2))
    line = call.node("Sub", size, call.constant(0.5 / squared))
    return str(
        call.node("Where", call.node("Less", size, call.constant(1 / squared)), parabola, line)
    )


def quadratic(prop: Any, call: Call) -> str:
    """Translate quadratic by Horner's method."""
    x = call.inputs[0]
    slope = call.node("Add", call.node("Mul", x, call.constant(prop.a)), call.constant(prop.b))
    return str(call.node("Add", call.node("Mul", slope, x), call.constant(prop.c)))
