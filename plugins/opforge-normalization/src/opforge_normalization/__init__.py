"""Normalization operators and layers: LayerNorm, BatchNorm, InstanceNorm, min-max, centering.

A plugin of opforge; its modules are imported when one of its operators or layers is first used.
"""

from collections.abc import Mapping

from opforge.plugin_api import hookimpl


@hookimpl
def opforge_operators() -> list[type]:
    """Return the operator declarations of this plugin."""
    from . import (
        batch_forms,
        batch_norm,
        group_norm,
        instance_norm,
        layer_norm,
        lengths,
        range_norms,
        sync_batch_norm,
    )

    return [
        layer_norm.LayerNorm,
        instance_norm.InstanceNorm,
        batch_norm.BatchNorm,
        group_norm.GroupNorm,
        *batch_forms.OPERATORS,
        sync_batch_norm.SyncBatchNorm,
        *lengths.OPERATORS,
        *range_norms.OPERATORS,
    ]


@hookimpl
def opforge_layers() -> list[type]:
    """Return the layer classes of this plugin."""
    from . import batch_layers, group_layer, layers, range_layers

    modules = (layers, batch_layers, group_layer, range_layers)
    return [layer for module in modules for layer in module.LAYERS]


@hookimpl
def opforge_contributions() -> Mapping[str, Mapping[str, object]]:
    """Return the translations of its operators to ONNX."""
    from .onnx import RULES

    return {"rule": RULES}
