"""Recurrent networks: whole sequences through layers of RNN, LSTM or GRU.

A plugin of opforge; nothing is imported before one of its operators or layers is used.
"""

from opforge.plugin_api import hookimpl


@hookimpl
def opforge_operators() -> list[type]:
    """Return the declarations of this plugin."""
    from . import operators

    return [operators.RNN, operators.RNNPrediction]


@hookimpl
def opforge_layers() -> list[type]:
    """Return the layer and cell classes of this plugin."""
    from . import layers
    from .cells import CELLS

    return [*layers.LAYERS, *CELLS]
