"""Normalisation operators and layers: LayerNorm, BatchNorm, InstanceNorm, min-max, centring.

A plugin of opforge; nothing is imported before one of its operators or layers is used.
"""

from opforge.plugin_api import hookimpl


@hookimpl
def opforge_operators() -> list[type]:
    """Return the declarations of this plugin."""
    from . import batch_norm, instance_norm, layer_norm, range_norms

    return [
        layer_norm.LayerNorm,
        instance_norm.InstanceNorm,
        batch_norm.BatchNorm,
        *range_norms.OPERATORS,
    ]


@hookimpl
def opforge_layers() -> list[type]:
    """Return the layer classes of this plugin."""
    from . import layers, range_layers

    return [*layers.LAYERS, *range_layers.LAYERS]
