"""The declarations of Convolution and Deconvolution; C computes them."""

from opforge.plugin_api import Attribute, Shape, native

#: The largest number that C takes for steps and lengths: sums and products of two fit 64 bits.
MOST = 2**31 - 1
LAYOUTS = ("NCDHW", "NCHW", "NCW", "NDHWC", "NHWC", "NWC")
TUNING = ("fastest", "limited_workspace", "off")
LIBRARY = native.load(f"{__package__}._native")


class Sliding(native.NativeOperator):
    """What says how a filter slides; every operator here begins with it."""

    category = "linear"
    kernel = Attribute(Shape, ge=1, le=MOST, doc="Lengths of a filter: (w,), (h, w) or (d, h, w).")
    stride = Attribute(Shape, (), ge=1, le=MOST, doc="Steps from place to place; (): 1.")
    dilate = Attribute(Shape, (), ge=1, le=MOST, doc="Steps between elements of a filter; (): 1.")
    pad = Attribute(Shape, (), ge=0, le=MOST, doc="Zeros on both sides of each dimension; (): 0.")


class Convolution(Sliding):
    """Slide filters over signals, pictures or volumes: each place gives a sum of products."""

    name = "Convolution"
    aliases = ("Convolution_v1",)
    library = LIBRARY
    arguments = ("data", "weight", "bias")
    argument_docs = {
        "data": "(n, channels, w), (n, channels, h, w) or (n, channels, d, h, w); floating",
        "weight": "(num_filter, channels / num_group, *kernel)",
        "bias": "(num_filter,); without no_bias",
    }
    num_filter = Attribute(int, ge=1, le=MOST, doc="Number of filters, the output's channels.")
    num_group = Attribute(int, default=1, ge=1, le=MOST, doc="Groups that do not see each other.")
    workspace = Attribute(int, default=1024, ge=0, doc="Accepted for MXNet's sake.")
    no_bias = Attribute(bool, default=False, doc="Leave the bias out.")
    cudnn_tune = Attribute(str, default=None, choices=TUNING, doc="Accepted for MXNet's sake.")
    cudnn_off = Attribute(bool, default=False, doc="Accepted for MXNet's sake: there is no cuDNN.")
    layout = Attribute(str, default=None, choices=LAYOUTS, doc="Order of data's dimensions.")
    # The bias is not needed again: its memory is free once forward has run.
    saves = ("data", "weight")

    def list_arguments(self) -> list[str]:
        """Leave out the bias on request."""
        return ["data", "weight"] if self.no_bias else ["data", "weight", "bias"]


class Deconvolution(Sliding):
    """Spread each place over where a convolution would have taken it from: its gradient."""

    name = "Deconvolution"
    library = LIBRARY
    arguments = ("data", "weight", "bias")
    argument_docs = {
        "data": "(n, channels, w), (n, channels, h, w) or (n, channels, d, h, w); floating",
        "weight": "(channels, num_filter / num_group, *kernel)",
        "bias": "(num_filter,); with no_bias=False",
    }
    adj = Attribute(Shape, (), ge=0, le=MOST, doc="Places to add at the end; less than the stride.")
    target_shape = Attribute(
        Shape, (), ge=0, le=MOST, doc="Lengths of the output; pad and adj follow from them."
    )
    num_filter = Attribute(int, ge=1, le=MOST, doc="The output's channels.")
    num_group = Attribute(int, default=1, ge=1, le=MOST, doc="Groups that do not see each other.")
    workspace = Attribute(int, default=512, ge=0, doc="Accepted for MXNet's sake.")
    no_bias = Attribute(bool, default=True, doc="Leave the bias out.")
    cudnn_tune = Attribute(str, default=None, choices=TUNING, doc="Accepted for MXNet's sake.")
    cudnn_off = Attribute(bool, default=False, doc="Accepted for MXNet's sake: there is no cuDNN.")
    layout = Attribute(str, default=None, choices=LAYOUTS, doc="Order of data's dimensions.")
    saves = ("data", "weight")

    def list_arguments(self) -> list[str]:
        """Leave out the bias unless it is asked for."""
        return ["data", "weight"] if self.no_bias else ["data", "weight", "bias"]
