"""`_winograd_weight`: filters as Winograd's convolution on blocks multiplies by them."""

from opforge.plugin_api import native

from .operators import LIBRARY


class WinogradWeight(native.NativeOperator):
    """Transform filters of 3x3 for the blocked form of Convolution that multiplies as Winograd's.

    Graphs compute it once for weights that stay as they are.
    """

    name = "_winograd_weight"
    category = "linear"
    arguments = ("weight",)
    library = LIBRARY
    differentiable = False
    argument_docs = {"weight": "(filters, channels, 3, 3); float32 or float64"}
