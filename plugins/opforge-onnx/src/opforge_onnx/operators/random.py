"""Rules for random numbers of the core; each run of the graph draws others."""

from typing import Any

from ..exporting.call import Call
from ..exporting.element_types import onnx_type

__all__ = ["normal", "normal_like", "uniform", "uniform_like"]


def _draw(call: Call, kind: str, **attributes: Any) -> str:
    out = call.outputs[0]
    return str(call.node(kind, dtype=onnx_type(out.dtype), shape=out.shape, **attributes))


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
