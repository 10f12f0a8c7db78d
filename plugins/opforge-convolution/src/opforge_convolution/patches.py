"""The declarations of im2col and col2im; C computes them."""

from opforge.plugin_api import Attribute, Shape, native

from .operators import LIBRARY, Sliding


class Im2col(Sliding):
    """Make a column of what lies under a filter in each of its places."""

    name = "im2col"
    category = "shape"
    library = LIBRARY
    argument_docs = {"data": "(n, channels, w), (n, channels, h, w) or (n, channels, d, h, w)"}
    saves = ()


class Sized(native.NativeOperator):
    """Attribute for the size of images that are assembled from columns."""

    output_size = Attribute(Shape, ge=1, doc="(w,), (h, w) or (d, h, w) of the result.")


class Col2im(Sliding, Sized):
    """Add columns up where `im2col` would have taken them from: its gradient."""

    name = "col2im"
    category = "shape"
    library = LIBRARY
    argument_docs = {"data": "(n, channels * elements of the kernel, places)"}
    saves = ()
