"""Declarations of im2col and col2im, which are implemented in C."""

from opforge.plugin_api import Attribute, Shape, native

from .operators import LIBRARY, Sliding


class Im2col(Sliding):
    """Rearrange the elements under a filter at each position into a column.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.im2col(nd.array([[[[1, 2, 3]]]]), kernel=(1, 2)).asnumpy().tolist()
    [[[1.0, 2.0], [2.0, 3.0]]]
    """

    name = "im2col"
    category = "shape"
    library = LIBRARY
    argument_docs = {"data": "(n, channels, w), (n, channels, h, w) or (n, channels, d, h, w)"}
    saves = ()


class Sized(native.NativeOperator):
    """Base class with the size of images that are assembled from columns."""

    output_size = Attribute(Shape, ge=1, doc="(w,), (h, w) or (d, h, w) of the result.")


class Col2im(Sliding, Sized):
    """Add columns to the positions that `im2col` reads them from: its gradient.

    Examples
    --------
    >>> from opforge import nd
    >>> columns = nd.array([[[1, 2], [2, 3]]])
    >>> nd.col2im(columns, output_size=(1, 3), kernel=(1, 2)).asnumpy().tolist()
    [[[[1.0, 4.0, 3.0]]]]
    """

    name = "col2im"
    category = "shape"
    library = LIBRARY
    argument_docs = {"data": "(n, channels * elements of the kernel, positions)"}
    saves = ()
