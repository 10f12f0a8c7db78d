"""Image resizing: padding, cropping, upsampling, interpolation and sampling.

A plugin of opforge; its modules are imported when one of its operators or layers is first used.
"""

from collections.abc import Mapping

from opforge.plugin_api import hookimpl


@hookimpl
def opforge_operators() -> list[type]:
    """Return the operator declarations of this plugin."""
    from . import bilinear, blocks, crop, grid, pad, sampling, upsampling

    return [
        pad.Pad,
        crop.Crop,
        bilinear.BilinearResize2D,
        grid.GridGenerator,
        *blocks.OPERATORS,
        *sampling.OPERATORS,
        *upsampling.OPERATORS,
    ]


@hookimpl
def opforge_layers() -> list[type]:
    """Return the layer classes of this plugin."""
    from . import layers, pixel_shuffle

    return [layers.ReflectionPad2D, *pixel_shuffle.LAYERS]


@hookimpl
def opforge_contributions() -> Mapping[str, Mapping[str, object]]:
    """Return the translations of its operators to ONNX."""
    from .onnx import RULES

    return {"rule": RULES}
