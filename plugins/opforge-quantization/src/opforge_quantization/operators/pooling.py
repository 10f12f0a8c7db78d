"""Pooling of 8-bit integers, in C."""

from typing import Any

from opforge.plugin_api import Attribute, AttributeValueError, Shape, ShapeError, layouts

from .base import LIBRARY, QuantizedOperator

__all__ = ["QuantizedPooling"]


class QuantizedPooling(QuantizedOperator):
    """Slide a window over each channel and reduce it to its maximum or average.

    Averages are rounded to nearest, ties to even; the range stays. With
    ``pooling_convention="full"`` they divide by the size of the whole window.

    Examples
    --------
    >>> from opforge import nd
    >>> data = nd.array([[[[1, 2], [4, 8]]]], dtype="uint8")
    >>> output, low, high = nd.contrib.quantized_pooling(
    ...     data, nd.array([0]), nd.array([1]), kernel=(2, 2), pool_type="avg"
    ... )
    >>> output.asnumpy().tolist()
    [[[[4]]]]
    """

    name = "_contrib_quantized_pooling"
    library = LIBRARY
    category = "pooling"
    arguments = ("data", "min_data", "max_data")
    dtypes = ("int8", "uint8")
    argument_dtypes = {"min_data": ("float32",), "max_data": ("float32",)}
    argument_docs = {
        "data": "(n, channels, width), (…, height, width) or (…, depth, height, width)"
    }
    kernel = Attribute(Shape, default=(), ge=1, le=2147483647, doc="Size of the window.")
    pool_type = Attribute(str, default="max", choices=("avg", "max"), doc="Reduction of a window.")
    global_pool = Attribute(bool, default=False, doc="Use one window that covers the whole input.")
    cudnn_off = Attribute(
        bool, default=False, doc="Ignored; accepted for compatibility with MXNet."
    )
    pooling_convention = Attribute(
        str,
        default="valid",
        choices=("full", "valid"),
        doc="valid: full windows only; full: also a partial last window.",
    )
    stride = Attribute(
        Shape, default=(), ge=1, le=2147483647, doc="Steps between windows; default 1."
    )
    pad = Attribute(Shape, default=(), ge=0, le=2147483647, doc="Elements added at both ends.")
    p_value = Attribute(
        int, default=None, choices=(1, 2, 3), doc="Ignored; accepted for compatibility with MXNet."
    )
    count_include_pad = Attribute(
        bool, default=None, optional=True, doc="Whether averages include padding; None: True."
    )
    layout = Attribute(
        str, default=None, choices=("NCDHW", "NCHW", "NCW"), doc="Order of the axes."
    )

    blocked = Attribute(
        bool, default=False, doc="Whether data and result are (n, 1, height, width, channels)."
    )

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        dims = len(self.kernel)
        for key in ("stride", "pad"):
            given = getattr(self, key)
            if given and dims and len(given) != dims:
                raise AttributeValueError(
                    f"operator {self.name!r}: {key} is {given} and kernel {self.kernel}; expected "
                    "one number for each axis"
                )

    def complete_data(self, shapes: Any) -> Any:
        """Return the number of windows along each axis."""
        data, dims = shapes["data"], len(self.kernel)
        if not data:
            return None
        if self.blocked:
            return self._blocked_shape(data)
        if not 3 <= len(data) <= 5 or not (self.global_pool or len(data) == dims + 2):
            raise ShapeError(
                f"operator {self.name!r}: 'data' has shape {data} and kernel {self.kernel}; "
                "expected two axes and one to three more, one for each number of kernel"
            )
        if self.global_pool:
            return (*data[:2], *(1,) * (len(data) - 2))
        return (*data[:2], *[self._length(data[i + 2], i) for i in range(dims)])

    def _blocked_shape(self, data: tuple[int, ...]) -> tuple[int, ...]:
        """Return the shape of the result for data with channels last."""
        if len(data) != 5 or data[1] != 1 or not (self.global_pool or len(self.kernel) == 2):
            raise ShapeError(
                f"operator {self.name!r}: 'data' has shape {data} and kernel {self.kernel}; "
                "expected (n, 1, height, width, channels) and two numbers because blocked is True"
            )
        if self.global_pool:
            return (data[0], 1, 1, 1, data[4])
        return (data[0], 1, self._length(data[2], 0), self._length(data[3], 1), data[4])

    def blocked_form(self, inputs: Any, needs_gradient: bool) -> layouts.BlockedForm | None:
        """Return the form with channels last, for images that have them."""
        data = inputs[0]
        if self.blocked or len(data.shape) != 4 or data.layout is None:
            return None
        image = layouts.Blocked(1, data.shape[1])
        if data.layout != image:
            return None
        return layouts.BlockedForm([image, None, None], [image, None, None], {"blocked": True})

    def _length(self, length: int, axis: int) -> int:
        """Return the number of windows along an axis; 0 if unknown."""
        kernel = self.kernel[axis]
        stride = self.stride[axis] if self.stride else 1
        pad = self.pad[axis] if self.pad else 0
        rest = length + 2 * pad - kernel
        if length and rest < 0:
            raise ShapeError(
                f"operator {self.name!r}: the window has {kernel} elements and does not fit "
                f"{length} with pad {pad}; pass a smaller kernel or more pad"
            )
        steps = -(-rest // stride) if self.pooling_convention == "full" else rest // stride
        return steps + 1 if length else 0
