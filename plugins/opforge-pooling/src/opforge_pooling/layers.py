"""Max and average pooling layers in one, two and three dimensions.

Their arguments are in MXNet's order, which differs from class to class.
"""

from typing import Any

from .base_layers import AvgPool, MaxPool, Size

__all__ = ["AvgPool1D", "AvgPool2D", "AvgPool3D", "MaxPool1D", "MaxPool2D", "MaxPool3D"]


class MaxPool1D(MaxPool):
    """Max pooling in one dimension.

    Parameters
    ----------
    pool_size, strides, padding, ceil_mode
        As for `MaxPool2D`, with one dimension.
    layout : {"NCW", "NWC"}
        Order of the axes.

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> gluon.nn.MaxPool1D()(nd.array([[[1.0, 3.0, 2.0, 0.0]]])).asnumpy().tolist()
    [[[3.0, 2.0]]]
    """

    _layouts = ("NCW", "NWC")


class MaxPool2D(MaxPool):
    """Max pooling in two dimensions.

    Parameters
    ----------
    pool_size : int or tuple of 2 int, default (2, 2)
        Height and width of the window.
    strides : int or tuple of 2 int, optional
        Steps between windows; None: `pool_size`.
    padding : int or tuple of 2 int, default 0
        Elements added at both ends of each axis.
    layout : {"NCHW", "NHWC"}
        Order of the axes.
    ceil_mode : bool, default False
        Whether a partial last window produces an output.

    Examples
    --------
    >>> from opforge import nd
    >>> from opforge.gluon import nn
    >>> x = nd.arange(16).reshape((1, 1, 4, 4))
    >>> nn.MaxPool2D()(x).asnumpy().ravel().tolist()
    [5.0, 7.0, 13.0, 15.0]
    """

    _layouts = ("NCHW", "NHWC")


class MaxPool3D(MaxPool):
    """Max pooling in three dimensions.

    Parameters
    ----------
    pool_size, strides, padding, ceil_mode
        As for `MaxPool2D`, with three dimensions.
    layout : {"NCDHW", "NDHWC"}
        Order of the axes.

    Examples
    --------
    >>> from opforge import nd
    >>> from opforge.gluon import nn
    >>> x = nd.arange(8).reshape((1, 1, 2, 2, 2))
    >>> nn.MaxPool3D()(x).asnumpy().ravel().tolist()
    [7.0]
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
    """Average pooling in one dimension.

    Parameters
    ----------
    pool_size, strides, padding, ceil_mode, count_include_pad
        As for `AvgPool2D`, with one dimension.
    layout : {"NCW", "NWC"}
        Order of the axes.

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
            pool_size, strides, padding, ceil_mode, layout, count_include_pad, **kwargs
        )


class AvgPool2D(AvgPool):
    """Average pooling in two dimensions.

    Parameters
    ----------
    pool_size, strides, padding, ceil_mode, layout
        As for `MaxPool2D`.
    count_include_pad : bool, default True
        Whether averages include the padding.

    Examples
    --------
    >>> from opforge import nd
    >>> from opforge.gluon import nn
    >>> x = nd.arange(16).reshape((1, 1, 4, 4))
    >>> nn.AvgPool2D()(x).asnumpy().ravel().tolist()
    [2.5, 4.5, 10.5, 12.5]
    """

    _layouts = ("NCHW", "NHWC")


class AvgPool3D(AvgPool):
    """Average pooling in three dimensions.

    Parameters
    ----------
    pool_size, strides, padding, ceil_mode, count_include_pad
        As for `AvgPool2D`, with three dimensions.
    layout : {"NCDHW", "NDHWC"}
        Order of the axes.

    Examples
    --------
    >>> from opforge import nd
    >>> from opforge.gluon import nn
    >>> x = nd.arange(8).reshape((1, 1, 2, 2, 2))
    >>> nn.AvgPool3D()(x).asnumpy().ravel().tolist()
    [3.5]
    """

    _layouts = ("NCDHW", "NDHWC")
