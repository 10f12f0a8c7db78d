"""The declarations of the deformable convolutions; C computes them."""

from opforge.plugin_api import Attribute

from .operators import LIBRARY, Sliding


class Deforming(Sliding):
    """An operator whose filters take each element from a place that an input moves."""

    category = "linear"
    num_filter = Attribute(int, ge=1, doc="Number of filters, the output's channels.")
    num_group = Attribute(int, default=1, ge=1, doc="Groups of channels that do not meet.")
    num_deformable_group = Attribute(
        int, default=1, ge=1, doc="Groups of channels, each of which moves as one."
    )
    workspace = Attribute(int, default=1024, ge=0, doc="Accepted for MXNet's sake.")
    no_bias = Attribute(bool, default=False, doc="Leave the bias out.")

    def list_arguments(self) -> list[str]:
        """Leave out the bias on request."""
        return [name for name in self.arguments if not (self.no_bias and name == "bias")]


class DeformableConvolution(Deforming):
    """Convolve images with filters whose elements are moved, each at each place."""

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
    """Convolve images with filters whose elements are moved and weighted, each at each place."""

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
    im2col_step = Attribute(int, default=64, ge=1, doc="Accepted for MXNet's sake.")
    layout = Attribute(str, default=None, choices=("NCHW",), doc="Order of data's dimensions.")
    saves = ("data", "offset", "mask", "weight")
