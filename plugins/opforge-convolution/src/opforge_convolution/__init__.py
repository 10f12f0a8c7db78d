"""Convolution operators, implemented in C, and layers.

A plugin of opforge; its modules are imported when one of its operators or layers is first used.
"""

from collections.abc import Mapping

from opforge.plugin_api import hookimpl


@hookimpl
def opforge_operators() -> list[type]:
    """Return the operator declarations of this plugin."""
    from . import deformable, operators, patches, winograd

    return [
        operators.Convolution,
        operators.Deconvolution,
        winograd.WinogradWeight,
        deformable.DeformableConvolution,
        deformable.ModulatedDeformableConvolution,
        patches.Im2col,
        patches.Col2im,
    ]


@hookimpl
def opforge_layers() -> list[type]:
    """Return the layer classes of this plugin."""
    from . import deformable_layers, layers, transposed_layers

    return [*layers.LAYERS, *transposed_layers.LAYERS, *deformable_layers.LAYERS]


@hookimpl
def opforge_contributions() -> Mapping[str, Mapping[str, object]]:
    """Return the translations of its operators to ONNX."""
    from .onnx import RULES

    return {"rule": RULES}
