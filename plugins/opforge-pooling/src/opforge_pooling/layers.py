"""Layers whose windows slide: maxima and averages in one, two and three dimensions.

Their arguments stand in MXNet's order, which differs from class to class.
"""

from typing import Any

from .base_layers import AvgPool, MaxPool, Size

__all__ = ["LAYERS"]


class MaxPool1D(MaxPool):
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
        Whether a partial last window counts.

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> gluon.nn.MaxPool1D()(nd.array([[[1.0, 3.0, 2.0, 0.0]]])).asnumpy().tolist()
    [[[3.0, 2.0]]]
    """

    _layouts = ("NCW", "NWC")

    def __init__(
        self,
        pool_size: Size = 2,
        strides: Size | None = None,
        padding: Size = 0,
        layout: str = "NCW",
        ceil_mode: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(pool_size, strides, padding, layout, ceil_mode, **kwargs)


class MaxPool2D(MaxPool):
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
        Whether a partial last window counts.
    """

    _layouts = ("NCHW", "NHWC")

    def __init__(
        self,
        pool_size: Size = (2, 2),
        strides: Size | None = None,
        padding: Size = 0,
        layout: str = "NCHW",
        ceil_mode: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(pool_size, strides, padding, layout, ceil_mode, **kwargs)


class MaxPool3D(MaxPool):
    """Keep the maxima of windows that slide in three dimensions.

    Parameters
    ----------
    pool_size : int or three of them, default (2, 2, 2)
    strides : int or three of them, optional
        Steps between windows; None: `pool_size`.
    padding : int or three of them, default 0
        Elements added at both ends.
    ceil_mode : bool, default False
        Whether a partial last window counts.
    layout : {"NCDHW", "NDHWC"}
        Order of the axes.
    """

    _layouts = ("NCDHW", "NDHWC")

    def __init__(
        self,
        pool_size: Size = (2, 2, 2),
        strides: Size | None = None,
        padding: Size = 0,
        ceil_mode: bool = False,
        layout: str = "NCDHW",
        **kwargs: Any,
    ) -> None:
        super().__init__(pool_size, strides, padding, layout, ceil_mode, **kwargs)


class AvgPool1D(AvgPool):
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
        Whether a partial last window counts.
    count_include_pad : bool, default True
        Whether averages count padding.

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> gluon.nn.AvgPool1D()(nd.array([[[1.0, 3.0, 2.0, 0.0]]])).asnumpy().tolist()
    [[[2.0, 1.0]]]
    """

    _layouts = ("NCW", "NWC")

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
        super().__init__(
            pool_size,
            strides,
            padding,
            layout,
            ceil_mode,
            count_include_pad=count_include_pad,
            **kwargs,
        )


class AvgPool2D(AvgPool):
    """Keep the averages of windows that slide in two dimensions.

    Parameters
    ----------
    pool_size : int or two of them, default (2, 2)
    strides : int or two of them, optional
        Steps between windows; None: `pool_size`.
    padding : int or two of them, default 0
        Elements added at both ends.
    ceil_mode : bool, default False
        Whether a partial last window counts.
    layout : {"NCHW", "NHWC"}
        Order of the axes.
    count_include_pad : bool, default True
        Whether averages count padding.
    """

    _layouts = ("NCHW", "NHWC")

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
        super().__init__(
            pool_size,
            strides,
            padding,
            layout,
            ceil_mode,
            count_include_pad=count_include_pad,
            **kwargs,
        )


class AvgPool3D(AvgPool):
    """Keep the averages of windows that slide in three dimensions.

    Parameters
    ----------
    pool_size : int or three of them, default (2, 2, 2)
    strides : int or three of them, optional
        Steps between windows; None: `pool_size`.
    padding : int or three of them, default 0
        Elements added at both ends.
    ceil_mode : bool, default False
        Whether a partial last window counts.
    layout : {"NCDHW", "NDHWC"}
        Order of the axes.
    count_include_pad : bool, default True
        Whether averages count padding.
    """

    _layouts = ("NCDHW", "NDHWC")

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
        super().__init__(
            pool_size,
            strides,
            padding,
            layout,
            ceil_mode,
            count_include_pad=count_include_pad,
            **kwargs,
        )


LAYERS = (MaxPool1D, MaxPool2D, MaxPool3D, AvgPool1D, AvgPool2D, AvgPool3D)
