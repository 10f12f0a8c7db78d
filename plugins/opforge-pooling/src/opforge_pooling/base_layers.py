"""Base classes of pooling layers."""

from collections.abc import Sequence
from numbers import Integral
from typing import Any, ClassVar

from opforge.plugin_api import HybridBlock

__all__ = ["AvgPool", "MaxPool", "PoolingLayer", "Size"]

Size = int | Sequence[int]


class PoolingLayer(HybridBlock):
    """Base class of pooling layers: a call of Pooling with fixed attributes.

    Subclasses declare the pool type and the layouts, which set the number of spatial dimensions.

    Parameters
    ----------
    kernel, stride, pad : tuple of int
        One number for each spatial dimension.
    layout : str
    full : bool
        Whether a partial last window counts.
    global_pool : bool, default False
        Whether one window holds everything.
    **kwargs
        Of a block.
    """

    _pool_type: ClassVar[str]
    _layouts: ClassVar[tuple[str, str]]

    def __init__(
        self,
        kernel: tuple[int, ...],
        stride: tuple[int, ...],
        pad: tuple[int, ...],
        layout: str,
        full: bool,
        global_pool: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if layout not in self._layouts:
            raise ValueError(
                f"{type(self).__name__}: layout is {layout!r}, expected "
                f"{self._layouts[0]!r} or {self._layouts[1]!r}"
            )
        self._kwargs: dict[str, Any] = {
            "kernel": kernel,
            "stride": stride,
            "pad": pad,
            "global_pool": global_pool,
            "pool_type": self._pool_type,
            "layout": layout,
            "pooling_convention": "full" if full else "valid",
        }

    def _alias(self) -> str:
        return "pool"

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return what the windows of `x` are pooled to."""
        return F.Pooling(x, name="fwd", **self._kwargs)

    def __repr__(self) -> str:
        values = self._kwargs
        return (
            f"{type(self).__name__}(size={values['kernel']}, stride={values['stride']}, "
            f"padding={values['pad']}, ceil_mode={values['pooling_convention'] == 'full'}, "
            f"global_pool={values['global_pool']}, pool_type={values['pool_type']}, "
            f"layout={values['layout']})"
        )


class _SlidingPool(PoolingLayer):
    """Base class of layers whose windows slide; strides of None are the window's lengths."""

    def __init__(
        self,
        pool_size: Size,
        strides: Size | None,
        padding: Size,
        layout: str,
        ceil_mode: bool,
        **kwargs: Any,
    ) -> None:
        kernel = self._lengths("pool_size", pool_size, 1)
        stride = kernel if strides is None else self._lengths("strides", strides, 1)
        pad = self._lengths("padding", padding, 0)
        super().__init__(kernel, stride, pad, layout, ceil_mode, **kwargs)

    def _lengths(self, argument: str, value: Size, least: int) -> tuple[int, ...]:
        """Return one number for each spatial dimension."""
        spatial = len(self._layouts[0]) - 2
        items: Any = (value,) * spatial if isinstance(value, Integral) else value
        if (
            isinstance(items, Sequence)
            and len(items) == spatial
            and all(isinstance(item, Integral) and int(item) >= least for item in items)
        ):
            return tuple(map(int, items))
        raise ValueError(
            f"{type(self).__name__}: {argument} is {value!r}, expected a number from {least} on or "
            f"{spatial} of them"
        )


class MaxPool(_SlidingPool):
    """Base class of layers of maxima."""

    _pool_type = "max"


class AvgPool(_SlidingPool):
    """Base class of layers of averages."""

    _pool_type = "avg"

    def __init__(self, *args: Any, count_include_pad: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._kwargs["count_include_pad"] = count_include_pad
