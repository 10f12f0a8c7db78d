"""Declaration of `_winograd_weight`, which transforms filters for blocked convolutions."""

from opforge.plugin_api import native

from .operators import LIBRARY


class WinogradWeight(native.NativeOperator):
    """Transform 3x3 filters for the blocked form of Convolution with Winograd's algorithm.

    Graphs compute it once for constant weights.
    """

    name = "_winograd_weight"
    category = "linear"
    arguments = ("weight",)
    library = LIBRARY
    differentiable = False
    dtypes = ("float32", "float64")
    argument_docs = {"weight": "(filters, channels, 3, 3); float32 or float64"}
