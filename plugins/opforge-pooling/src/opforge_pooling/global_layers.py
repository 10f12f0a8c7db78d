"""Layers with one window that holds everything: a maximum or an average for each channel."""

from typing import Any

from .base_layers import PoolingLayer

__all__ = ["LAYERS"]


class _GlobalPool(PoolingLayer):
    """Base class of layers with one window, whose kernel the operator ignores."""

    def __init__(self, layout: str, **kwargs: Any) -> None:
        spatial = len(self._layouts[0]) - 2
        ones, zeros = (1,) * spatial, (0,) * spatial
        super().__init__(ones, ones, zeros, layout, full=True, global_pool=True, **kwargs)


class _GlobalMaxPool(_GlobalPool):
    """Base class of layers of maxima."""

    _pool_type = "max"


class _GlobalAvgPool(_GlobalPool):
    """Base class of layers of averages."""

    _pool_type = "avg"


class GlobalMaxPool1D(_GlobalMaxPool):
    """Keep the maximum of each channel, over one dimension.

    Parameters
    ----------
    layout : {"NCW", "NWC"}
        Order of the axes.

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> gluon.nn.GlobalMaxPool1D()(nd.array([[[1.0, 3.0]]])).asnumpy().tolist()
    [[[3.0]]]
    """

    _layouts = ("NCW", "NWC")

    def __init__(self, layout: str = "NCW", **kwargs: Any) -> None:
        super().__init__(layout, **kwargs)


class GlobalMaxPool2D(_GlobalMaxPool):
    """Keep the maximum of each channel, over two dimensions.

    Parameters
    ----------
    layout : {"NCHW", "NHWC"}
        Order of the axes.
    """

    _layouts = ("NCHW", "NHWC")

    def __init__(self, layout: str = "NCHW", **kwargs: Any) -> None:
        super().__init__(layout, **kwargs)


class GlobalMaxPool3D(_GlobalMaxPool):
    """Keep the maximum of each channel, over three dimensions.

    Parameters
    ----------
    layout : {"NCDHW", "NDHWC"}
        Order of the axes.
    """

    _layouts = ("NCDHW", "NDHWC")

    def __init__(self, layout: str = "NCDHW", **kwargs: Any) -> None:
        super().__init__(layout, **kwargs)


class GlobalAvgPool1D(_GlobalAvgPool):
    """Keep the average of each channel, over one dimension.

    Parameters
    ----------
    layout : {"NCW", "NWC"}
        Order of the axes.

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> gluon.nn.GlobalAvgPool1D()(nd.array([[[1.0, 3.0]]])).asnumpy().tolist()
    [[[2.0]]]
    """

    _layouts = ("NCW", "NWC")

    def __init__(self, layout: str = "NCW", **kwargs: Any) -> None:
        super().__init__(layout, **kwargs)


class GlobalAvgPool2D(_GlobalAvgPool):
    """Keep the average of each channel, over two dimensions.

    Parameters
    ----------
    layout : {"NCHW", "NHWC"}
        Order of the axes.
    """

    _layouts = ("NCHW", "NHWC")

    def __init__(self, layout: str = "NCHW", **kwargs: Any) -> None:
        super().__init__(layout, **kwargs)


class GlobalAvgPool3D(_GlobalAvgPool):
    """Keep the average of each channel, over three dimensions.

    Parameters
    ----------
    layout : {"NCDHW", "NDHWC"}
        Order of the axes.
    """

    _layouts = ("NCDHW", "NDHWC")

    def __init__(self, layout: str = "NCDHW", **kwargs: Any) -> None:
        super().__init__(layout, **kwargs)


LAYERS = (
    GlobalMaxPool1D,
    GlobalMaxPool2D,
    GlobalMaxPool3D,
    GlobalAvgPool1D,
    GlobalAvgPool2D,
    GlobalAvgPool3D,
)
