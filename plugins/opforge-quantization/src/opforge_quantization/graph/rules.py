"""Operators that have a quantized form, and how it differs from the original."""

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..operators.recurrent import UNSUPPORTED
from .rows import Node

__all__ = ["ASYMMETRIC", "CALIBRATED_INPUTS", "DEQUANTIZE", "QUANTIZE", "REQUANTIZE"]
__all__ += ["FILTERS", "SCALE", "Rule", "has_calibrated_output", "rule_of", "value_of"]

QUANTIZE = "_contrib_quantize_v2"
#: Conversion to uint8 with a scale and a shift, for recurrent layers.
ASYMMETRIC = "_contrib_quantize_asym"
DEQUANTIZE = "_contrib_dequantize"
REQUANTIZE = "_contrib_requantize"
#: Ends of the names of parameters with the integers of filters, and of those with their scales.
FILTERS, SCALE = "_int8", "_scale"
#: Operators whose range follows from the first input of calibration.
CALIBRATED_INPUTS = frozenset({ASYMMETRIC, QUANTIZE, REQUANTIZE})
#: Those whose range follows from the first output, if it is not float32.
_CALIBRATED_OUTPUTS = frozenset(
    {"_contrib_quantized_batch_norm", "_int8_convolution", "_int8_dense"}
)


@dataclass(frozen=True)
class Rule:
    """The quantized form of an operator.

    Parameters
    ----------
    operator : str
    pays : bool
        Whether it is worth converting its inputs; in mode "smart" other operators are quantized
        only between such ones.
    is_wide : bool
        Whether the result is int32 and must be converted to 8 bits.
    is_relu : bool
        Whether it replaces negative numbers by 0.
    keeps_range : bool
        Whether integers of the result stand for the same real numbers as those of the data.
    real_inputs : tuple of int
        Inputs that are not quantized.
    n_states : int
        Number of auxiliary states, the last inputs; ranges precede them.
    is_recurrent : bool
        Whether the data has a scale and a shift instead of a range, and results are real numbers.
    needs_calibration : bool
    accepts : callable
        Function of a node that returns whether it can be quantized.
    """

    operator: str
    pays: bool = False
    is_wide: bool = False
    is_relu: bool = False
    keeps_range: bool = False
    real_inputs: tuple[int, ...] = ()
    n_states: int = 0
    is_recurrent: bool = False
    needs_calibration: bool = False
    accepts: Callable[[Node], bool] = lambda node: True


def value_of(node: Node, name: str, default: Any) -> Any:
    """Return the value of an attribute, which graphs store as text."""
    text = node.attributes.get(name)
    if text is None:
        return default
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text


def has_calibrated_output(node: Node) -> bool:
    """Return whether the result of a node needs a range from calibration."""
    return node.operator in _CALIBRATED_OUTPUTS and node.attributes.get("out_type") != "float32"


def _has_channels_first(node: Node) -> bool:
    layout = str(value_of(node, "layout", None))
    return layout == "None" or layout.startswith("NC")


def _can_pool(node: Node) -> bool:
    is_known = value_of(node, "pool_type", "max") in ("avg", "max")
    convention = value_of(node, "pooling_convention", "valid")
    return is_known and convention in ("full", "valid") and _has_channels_first(node)


def _is_plain_lstm(node: Node) -> bool:
    is_plain = all(value_of(node, name, None) in (None, False) for name in UNSUPPORTED)
    return is_plain and node.attributes["mode"] == "lstm"


_RULES = {
    "Activation": Rule(
        "_contrib_quantized_act",
        is_relu=True,
        keeps_range=True,
        accepts=lambda node: node.attributes["act_type"] == "relu",
    ),
    "BatchNorm": Rule(
        "_contrib_quantized_batch_norm",
        real_inputs=(1, 2, 3, 4),
        n_states=2,
        needs_calibration=True,
        accepts=lambda node: not value_of(node, "output_mean_var", False),
    ),
    "Concat": Rule("_contrib_quantized_concat", accepts=lambda node: value_of(node, "dim", 1) > 0),
    "Convolution": Rule(
        "_contrib_quantized_conv", pays=True, is_wide=True, accepts=_has_channels_first
    ),
    "Embedding": Rule(
        "_contrib_quantized_embedding",
        real_inputs=(0,),
        accepts=lambda node: value_of(node, "dtype", "float32") in (0, "float32"),
    ),
    "Flatten": Rule("_contrib_quantized_flatten", keeps_range=True),
    "FullyConnected": Rule("_contrib_quantized_fully_connected", pays=True, is_wide=True),
    "Pooling": Rule("_contrib_quantized_pooling", keeps_range=True, accepts=_can_pool),
    "RNN": Rule(
        "_contrib_quantized_rnn",
        pays=True,
        real_inputs=(1, 2, 3),
        is_recurrent=True,
        accepts=_is_plain_lstm,
    ),
    "elemwise_add": Rule("_contrib_quantized_elemwise_add", is_wide=True),
    "elemwise_mul": Rule("_contrib_quantized_elemwise_mul", is_wide=True),
}


def rule_of(node: Node) -> Rule | None:
    """Return how a node is quantized; None if it has no quantized form."""
    rule = _RULES.get(node.operator)
    return rule if rule is not None and rule.accepts(node) else None
