"""Blocked forms of a convolution: the arrays that they require, and the choice between them."""

import os
from math import prod
from typing import Any

import numpy as np

from opforge.plugin_api import layouts

__all__ = ["blocked_form"]

#: Products per converted element from which converting is faster than a plain convolution.
_MIN_PRODUCTS = 24
#: Largest number of converted elements, which fit a cache; above, Winograd's kernel for plain
#: arrays is as fast.
_MAX_ELEMENTS = 1 << 20
#: Points of a transformed 3x3 filter, which computes 4x4 results at a time.
_POINTS, _RESULTS = 36, 4


def blocked_form(prop: Any, lanes: int, inputs: Any, needs_gradient: bool) -> Any:
    """Return the blocked form of a convolution for its inputs, or None.

    Parameters
    ----------
    prop : Convolution
    lanes : int
        Lanes of a vector of filters in the kernels' instruction set.
    inputs : sequence of layouts.Input
    needs_gradient : bool
        Whether a gradient is needed, which blocked forms do not have.
    """
    data = inputs[0]
    if needs_gradient or prop.blocked or not _slides_over_images(prop, data):
        return None
    if prop.num_group == prop.num_filter == data.shape[1] and prop.num_group % lanes == 0:
        return _depthwise_form(lanes, len(inputs))
    channels, filters = data.shape[1] // prop.num_group, prop.num_filter // prop.num_group
    # If channels do not fill blocks, as the three of an image, each is a separate block.
    block = lanes if channels % lanes == 0 else 1
    if block == 1 and data.layout is not None:
        return None
    if filters % lanes:
        return None if block == 1 or prop.num_group > 1 else _plain_results(prop, lanes, inputs)
    positions = _output_positions(prop, data.shape)
    converted = prop.num_filter * prod(positions) + (prod(data.shape) if block == lanes else 0)
    if block == lanes and _winograd_is_faster(prop, positions, channels, filters):
        shape = (prop.num_filter // lanes, _POINTS, channels, lanes)
        weight: layouts.Layout = layouts.Prepared("_winograd_weight", shape)
        blocked, begins = "winograd", converted <= _MAX_ELEMENTS
    else:
        weight = (layouts.Blocked(1, block), layouts.Blocked(0, lanes))
        products = prod(positions) * prop.num_filter * channels * prod(prop.kernel)
        blocked, begins = "sums", products >= _MIN_PRODUCTS * converted
    return layouts.BlockedForm(
        [layouts.Blocked(1, block), weight, None][: len(inputs)],
        [layouts.Blocked(1, lanes)],
        {"blocked": blocked},
        begins,
    )


def _plain_results(prop: Any, lanes: int, inputs: Any) -> Any:
    """Return the form whose filters do not fill vectors, and whose results are not blocked."""
    shape, channels = inputs[0].shape, inputs[0].shape[1]
    positions = _output_positions(prop, shape)
    if _winograd_is_faster(prop, positions, channels, prop.num_filter):
        return None
    products = prod(positions) * prop.num_filter * channels * prod(prop.kernel)
    vectors = -(-prop.num_filter // lanes)
    padded = layouts.Prepared("_padded_filters", (vectors * lanes, channels, *prop.kernel))
    weight = (padded, layouts.Blocked(1, lanes), layouts.Blocked(0, lanes))
    arguments: list[layouts.Layout] = [layouts.Blocked(1, lanes), weight, None]
    return layouts.BlockedForm(
        arguments[: len(inputs)],
        [None],
        {"blocked": "sums_to_plain"},
        begins=products >= _MIN_PRODUCTS * prod(shape),
    )


def _depthwise_form(lanes: int, n_inputs: int) -> Any:
    """Return the form of a convolution with one filter per channel.

    It has few products per element, so that it never pays to convert arrays for it alone.
    """
    image = layouts.Blocked(1, lanes)
    arguments: list[layouts.Layout] = [image, layouts.Blocked(0, lanes), None]
    return layouts.BlockedForm(
        arguments[:n_inputs], [image], {"blocked": "depthwise"}, begins=False
    )


def _slides_over_images(prop: Any, data: Any) -> bool:
    """Return whether the blocked kernels support a convolution."""
    if len(prop.kernel) != 2 or (prop.layout or "NCHW") != "NCHW" or data.dtype != np.float32:
        return False
    # Images are copied with their padding, which must not exceed the image.
    pads = prop.pad or (0, 0)
    return all(2 * pad <= size for pad, size in zip(pads, data.shape[2:], strict=True))


def _output_positions(prop: Any, shape: Any) -> tuple[int, int, int]:
    """Return the numbers of images, rows and columns of the results."""
    once, none = (1, 1), (0, 0)
    window = zip(
        *(shape[2:], prop.kernel, prop.stride or once, prop.dilate or once, prop.pad or none),
        strict=True,
    )
    rows, columns = ((n + 2 * p - (k - 1) * d - 1) // s + 1 for n, k, s, d, p in window)
    return shape[0], rows, columns


def _winograd_is_faster(prop: Any, positions: Any, channels: int, filters: int) -> bool:
    """Return whether Winograd's convolution is allowed and estimated to be faster.

    Costs are in products of vectors. A transform costs about 150 products for a vector of channels
    or filters; reading transformed weights from memory costs about 300 products each.
    """
    once = (1, 1)
    if os.environ.get("OPFORGE_CONVOLUTION_WINOGRAD") == "0" or prop.kernel != (3, 3):
        return False
    if (prop.stride or once, prop.dilate or once) != (once, once):
        return False
    images, rows, columns = positions
    tiles = images * -(-rows // _RESULTS) * -(-columns // _RESULTS)
    products = channels * filters
    cost = tiles * (_POINTS * products + 150 * (channels + filters)) + 300 * products
    return cost < 0.9 * prod(positions) * prod(prop.kernel) * products
