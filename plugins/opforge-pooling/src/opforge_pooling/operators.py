"""The declarations of Pooling and of its first version; `_native.c` computes both."""

from math import prod
from typing import Any

import numpy as np

from opforge.plugin_api import Attribute, AttributeValueError, Shape, layouts, native

from .floating import expect_floating
from .window import out_length, spatial_axes

LIBRARY = native.load(f"{__package__}._native")
#: With as many elements or fewer, positions in a window are kept as uint8.
MOST_NARROW = 255


class _Sliding(native.NativeOperator):
    """Base class of both versions: windows, shapes and types."""

    category = "pooling"
    argument_docs = {
        "data": "(n, channels, width), (…, height, width) or (…, depth, height, width)"
    }
    kernel = Attribute(Shape, default=(), ge=1, le=2147483647, doc="Lengths of the window.")
    pool_type = Attribute(
        str, default="max", choices=("avg", "lp", "max", "sum"), doc="What is made of a window."
    )
    global_pool = Attribute(bool, default=False, doc="One window that holds everything.")
    pooling_convention = Attribute(
        str,
        default="valid",
        choices=("full", "same", "valid"),
        doc="Whether a last window that is not full counts; same: as many windows as strides.",
    )
    stride = Attribute(
        Shape, default=(), ge=1, le=2147483647, doc="Steps between windows; 1 if not given."
    )
    pad = Attribute(Shape, default=(), ge=0, le=2147483647, doc="Elements added at both ends.")
    #: Operators of which these are attributes override them.
    layout: str | None = None
    blocked: bool = False
    num_visible_outputs = 1

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        # A maximum needs its positions, a norm both arrays, a sum nothing.
        needed = {"max": ["positions"], "lp": ["inputs", "output"]}
        self.saves = tuple(needed.get(self.pool_type, ()))

    def list_outputs(self) -> list[str]:
        """Return the names; only a maximum has positions."""
        return ["output", "positions"] if self.pool_type == "max" else ["output"]

    def infer_shape(self, in_shape: Any) -> Any:
        """Return how many windows there are along each axis."""
        data = tuple(in_shape[0])
        if not data:
            return [data], [None] * len(self.list_outputs()), []
        axes = spatial_axes(self, data)
        out = list(data)
        for at, axis in enumerate(axes):
            out[axis] = 1 if self.global_pool else out_length(self, data[axis], at)
        return [data], [tuple(out)] * len(self.list_outputs()), []

    def infer_type(self, in_type: Any) -> Any:
        """Positions are uint8 where a window is small, else int32."""
        (data,) = in_type
        expect_floating(self.name, data)
        narrow = not self.global_pool and prod(self.kernel) <= MOST_NARROW
        places = np.uint8 if narrow else np.int32
        return [data], [data, places][: len(self.list_outputs())], []


class Pooling(_Sliding):
    """Slide a window over each channel and keep the maximum, average, sum or p-norm of each."""

    name = "Pooling"
    library = LIBRARY
    cudnn_off = Attribute(bool, default=False, doc="Accepted for MXNet's sake: there is no cuDNN.")
    p_value = Attribute(
        int, default=None, choices=(1, 2, 3), optional=True, doc="The p of pool_type 'lp'."
    )
    count_include_pad = Attribute(
        bool, default=None, optional=True, doc="Whether padding counts in averages; None: it does."
    )
    layout = Attribute(
        str,
        default=None,
        choices=("NCDHW", "NCHW", "NCW", "NDHWC", "NHWC", "NWC"),
        optional=True,
        doc="Order of the axes; None: channels first.",
    )
    blocked = Attribute(bool, default=False, doc="The last axis of data has lanes of the channels.")

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        if self.pool_type == "lp" and self.p_value is None:
            raise AttributeValueError(
                "operator 'Pooling': pool_type 'lp' needs p_value; pass p_value=1, 2 or 3"
            )

    def blocked_form(self, inputs: Any, needs_gradient: bool) -> layouts.BlockedForm | None:
        """Follow where the channels come in lanes: a window is then a vector of its own."""
        (data,) = inputs
        if self.blocked or data.layout is None or data.layout.axis != 1:
            return None
        if self.layout is not None and self.layout.endswith("C"):
            return None
        outputs = [data.layout] * len(self.list_outputs())
        return layouts.BlockedForm([data.layout], outputs, {"blocked": True})


class PoolingV1(_Sliding):
    """Slide a window over images as MXNet's first Pooling did; averages count all padding."""

    name = "Pooling_v1"
    library = LIBRARY
    pool_type = Attribute(
        str, default="max", choices=("avg", "max", "sum"), doc="What is made of a window."
    )
    pooling_convention = Attribute(
        str,
        default="valid",
        choices=("full", "valid"),
        doc="Whether a last, partial window counts.",
    )


OPERATORS = (Pooling, PoolingV1)
