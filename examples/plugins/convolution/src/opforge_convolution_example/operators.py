"""Declaration of convolve; `_native.c` computes it."""

from opforge.plugin_api import Attribute, Shape, native


class Convolve(native.NativeOperator):
    """Convolve images (n, c, h, w) with filters (filters, c, rows, columns) and add a bias."""

    name = "convolve"
    library = native.load(f"{__package__}._native")
    arguments = ("data", "weight", "bias")
    argument_docs = {
        "data": "images, (n, channels, height, width)",
        "weight": "(num_filter, channels, *kernel)",
        "bias": "(num_filter,)",
    }
    dtypes = ("float32", "float64")
    kernel = Attribute(Shape, doc="Rows and columns of the filters.")
    num_filter = Attribute(int, ge=1, doc="Number of filters.")
    stride = Attribute(int, default=1, ge=1, doc="Step between filter positions.")
    pad = Attribute(int, default=0, ge=0, doc="Zero padding of each image.")
    # Backward does not need the bias, so its memory is free after forward.
    saves = ("data", "weight")
    # The matrix products apply all of them.
    epilogues = native.EPILOGUES
