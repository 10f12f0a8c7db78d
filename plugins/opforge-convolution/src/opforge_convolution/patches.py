"""The declarations of im2col and col2im; C computes them."""

from opforge.plugin_api import Attribute, Shape

from .operators import LIBRARY, MOST, Sliding


class Im2col(Sliding):
    """Make each place of a filter a column of what lies under it."""

    name = "im2col"
    category = "shape"
    library = LIBRARY
    argument_docs = {"data": "(n, channels, w), (n, channels, h, w) or (n, channels, d, h, w)"}
    saves = ()


class Col2im(Sliding):
    """Add up columns where `im2col` would have taken them from: its gradient."""

    name = "col2im"
    category = "shape"
    library = LIBRARY
    argument_docs = {"data": "(n, channels * elements of the kernel, places)"}
    output_size = Attribute(Shape, ge=1, le=MOST, doc="(w,), (h, w) or (d, h, w) of the result.")
    saves = ()
