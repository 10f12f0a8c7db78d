"""Softmax operators: softmax, log_softmax, softmin, cross-entropy and SoftmaxOutput.

A plugin of opforge; nothing is imported before one of its operators is used.
"""

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
