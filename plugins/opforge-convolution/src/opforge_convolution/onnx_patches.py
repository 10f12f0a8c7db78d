"""Translation of im2col and col2im to convolutions whose filters each select an element."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

__all__ = ["col2im", "im2col"]


def im2col(prop: Any, call: Any) -> Any:
    """Translate im2col."""
    data = call.inputs[0]
    call.require_fixed(data, 1)
    filters = _filters(call, data.shape[1], prop.kernel)
    found = call.node("Conv", data, filters, group=data.shape[1], **_window(prop))
    return call.node("Reshape", found, call.integers(0, 0, -1))


def col2im(prop: Any, call: Any) -> Any:
    """Translate col2im.

    ONNX Runtime 1.32 ignores the dilation of Col2Im in arrays that are not images.
    """
    data = call.inputs[0]
    call.require_fixed(data, 1)
    channels, window = data.shape[1] // prod(prop.kernel), _window(prop)
    geometry = (prop.output_size, *window.values())
    counts, rests = zip(*map(_positions, *geometry), strict=True)
    return call.node(
        "ConvTranspose",
        call.node("Reshape", data, call.integers(0, 0, *counts)),
        _filters(call, channels, prop.kernel),
        group=channels,
        output_padding=rests,
        **window,
    )


def _window(prop: Any) -> dict[str, Any]:
    rank = len(prop.kernel)
    return {
        "kernel_shape": prop.kernel,
        "strides": prop.stride or (1,) * rank,
        "dilations": prop.dilate or (1,) * rank,
        "pads": tuple(prop.pad or (0,) * rank) * 2,
    }


def _filters(call: Any, channels: int, kernel: Sequence[int]) -> Any:
    """Return filters that each select an element of a channel."""
    elements = np.eye(prod(kernel))
    return call.constant(np.tile(elements, (channels, 1)).reshape(-1, 1, *kernel))


def _positions(size: int, kernel: int, stride: int, dilation: int, pad: int) -> tuple[int, int]:
    """Return the number of positions of a filter along an axis, and the elements behind them."""
    count, rest = divmod(size + 2 * pad - dilation * (kernel - 1) - 1, stride)
    return count + 1, rest
