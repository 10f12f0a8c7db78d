"""Recurrent networks: the operator RNN, layers and cells of RNN, LSTM and GRU.

A plugin of opforge; its modules are imported when one of its operators or layers is first used.
"""

from collections.abc import Mapping

from opforge.plugin_api import hookimpl


@hookimpl
def opforge_operators() -> list[type]:
    """Return the operator declarations of this plugin."""
    from . import operators

    return [operators.RNN, operators.RNNPrediction]


@hookimpl
def opforge_layers() -> list[type]:
    """Return the layer and cell classes of this plugin."""
    from . import layers
    from .cells import CELLS

    return [*layers.LAYERS, *CELLS]


@hookimpl
def opforge_contributions() -> Mapping[str, Mapping[str, object]]:
    """Return the translations of its operators to ONNX."""
    from .onnx import RULES

    return {"rule": RULES}
