"""The declaration of convolve; `_native.c` computes it."""

from opforge.plugin_api import Attribute, Shape, native


class Convolve(native.NativeOperator):
    """Slide filters over images: (n, c, h, w) with (filters, c, rows, columns) and a bias each."""

    name = "convolve"
    library = native.load(f"{__package__}._native")
    arguments = ("data", "weight", "bias")
    argument_docs = {
        "data": "images, (n, channels, height, width); float32 or float64",
        "weight": "(num_filter, channels, *kernel)",
        "bias": "(num_filter,)",
    }
    kernel = Attribute(Shape, doc="Rows and columns of a filter.")
    num_filter = Attribute(int, ge=1, doc="Number of filters.")
    stride = Attribute(int, default=1, ge=1, doc="Steps between two places of a filter.")
    pad = Attribute(int, default=0, ge=0, doc="Zeros around each image.")
    # The bias is not needed again: its memory is free once forward has run.
    saves = ("data", "weight")
    # The matrix products do them all.
    epilogues = native.EPILOGUES
