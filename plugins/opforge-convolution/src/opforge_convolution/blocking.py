"""The forms of a convolution on blocks: which arrays they take, and which one is faster."""

import os
from math import prod
from typing import Any

import numpy as np

from opforge.plugin_api import layouts

__all__ = ["blocked_form"]

#: A form begins with so many products for each element that is converted; below, they cost more.
_LEAST_PRODUCTS = 24
#: Winograd's kernel for plain arrays is as fast where there are many of them: what a cache holds is
#: converted.
_MOST_ELEMENTS = 1 << 20
#: Points of a transformed filter of 3x3, which gives 4x4 results at a time.
_POINTS, _RESULTS = 36, 4


def blocked_form(prop: Any, lanes: int, inputs: Any, needs_gradient: bool) -> Any:
    """Return the blocked form of a convolution for its inputs, or None.

    Parameters
    ----------
    prop : Convolution
    lanes : int
        Of a vector of filters; the kernels' instruction set has so many.
    inputs : sequence of layouts.Input
    needs_gradient : bool
        There is none in blocks.
    """
    data = inputs[0]
    if needs_gradient or prop.blocked or not _slides_over_images(prop, data):
        return None
    channels, filters = data.shape[1] // prop.num_group, prop.num_filter // prop.num_group
    # Where channels do not fill blocks, as the three of an image, each is a block of its own.
    taken = lanes if channels % lanes == 0 else 1
    if filters % lanes or (taken == 1 and data.layout is not None):
        return None
    places = _places(prop, data.shape)
    converted = prop.num_filter * prod(places) + (prod(data.shape) if taken == lanes else 0)
    if taken == lanes and _transform_pays(prop, places, channels, filters):
        shape = (prop.num_filter // lanes, _POINTS, channels, lanes)
        weight: layouts.Layout = layouts.Prepared("_winograd_weight", shape)
        blocked, begins = "winograd", converted <= _MOST_ELEMENTS
    else:
        weight = (layouts.Blocked(1, taken), layouts.Blocked(0, lanes))
        products = prod(places) * prop.num_filter * channels * prod(prop.kernel)
        blocked, begins = "sums", products >= _LEAST_PRODUCTS * converted
    return layouts.BlockedForm(
        [layouts.Blocked(1, taken), weight, None][: len(inputs)],
        [layouts.Blocked(1, lanes)],
        {"blocked": blocked},
        begins,
    )


def _slides_over_images(prop: Any, data: Any) -> bool:
    """Return whether a convolution is one that the kernels for blocks compute."""
    if len(prop.kernel) != 2 or (prop.layout or "NCHW") != "NCHW" or data.dtype != np.float32:
        return False
    # Zeros around an image are copied with it; there are not more of them than of it.
    pads = prop.pad or (0, 0)
    return all(2 * pad <= size for pad, size in zip(pads, data.shape[2:], strict=True))


def _places(prop: Any, shape: Any) -> tuple[int, int, int]:
    """Return images, rows and columns of the results."""
    once, none = (1, 1), (0, 0)
    window = zip(
        *(shape[2:], prop.kernel, prop.stride or once, prop.dilate or once, prop.pad or none),
        strict=True,
    )
    rows, columns = ((n + 2 * p - (k - 1) * d - 1) // s + 1 for n, k, s, d, p in window)
    return shape[0], rows, columns


def _transform_pays(prop: Any, places: Any, channels: int, filters: int) -> bool:
    """Return whether Winograd's convolution is allowed and takes less time than sums of products.

    Costs are in products of vectors. A transform costs about 150 of them for a vector of channels
    or filters; transformed weights are read from memory, which costs as much as some 300 for each.
    """
    once = (1, 1)
    if os.environ.get("OPFORGE_CONVOLUTION_WINOGRAD") == "0" or prop.kernel != (3, 3):
        return False
    if (prop.stride or once, prop.dilate or once) != (once, once):
        return False
    images, rows, columns = places
    tiles = images * -(-rows // _RESULTS) * -(-columns // _RESULTS)
    products = channels * filters
    cost = tiles * (_POINTS * products + 150 * (channels + filters)) + 300 * products
    return cost < 0.9 * prod(places) * prod(prop.kernel) * products
