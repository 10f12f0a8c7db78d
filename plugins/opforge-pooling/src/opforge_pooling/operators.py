"""Declarations of Pooling and Pooling_v1, which `_native.c` implements."""

from collections.abc import Mapping
from math import prod
from typing import Any

from opforge.plugin_api import Attribute, AttributeValueError, Shape, layouts, native

from .window import out_length, spatial_axes

LIBRARY = native.load(f"{__package__}._native")
#: Largest window, in elements, whose positions are stored as uint8.
MAX_UINT8_ELEMENTS = 255


class _Sliding(native.NativeOperator):
    """Base class of both versions: attributes of the windows, shape and type inference."""

    category = "pooling"
    dtypes = ("floating", "bfloat16")
    output_dtypes: Mapping[str, str] = {"positions": "int32"}
    argument_docs = {
        "data": "(n, channels, width), (…, height, width) or (…, depth, height, width)"
    }
    kernel = Attribute(Shape, default=(), ge=1, le=2147483647, doc="Size of the window.")
    pool_type = Attribute(
        str, default="max", choices=("avg", "lp", "max", "sum"), doc="Reduction of a window."
    )
    global_pool = Attribute(bool, default=False, doc="Use one window that covers the whole input.")
    pooling_convention = Attribute(
        str,
        default="valid",
        choices=("full", "same", "valid"),
        doc="valid: full windows only; full: a partial last one too; same: one window per stride.",
    )
    stride = Attribute(
        Shape, default=(), ge=1, le=2147483647, doc="Steps between windows; default 1."
    )
    pad = Attribute(Shape, default=(), ge=0, le=2147483647, doc="Elements added at both ends.")
    #: Pooling overrides these with attributes.
    layout: str | None = None
    blocked: bool = False
    num_visible_outputs = 1

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        # For the gradient, maxima need their positions, norms both arrays, sums nothing.
        needed = {"max": ["positions"], "lp": ["inputs", "output"]}
        self.saves = tuple(needed.get(self.pool_type, ()))
        if not self.global_pool and prod(self.kernel) <= MAX_UINT8_ELEMENTS:
            self.output_dtypes = {"positions": "uint8"}

    def list_outputs(self) -> list[str]:
        """Return the names of the outputs; only max pooling has positions."""
        return ["output", "positions"] if self.pool_type == "max" else ["output"]

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the number of windows along each axis."""
        data = tuple(in_shape[0])
        if not data:
            return [data], [None] * len(self.list_outputs()), []
        axes = spatial_axes(self, data)
        out = list(data)
        for at, axis in enumerate(axes):
            out[axis] = 1 if self.global_pool else out_length(self, data[axis], at)
        return [data], [tuple(out)] * len(self.list_outputs()), []


class Pooling(_Sliding):
    """Slide a window over each channel and reduce it to its maximum, average, sum or p-norm.

    Examples
    --------
    >>> from opforge import nd
    >>> x = nd.arange(16).reshape((1, 1, 4, 4))
    >>> nd.Pooling(x, kernel=(2, 2), stride=(2, 2)).asnumpy().tolist()
    [[[[5.0, 7.0], [13.0, 15.0]]]]
    >>> nd.Pooling(x, pool_type="avg", global_pool=True).asnumpy().tolist()
    [[[[7.5]]]]
    """

    name = "Pooling"
    library = LIBRARY
    cudnn_off = Attribute(
        bool, default=False, doc="Ignored; accepted for compatibility with MXNet."
    )
    p_value = Attribute(
        int, default=None, choices=(1, 2, 3), optional=True, doc="The p of pool_type 'lp'."
    )
    count_include_pad = Attribute(
        bool, default=None, optional=True, doc="Whether averages include padding; None: True."
    )
    layout = Attribute(
        str,
        default=None,
        choices=("NCDHW", "NCHW", "NCW", "NDHWC", "NHWC", "NWC"),
        optional=True,
        doc="Order of the axes; None: channels first.",
    )
    blocked = Attribute(bool, default=False, doc="The last axis of data holds a block of channels.")

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        if self.pool_type == "lp" and self.p_value is None:
            raise AttributeValueError(
                "operator 'Pooling': pool_type 'lp' requires p_value. Pass p_value=1, 2 or 3"
            )

    def blocked_form(self, inputs: Any, needs_gradient: bool) -> layouts.BlockedForm | None:
        """Accept blocked channels, in which windows are reduced as vectors."""
        (data,) = inputs
        if self.blocked or data.layout is None or data.layout.axis != 1:
            return None
        if self.layout is not None and self.layout.endswith("C"):
            return None
        outputs = [data.layout] * len(self.list_outputs())
        return layouts.BlockedForm([data.layout], outputs, {"blocked": True})


class PoolingV1(_Sliding):
    """Pooling as in MXNet's first version, in which averages include all padding.

    Examples
    --------
    >>> from opforge import nd
    >>> x = nd.arange(16).reshape((1, 1, 4, 4))
    >>> nd.Pooling_v1(x, kernel=(2, 2), stride=(2, 2)).asnumpy().tolist()
    [[[[5.0, 7.0], [13.0, 15.0]]]]
    """

    name = "Pooling_v1"
    library = LIBRARY
    pool_type = Attribute(
        str, default="max", choices=("avg", "max", "sum"), doc="Reduction of a window."
    )
    pooling_convention = Attribute(
        str,
        default="valid",
        choices=("full", "valid"),
        doc="valid: full windows only; full: also a partial last window.",
    )
