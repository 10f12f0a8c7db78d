"""Layers with one window that holds everything: a maximum or an average for each channel."""

from typing import Any

from .layers import PoolingLayer

__all__ = ["LAYERS"]


def _global(kind: str, layout: str) -> dict[str, Any]:
    """Return the attributes of a layer; the window is not looked at."""
    ones, zeros = (1,) * (len(layout) - 2), (0,) * (len(layout) - 2)
    return {
        "kernel": ones,
        "stride": ones,
        "pad": zeros,
        "global_pool": True,
        "pool_type": kind,
        "layout": layout,
        "pooling_convention": "full",
    }


class GlobalMaxPool1D(PoolingLayer):
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

    def __init__(self, layout: str = "NCW", **kwargs: Any) -> None:
        super().__init__(_global("max", layout), ("NCW", "NWC"), **kwargs)


class GlobalMaxPool2D(PoolingLayer):
    """Keep the maximum of each channel, over two dimensions.

    Parameters
    ----------
    layout : {"NCHW", "NHWC"}
        Order of the axes.
    """

    def __init__(self, layout: str = "NCHW", **kwargs: Any) -> None:
        super().__init__(_global("max", layout), ("NCHW", "NHWC"), **kwargs)


class GlobalMaxPool3D(PoolingLayer):
    """Keep the maximum of each channel, over three dimensions.

    Parameters
    ----------
    layout : {"NCDHW", "NDHWC"}
        Order of the axes.
    """

    def __init__(self, layout: str = "NCDHW", **kwargs: Any) -> None:
        super().__init__(_global("max", layout), ("NCDHW", "NDHWC"), **kwargs)


class GlobalAvgPool1D(PoolingLayer):
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

    def __init__(self, layout: str = "NCW", **kwargs: Any) -> None:
        super().__init__(_global("avg", layout), ("NCW", "NWC"), **kwargs)


class GlobalAvgPool2D(PoolingLayer):
    """Keep the average of each channel, over two dimensions.

    Parameters
    ----------
    layout : {"NCHW", "NHWC"}
        Order of the axes.
    """

    def __init__(self, layout: str = "NCHW", **kwargs: Any) -> None:
        super().__init__(_global("avg", layout), ("NCHW", "NHWC"), **kwargs)


class GlobalAvgPool3D(PoolingLayer):
    """Keep the average of each channel, over three dimensions.

    Parameters
    ----------
    layout : {"NCDHW", "NDHWC"}
        Order of the axes.
    """

    def __init__(self, layout: str = "NCDHW", **kwargs: Any) -> None:
        super().__init__(_global("avg", layout), ("NCDHW", "NDHWC"), **kwargs)


LAYERS = (
    GlobalMaxPool1D,
    GlobalMaxPool2D,
    GlobalMaxPool3D,
    GlobalAvgPool1D,
    GlobalAvgPool2D,
    GlobalAvgPool3D,
)
