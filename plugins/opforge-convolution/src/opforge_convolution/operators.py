"""Declarations of Convolution and Deconvolution, which are implemented in C."""

from typing import Any

from opforge.plugin_api import Attribute, Shape, layouts, native

from . import blocking

LIBRARY = native.load(f"{__package__}._native")


class Sliding(native.NativeOperator):
    """Base class with the attributes of a sliding filter, shared by all operators here."""

    dtypes = ("floating", "bfloat16")
    kernel = Attribute(Shape, ge=1, doc="Size of a filter: (w,), (h, w) or (d, h, w).")
    stride = Attribute(Shape, (), ge=1, doc="Steps between positions of the filter; (): 1.")
    dilate = Attribute(Shape, (), ge=1, doc="Steps between elements of a filter; (): 1.")
    pad = Attribute(Shape, (), ge=0, doc="Zeros on both sides of each dimension; (): 0.")


class Filtering(Sliding):
    """Base class of operators with learned filters and an optional bias per output channel."""

    category = "linear"
    arguments = ("data", "weight", "bias")
    num_filter = Attribute(int, ge=1, doc="Number of channels of the output.")
    num_group = Attribute(int, default=1, ge=1, doc="Number of independent groups of channels.")
    workspace = Attribute(
        int, default=1024, ge=0, doc="Ignored; accepted for compatibility with MXNet."
    )
    no_bias = Attribute(bool, default=False, doc="Omit the bias.")
    cudnn_tune = Attribute(
        str,
        default=None,
        choices=("fastest", "limited_workspace", "off"),
        doc="Ignored; accepted for compatibility with MXNet.",
    )
    cudnn_off = Attribute(
        bool, default=False, doc="Ignored; accepted for compatibility with MXNet."
    )
    layout = Attribute(
        str,
        default=None,
        choices=("NCDHW", "NCHW", "NCW", "NDHWC", "NHWC", "NWC"),
        doc="Order of the axes of data, output and, with N for the filters, weight.",
    )
    epilogues = (
        *("add", "subtract", "multiply", "divide", "maximum", "minimum"),
        *("relu", "sigmoid", "tanh", "softrelu", "softsign", "erf", "exp", "expm1"),
        *("abs", "negative", "square", "sqrt"),
    )
    epilogue_dtypes = ("float32", "float64", "bfloat16")
    # The bias is not needed in backward, so its memory is free once forward has run.
    saves = ("data", "weight")

    def list_arguments(self) -> list[str]:
        """Return the names of the inputs, without the bias if `no_bias` is set."""
        return ["data", "weight"] if self.no_bias else ["data", "weight", "bias"]


class Convolution(Filtering):
    r"""Convolution of signals, images or volumes with filters.

    .. math:: y_{n, o, p} = b_o + \sum_{c} \sum_{k} w_{o, c, k} \, x_{n, c, \, p s + k d - q}

    Examples
    --------
    >>> from opforge import nd
    >>> data, weight = nd.array([[[1, 2, 3, 4]]]), nd.array([[[1, 0, -1]]])
    >>> nd.Convolution(data, weight, kernel=3, num_filter=1, no_bias=True).asnumpy().tolist()
    [[[-2.0, -2.0]]]
    >>> images = nd.zeros((8, 3, 32, 32))
    >>> weight, bias = nd.zeros((16, 3, 3, 3)), nd.zeros((16,))
    >>> nd.Convolution(images, weight, bias, kernel=(3, 3), pad=(1, 1), num_filter=16).shape
    (8, 16, 32, 32)
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
        choices=(
            "sums",
            "sums_to_plain",
            "sums_to_halves",
            "pairs",
            "pairs_to_plain",
            "pairs_to_halves",
            "winograd",
            "depthwise",
        ),
        optional=True,
        doc="Algorithm for arrays with blocked channels; None: plain arrays.",
    )

    def blocked_form(self, inputs: Any, needs_gradient: bool) -> layouts.BlockedForm | None:
        """Return the form for predictions on blocked channels, a vector at each position."""
        return blocking.blocked_form(self, LIBRARY, inputs, needs_gradient)


class Aimed(Sliding):
    """Base class with the attributes that determine the output size of a transposed convolution."""

    adj = Attribute(
        Shape, (), ge=0, doc="Elements added at the end of the output; less than the stride."
    )
    target_shape = Attribute(
        Shape, (), ge=0, doc="Spatial size of the output; pad and adj follow from it."
    )


class Deconvolution(Filtering, Aimed):
    """Transposed convolution: the gradient of a convolution with respect to its data.

    Examples
    --------
    >>> from opforge import nd
    >>> data, weight = nd.array([[[1, 2]]]), nd.array([[[1, 10]]])
    >>> nd.Deconvolution(data, weight, kernel=2, stride=2, num_filter=1).asnumpy().tolist()
    [[[1.0, 10.0, 2.0, 20.0]]]
    """

    name = "Deconvolution"
    library = LIBRARY
    argument_docs = {
        "data": "(n, channels, w), (n, channels, h, w) or (n, channels, d, h, w); floating",
        "weight": "(channels, num_filter / num_group, *kernel)",
        "bias": "(num_filter,); with no_bias=False",
    }
    workspace = Attribute(
        int, default=512, ge=0, doc="Ignored; accepted for compatibility with MXNet."
    )
    no_bias = Attribute(bool, default=True, doc="Omit the bias.")
