"""Declarations of the deformable convolutions, which are implemented in C."""

from opforge.plugin_api import Attribute

from .operators import LIBRARY, Sliding


class Deforming(Sliding):
    """Base class of operators whose filters sample the data at positions displaced by an input."""

    category = "linear"
    num_filter = Attribute(int, ge=1, doc="Number of filters, the channels of the output.")
    num_group = Attribute(int, default=1, ge=1, doc="Number of independent groups of channels.")
    num_deformable_group = Attribute(
        int, default=1, ge=1, doc="Groups of channels that share offsets."
    )
    workspace = Attribute(
        int, default=1024, ge=0, doc="Ignored; accepted for compatibility with MXNet."
    )
    no_bias = Attribute(bool, default=False, doc="Omit the bias.")

    def list_arguments(self) -> list[str]:
        """Return the names of the inputs, without the bias if `no_bias` is set."""
        return [name for name in self.arguments if not (self.no_bias and name == "bias")]


class DeformableConvolution(Deforming):
    """Convolve images with filters whose elements are displaced at each position.

    Examples
    --------
    >>> from opforge import nd
    >>> data, weight = nd.ones((1, 1, 4, 4)), nd.ones((1, 1, 3, 3))
    >>> offset = nd.zeros((1, 2 * 9, 2, 2))  # no shift: an ordinary convolution
    >>> y = nd.contrib.DeformableConvolution(
    ...     data, offset, weight, kernel=(3, 3), num_filter=1, no_bias=True
    ... )
    >>> y.asnumpy().tolist()
    [[[[9.0, 9.0], [9.0, 9.0]]]]
    """

    name = "_contrib_DeformableConvolution"
    library = LIBRARY
    arguments = ("data", "offset", "weight", "bias")
    argument_docs = {
        "data": "(n, channels, h, w), floating",
        "offset": "(n, num_deformable_group * kernel * 2, h, w of the output): down, then right",
        "weight": "(num_filter, channels / num_group, *kernel)",
        "bias": "(num_filter,); without no_bias",
    }
    layout = Attribute(str, default=None, choices=("NCHW",), doc="Order of data's dimensions.")
    saves = ("data", "offset", "weight")


class ModulatedDeformableConvolution(Deforming):
    """Convolve images with filters whose elements are displaced and weighted at each position.

    Examples
    --------
    >>> from opforge import nd
    >>> data, weight = nd.ones((1, 1, 4, 4)), nd.ones((1, 1, 3, 3))
    >>> offset, mask = nd.zeros((1, 2 * 9, 2, 2)), nd.ones((1, 9, 2, 2)) / 2
    >>> y = nd.contrib.ModulatedDeformableConvolution(
    ...     data, offset, mask, weight, kernel=(3, 3), num_filter=1, no_bias=True
    ... )
    >>> y.asnumpy().tolist()
    [[[[4.5, 4.5], [4.5, 4.5]]]]
    """

    name = "_contrib_ModulatedDeformableConvolution"
    library = LIBRARY
    arguments = ("data", "offset", "mask", "weight", "bias")
    argument_docs = {
        "data": "(n, channels, h, w), floating",
        "offset": "(n, num_deformable_group * kernel * 2, h, w of the output): down, then right",
        "mask": "(n, num_deformable_group * kernel, h, w of the output)",
        "weight": "(num_filter, channels / num_group, *kernel)",
        "bias": "(num_filter,); without no_bias",
    }
    im2col_step = Attribute(
        int, default=64, ge=1, doc="Ignored; accepted for compatibility with MXNet."
    )
    layout = Attribute(str, default=None, choices=("NCHW",), doc="Order of data's dimensions.")
    saves = ("data", "offset", "mask", "weight")
