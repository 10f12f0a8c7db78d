"""Layers whose windows slide: maxima and averages in one, two and three dimensions.

Their arguments stand in MXNet's order, which differs from class to class.
"""

from collections.abc import Sequence
from numbers import Integral
from typing import Any

from opforge.plugin_api import HybridBlock

__all__ = ["LAYERS", "PoolingLayer"]

Size = int | Sequence[int]


class PoolingLayer(HybridBlock):
    """Base class of pooling layers: a call of Pooling with fixed attributes.

    Parameters
    ----------
    attributes : dict
        Of the operator Pooling.
    layouts : tuple of str
        Those that the layer's dimensions allow.
    **kwargs
        Of a block.
    """

    def __init__(self, attributes: dict[str, Any], layouts: tuple[str, str], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if attributes["layout"] not in layouts:
            raise ValueError(
                f"{type(self).__name__}: layout is {attributes['layout']!r}, expected "
                f"{layouts[0]!r} or {layouts[1]!r}"
            )
        self._kwargs = attributes

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


def _each(argument: str, given: Size, spatial: int, least: int) -> tuple[int, ...]:
    """Return a number for each dimension."""
    items: Any = (given,) * spatial if isinstance(given, Integral) else given
    if (
        isinstance(items, Sequence)
        and len(items) == spatial
        and all(isinstance(item, Integral) and int(item) >= least for item in items)
    ):
        return tuple(map(int, items))
    raise ValueError(
        f"{argument} is {given!r}, expected a number from {least} on or {spatial} of them"
    )


def _sliding(
    kind: str,
    spatial: int,
    pool_size: Size,
    strides: Size | None,
    padding: Size,
    layout: str,
    ceil_mode: bool,
) -> dict[str, Any]:
    """Return the attributes of a layer; strides of None are the window's lengths."""
    layer = f"{kind.capitalize()}Pool{spatial}D"
    kernel = _each(f"{layer}: pool_size", pool_size, spatial, 1)
    return {
        "kernel": kernel,
        "stride": kernel if strides is None else _each(f"{layer}: strides", strides, spatial, 1),
        "pad": _each(f"{layer}: padding", padding, spatial, 0),
        "global_pool": False,
        "pool_type": kind,
        "layout": layout,
        "pooling_convention": "full" if ceil_mode else "valid",
    }


class MaxPool1D(PoolingLayer):
    """Keep the maxima of windows that slide in one dimension.

    Parameters
    ----------
    pool_size : int, default 2
    strides : int, optional
        Steps between windows; None: `pool_size`.
    padding : int, default 0
        Elements added at both ends.
    layout : {"NCW", "NWC"}
        Order of the axes.
    ceil_mode : bool, default False
        Whether a last window that is not full counts.

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> gluon.nn.MaxPool1D()(nd.array([[[1.0, 3.0, 2.0, 0.0]]])).asnumpy().tolist()
    [[[3.0, 2.0]]]
    """

    def __init__(
        self,
        pool_size: Size = 2,
        strides: Size | None = None,
        padding: Size = 0,
        layout: str = "NCW",
        ceil_mode: bool = False,
        **kwargs: Any,
    ) -> None:
        attributes = _sliding("max", 1, pool_size, strides, padding, layout, ceil_mode)
        super().__init__(attributes, ("NCW", "NWC"), **kwargs)


class MaxPool2D(PoolingLayer):
    """Keep the maxima of windows that slide in two dimensions.

    Parameters
    ----------
    pool_size : int or two of them, default (2, 2)
    strides : int or two of them, optional
        Steps between windows; None: `pool_size`.
    padding : int or two of them, default 0
        Elements added at both ends.
    layout : {"NCHW", "NHWC"}
        Order of the axes.
    ceil_mode : bool, default False
        Whether a last window that is not full counts.
    """

    def __init__(
        self,
        pool_size: Size = (2, 2),
        strides: Size | None = None,
        padding: Size = 0,
        layout: str = "NCHW",
        ceil_mode: bool = False,
        **kwargs: Any,
    ) -> None:
        attributes = _sliding("max", 2, pool_size, strides, padding, layout, ceil_mode)
        super().__init__(attributes, ("NCHW", "NHWC"), **kwargs)


class MaxPool3D(PoolingLayer):
    """Keep the maxima of windows that slide in three dimensions.

    Parameters
    ----------
    pool_size : int or three of them, default (2, 2, 2)
    strides : int or three of them, optional
        Steps between windows; None: `pool_size`.
    padding : int or three of them, default 0
        Elements added at both ends.
    ceil_mode : bool, default False
        Whether a last window that is not full counts.
    layout : {"NCDHW", "NDHWC"}
        Order of the axes.
    """

    def __init__(
        self,
        pool_size: Size = (2, 2, 2),
        strides: Size | None = None,
        padding: Size = 0,
        ceil_mode: bool = False,
        layout: str = "NCDHW",
        **kwargs: Any,
    ) -> None:
        attributes = _sliding("max", 3, pool_size, strides, padding, layout, ceil_mode)
        super().__init__(attributes, ("NCDHW", "NDHWC"), **kwargs)


class AvgPool1D(PoolingLayer):
    """Keep the averages of windows that slide in one dimension.

    Parameters
    ----------
    pool_size : int, default 2
    strides : int, optional
        Steps between windows; None: `pool_size`.
    padding : int, default 0
        Elements added at both ends.
    layout : {"NCW", "NWC"}
        Order of the axes.
    ceil_mode : bool, default False
        Whether a last window that is not full counts.
    count_include_pad : bool, default True
        Whether averages count padding.

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> gluon.nn.AvgPool1D()(nd.array([[[1.0, 3.0, 2.0, 0.0]]])).asnumpy().tolist()
    [[[2.0, 1.0]]]
    """

    def __init__(
        self,
        pool_size: Size = 2,
        strides: Size | None = None,
        padding: Size = 0,
        layout: str = "NCW",
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        **kwargs: Any,
    ) -> None:
        attributes = _sliding("avg", 1, pool_size, strides, padding, layout, ceil_mode)
        attributes["count_include_pad"] = count_include_pad
        super().__init__(attributes, ("NCW", "NWC"), **kwargs)


class AvgPool2D(PoolingLayer):
    """Keep the averages of windows that slide in two dimensions.

    Parameters
    ----------
    pool_size : int or two of them, default (2, 2)
    strides : int or two of them, optional
        Steps between windows; None: `pool_size`.
    padding : int or two of them, default 0
        Elements added at both ends.
    ceil_mode : bool, default False
        Whether a last window that is not full counts.
    layout : {"NCHW", "NHWC"}
        Order of the axes.
    count_include_pad : bool, default True
        Whether averages count padding.
    """

    def __init__(
        self,
        pool_size: Size = (2, 2),
        strides: Size | None = None,
        padding: Size = 0,
        ceil_mode: bool = False,
        layout: str = "NCHW",
        count_include_pad: bool = True,
        **kwargs: Any,
    ) -> None:
        attributes = _sliding("avg", 2, pool_size, strides, padding, layout, ceil_mode)
        attributes["count_include_pad"] = count_include_pad
        super().__init__(attributes, ("NCHW", "NHWC"), **kwargs)


class AvgPool3D(PoolingLayer):
    """Keep the averages of windows that slide in three dimensions.

    Parameters
    ----------
    pool_size : int or three of them, default (2, 2, 2)
    strides : int or three of them, optional
        Steps between windows; None: `pool_size`.
    padding : int or three of them, default 0
        Elements added at both ends.
    ceil_mode : bool, default False
        Whether a last window that is not full counts.
    layout : {"NCDHW", "NDHWC"}
        Order of the axes.
    count_include_pad : bool, default True
        Whether averages count padding.
    """

    def __init__(
        self,
        pool_size: Size = (2, 2, 2),
        strides: Size | None = None,
        padding: Size = 0,
        ceil_mode: bool = False,
        layout: str = "NCDHW",
        count_include_pad: bool = True,
        **kwargs: Any,
    ) -> None:
        attributes = _sliding("avg", 3, pool_size, strides, padding, layout, ceil_mode)
        attributes["count_include_pad"] = count_include_pad
        super().__init__(attributes, ("NCDHW", "NDHWC"), **kwargs)


LAYERS = (MaxPool1D, MaxPool2D, MaxPool3D, AvgPool1D, AvgPool2D, AvgPool3D)
