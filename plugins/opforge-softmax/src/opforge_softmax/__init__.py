"""Softmax operators: softmax, log_softmax, softmin, cross-entropy and SoftmaxOutput.

A plugin of opforge; nothing is imported before one of its operators is used.
"""

from collections.abc import Mapping

from opforge.plugin_api import hookimpl


@hookimpl
def opforge_operators() -> list[type]:
    """Return the declarations of this plugin."""
    from . import cross_entropy, gradients, operators, output

    return [
        *operators.OPERATORS,
        *gradients.OPERATORS,
        *cross_entropy.OPERATORS,
        output.SoftmaxOutput,
    ]


@hookimpl
def opforge_contributions() -> Mapping[str, Mapping[str, object]]:
    """Return the translations of its operators to ONNX."""
    from .onnx import RULES

    return {"rule": RULES}
