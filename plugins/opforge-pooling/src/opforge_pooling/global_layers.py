"""Global max and average pooling layers."""

from typing import Any

from .base_layers import PoolingLayer

__all__ = [
    "GlobalAvgPool1D",
    "GlobalAvgPool2D",
    "GlobalAvgPool3D",
    "GlobalMaxPool1D",
    "GlobalMaxPool2D",
    "GlobalMaxPool3D",
]


class _GlobalPool(PoolingLayer):
    """Base class of global pooling layers; the operator ignores their kernel."""

    def __init__(self, layout: str | None = None, **kwargs: Any) -> None:
        spatial = len(self._layouts[0]) - 2
        ones, zeros = (1,) * spatial, (0,) * spatial
        super().__init__(ones, ones, zeros, layout, full=True, global_pool=True, **kwargs)


class _GlobalMaxPool(_GlobalPool):
    """Base class of global max pooling layers."""

    _pool_type = "max"


class _GlobalAvgPool(_GlobalPool):
    """Base class of global average pooling layers."""

    _pool_type = "avg"


class GlobalMaxPool1D(_GlobalMaxPool):
    """Global max pooling over one dimension.

    Parameters
    ----------
    layout : {"NCW", "NWC"}

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> gluon.nn.GlobalMaxPool1D()(nd.array([[[1.0, 3.0]]])).asnumpy().tolist()
    [[[3.0]]]
    """

    _layouts = ("NCW", "NWC")


class GlobalMaxPool2D(_GlobalMaxPool):
    """Global max pooling over two dimensions.

    Parameters
    ----------
    layout : {"NCHW", "NHWC"}

    Examples
    --------
    >>> from opforge import nd
    >>> from opforge.gluon import nn
    >>> nn.GlobalMaxPool2D()(nd.arange(8).reshape((1, 2, 2, 2))).asnumpy().ravel().tolist()
    [3.0, 7.0]
    """

    _layouts = ("NCHW", "NHWC")


class GlobalMaxPool3D(_GlobalMaxPool):
    """Global max pooling over three dimensions.

    Parameters
    ----------
    layout : {"NCDHW", "NDHWC"}

    Examples
    --------
    >>> from opforge import nd
    >>> from opforge.gluon import nn
    >>> nn.GlobalMaxPool3D()(nd.arange(8).reshape((1, 1, 2, 2, 2))).asnumpy().ravel().tolist()
    [7.0]
    """

    _layouts = ("NCDHW", "NDHWC")


class GlobalAvgPool1D(_GlobalAvgPool):
    """Global average pooling over one dimension.

    Parameters
    ----------
    layout : {"NCW", "NWC"}

    Examples
    --------
    >>> from opforge import nd
    >>> from opforge.gluon import nn
    >>> nn.GlobalAvgPool1D()(nd.array([[[1, 2, 6]]])).asnumpy().tolist()
    [[[3.0]]]
    """

    _layouts = ("NCW", "NWC")


class GlobalAvgPool2D(_GlobalAvgPool):
    """Global average pooling over two dimensions.

    Parameters
    ----------
    layout : {"NCHW", "NHWC"}

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> gluon.nn.GlobalAvgPool2D()(nd.array([[[[1.0, 3.0], [2.0, 6.0]]]])).asnumpy().tolist()
    [[[[3.0]]]]
    """

    _layouts = ("NCHW", "NHWC")


class GlobalAvgPool3D(_GlobalAvgPool):
    """Global average pooling over three dimensions.

    Parameters
    ----------
    layout : {"NCDHW", "NDHWC"}

    Examples
    --------
    >>> from opforge import nd
    >>> from opforge.gluon import nn
    >>> nn.GlobalAvgPool3D()(nd.arange(8).reshape((1, 1, 2, 2, 2))).asnumpy().ravel().tolist()
    [3.5]
    """

    _layouts = ("NCDHW", "NDHWC")
