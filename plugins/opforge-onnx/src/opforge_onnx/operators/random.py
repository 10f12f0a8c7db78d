"""Rules for random numbers of the core; each run of the graph draws others."""

from typing import Any

import numpy as np

from ..exporting.call import Call
from ..exporting.element_types import onnx_type

__all__ = [
    "exponential",
    "exponential_rows",
    "integers",
    "multinomial",
    "normal",
    "normal_like",
    "normal_rows",
    "shuffle",
    "uniform",
    "uniform_like",
    "uniform_rows",
]


def _draw(call: Call, kind: str, dtype: Any = None, **attributes: Any) -> str:
    """Return random numbers in the shape of the output, by default in its dtype."""
    out = call.outputs[0]
    code = onnx_type(dtype or out.dtype)
    if out.open_axes:
        zeros = call.node("Expand", call.constant(0, np.float32), call.shape_of(out))
        return str(call.node(f"{kind}Like", zeros, dtype=code, **attributes))
    return str(call.node(kind, dtype=code, shape=out.shape, **attributes))


def uniform(prop: Any, call: Call) -> str:
    """Translate uniform."""
    return _draw(call, "RandomUniform", low=prop.low, high=prop.high)


def normal(prop: Any, call: Call) -> str:
    """Translate normal."""
    return _draw(call, "RandomNormal", mean=prop.loc, scale=prop.scale)


def uniform_like(prop: Any, call: Call) -> str:
    """Translate uniform_like."""
    return str(call.node("RandomUniformLike", call.inputs[0], low=prop.low, high=prop.high))


def normal_like(prop: Any, call: Call) -> str:
    """Translate normal_like."""
    return str(call.node("RandomNormalLike", call.inputs[0], mean=prop.loc, scale=prop.scale))


def integers(prop: Any, call: Call) -> str:
    """Translate randint; float64 has all integers of a range."""
    unit = _draw(call, "RandomUniform", np.float64)
    scaled = call.node("Mul", unit, call.constant(prop.high - prop.low, np.float64))
    whole = call.cast(call.node("Floor", scaled), call.outputs[0].dtype)
    return str(call.node("Add", whole, call.constant(prop.low, call.outputs[0].dtype)))


def exponential(prop: Any, call: Call) -> str:
    """Translate exponential and exponential_like."""
    return _exponential(call, call.constant(prop.lam, call.outputs[0].dtype))


def exponential_rows(prop: Any, call: Call) -> str:
    """Translate sample_exponential, which has a rate for each row."""
    return _exponential(call, _as_column(prop, call, call.inputs[0]))


def _exponential(call: Call, rates: str) -> str:
    """Return -log(1 - u) / rate of uniform numbers u."""
    one, unit = call.constant(1, call.outputs[0].dtype), _draw(call, "RandomUniform")
    logarithms = call.node("Log", call.node("Sub", one, unit))
    return str(call.node("Neg", call.node("Div", logarithms, rates)))


def uniform_rows(prop: Any, call: Call) -> str:
    """Translate sample_uniform, which has bounds for each row."""
    low, high = (_as_column(prop, call, value) for value in call.inputs)
    unit = _draw(call, "RandomUniform")
    return str(call.node("Add", call.node("Mul", unit, call.node("Sub", high, low)), low))


def normal_rows(prop: Any, call: Call) -> str:
    """Translate sample_normal, which has parameters for each row."""
    mean, scale = (_as_column(prop, call, value) for value in call.inputs)
    return str(call.node("Add", call.node("Mul", _draw(call, "RandomNormal"), scale), mean))


def _as_column(prop: Any, call: Call, parameters: Any) -> str:
    """Return parameters in the dtype of the output, with an axis for each of the sample."""
    rank = len(parameters.shape)
    found = call.cast(parameters, call.outputs[0].dtype)
    if not prop.shape:
        return found
    axes = call.integers(*range(rank, rank + len(prop.shape)))
    return str(call.node("Unsqueeze", found, axes))


def multinomial(prop: Any, call: Call) -> "str | list[str]":
    """Translate sample_multinomial; ONNX draws by logarithms of probabilities."""
    data, out = call.inputs[0], call.outputs[0]
    classes = data.shape[-1]
    call.require_fixed(data, -1)
    rows = call.node("Log", call.node("Reshape", data, call.integers(-1, classes)))
    count = int(np.prod(prop.shape)) if prop.shape else 1
    drawn = call.node("Multinomial", rows, sample_size=count, dtype=onnx_type(np.int64))
    shape = call.shape_of(out)
    found = [call.cast(call.node("Reshape", drawn, shape), out.dtype)]
    if prop.get_prob:
        chosen = call.node("GatherElements", rows, drawn, axis=1)
        found.append(call.node("Reshape", chosen, shape))
    return found


def shuffle(prop: Any, call: Call) -> str:
    """Translate shuffle: rows in the order of random numbers."""
    data = call.inputs[0]
    count = call.size(data, 0)
    zeros = call.node("Expand", call.constant(0, np.float32), count)
    order = call.node("TopK", call.node("RandomUniformLike", zeros), count, outputs=2)[1]
    return str(call.node("Gather", data, order, axis=0))
