"""The declarations of Convolution and Deconvolution; C computes them."""

from typing import Any

from opforge.plugin_api import Attribute, Shape, layouts, native

from . import blocking

LIBRARY = native.load(f"{__package__}._native")


class Sliding(native.NativeOperator):
    """Attributes of a sliding filter, shared by all operators here."""

    kernel = Attribute(Shape, ge=1, doc="Lengths of a filter: (w,), (h, w) or (d, h, w).")
    stride = Attribute(Shape, (), ge=1, doc="Steps from place to place; (): 1.")
    dilate = Attribute(Shape, (), ge=1, doc="Steps between elements of a filter; (): 1.")
    pad = Attribute(Shape, (), ge=0, doc="Zeros on both sides of each dimension; (): 0.")


class Filtering(Sliding):
    """An operator that has filters to learn, and perhaps a bias for each channel of the output."""

    category = "linear"
    arguments = ("data", "weight", "bias")
    num_filter = Attribute(int, ge=1, doc="Number of channels of the output.")
    num_group = Attribute(int, default=1, ge=1, doc="Groups of channels that do not meet.")
    workspace = Attribute(int, default=1024, ge=0, doc="Accepted for MXNet's sake.")
    no_bias = Attribute(bool, default=False, doc="Leave the bias out.")
    cudnn_tune = Attribute(
        str,
        default=None,
        choices=("fastest", "limited_workspace", "off"),
        doc="Accepted for MXNet's sake.",
    )
    cudnn_off = Attribute(bool, default=False, doc="Accepted for MXNet's sake: there is no cuDNN.")
    layout = Attribute(
        str,
        default=None,
        choices=("NCDHW", "NCHW", "NCW", "NDHWC", "NHWC", "NWC"),
        doc="Order of the dimensions of data, output and, with N for its filters, weight.",
    )
    epilogues = (
        *("add", "subtract", "multiply", "divide", "maximum", "minimum"),
        *("relu", "sigmoid", "tanh", "softrelu", "softsign", "erf", "exp", "expm1"),
        *("abs", "negative", "square", "sqrt"),
    )
    # The bias is not needed again: its memory is free once forward has run.
    saves = ("data", "weight")

    def list_arguments(self) -> list[str]:
        """Leave out the bias on request."""
        return ["data", "weight"] if self.no_bias else ["data", "weight", "bias"]


class Convolution(Filtering):
    r"""Slide filters over signals, images or volumes: each place gives a sum of products.

    .. math:: y_{n, o, p} = b_o + \sum_{c} \sum_{k} w_{o, c, k} \, x_{n, c, \, p s + k d - q}
    """

    name = "Convolution"
    aliases = ("Convolution_v1",)
    library = LIBRARY
    argument_docs = {
        "data": "(n, channels, w), (n, channels, h, w) or (n, channels, d, h, w); floating",
        "weight": "(num_filter, channels / num_group, *kernel)",
        "bias": "(num_filter,); without no_bias",
    }
    blocked = Attribute(
        str,
        default=None,
        choices=("sums", "winograd"),
        optional=True,
        doc="Channels of all arrays come in lanes, and how a result is computed of them.",
    )

    def blocked_form(self, inputs: Any, needs_gradient: bool) -> layouts.BlockedForm | None:
        """Compute predictions on blocks, where each place has a vector of channels."""
        return blocking.blocked_form(self, LIBRARY.LANES, inputs, needs_gradient)


class Aimed(Sliding):
    """Attributes that choose the length of a transposed convolution's output."""

    adj = Attribute(Shape, (), ge=0, doc="Places to add at the end; less than the stride.")
    target_shape = Attribute(
        Shape, (), ge=0, doc="Lengths of the output; pad and adj follow from them."
    )


class Deconvolution(Filtering, Aimed):
    """Spread each place over where a convolution would have taken it from: its gradient."""

    name = "Deconvolution"
    library = LIBRARY
    argument_docs = {
        "data": "(n, channels, w), (n, channels, h, w) or (n, channels, d, h, w); floating",
        "weight": "(channels, num_filter / num_group, *kernel)",
        "bias": "(num_filter,); with no_bias=False",
    }
    workspace = Attribute(int, default=512, ge=0, doc="Accepted for MXNet's sake.")
    no_bias = Attribute(bool, default=True, doc="Leave the bias out.")
