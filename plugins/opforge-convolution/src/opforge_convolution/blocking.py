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
#: Fewest lanes of a vector from which halves of it are worth separate blocks.
_LANES_TO_HALVE = 16
#: Points of a transformed 3x3 filter, which computes 4x4 results at a time.
_POINTS, _RESULTS = 36, 4


def blocked_form(prop: Any, library: Any, inputs: Any, needs_gradient: bool) -> Any:
    """Return the blocked form of a convolution for its inputs, or None.

    Parameters
    ----------
    prop : Convolution
    library : module
        The kernels: `LANES` are those of a vector of filters, `BFLOAT16_PRODUCTS` says whether the
        processor multiplies bfloat16.
    inputs : sequence of layouts.Input
    needs_gradient : bool
        Whether a gradient is needed, which blocked forms do not have.
    """
    data, lanes = inputs[0], library.LANES
    is_brain = library.BFLOAT16_PRODUCTS and np.dtype(data.dtype).name == "bfloat16"
    if not is_brain and data.dtype != np.float32:
        return None
    if needs_gradient or prop.blocked or not _slides_over_images(prop, data):
        return None
    if prop.num_group == prop.num_filter == data.shape[1] and prop.num_group % lanes == 0:
        # It has few products per element, so that it never pays to convert arrays for it alone.
        image = layouts.Blocked(1, lanes)
        return _form([image, layouts.Blocked(0, lanes), None], inputs, image, "depthwise", False)
    channels, filters = data.shape[1] // prop.num_group, prop.num_filter // prop.num_group
    block = _lanes_of_data(prop, lanes, data)
    is_whole = filters % lanes == 0
    if block is None or (not is_whole and (block == 1 or prop.num_group > 1)):
        return None
    positions = _output_positions(prop, data.shape)
    n_results = prop.num_filter * prod(positions)
    blocked, result = _results(prop, lanes, channels, filters)
    converted = (result is not None) * n_results + (prod(data.shape) if block > 1 else 0)
    data_layout = layouts.Blocked(1, block) if block > 1 else None
    if block > 1 and not is_brain and _winograd_is_faster(prop, positions, channels, filters):
        if not is_whole or block != lanes:
            return None  # plain arrays have Winograd's kernel
        shape = (prop.num_filter // lanes, _POINTS, channels, lanes)
        weight: layouts.Layout = layouts.Prepared("_winograd_weight", shape)
        return _form(
            [data_layout, weight, None], inputs, result, "winograd", converted <= _MAX_ELEMENTS
        )
    steps: list[layouts.Step] = [layouts.Blocked(1, block), layouts.Blocked(0, lanes)]
    if not is_whole:
        padded = (-(-filters // lanes) * lanes, channels, *prop.kernel)
        steps.insert(0, layouts.Prepared("_padded_filters", padded))
    if is_brain and block > 1:
        steps.append(layouts.Blocked(4, 2))
        blocked = blocked.replace("sums", "pairs")
    begins = n_results * channels * prod(prop.kernel) >= _MIN_PRODUCTS * converted
    return _form([data_layout, steps, None], inputs, result, blocked, begins)


def _lanes_of_data(prop: Any, lanes: int, data: Any) -> int | None:
    """Return the lanes of the data's blocks; None if its layout is not supported.

    If channels do not fill blocks, as the three of an image, each is a separate block.
    """
    if data.shape[1] // prop.num_group % lanes == 0:
        return lanes
    if data.layout is None:
        return 1
    half = lanes // 2
    return half if prop.num_group == 1 and data.layout == layouts.Blocked(1, half) else None


def _results(prop: Any, lanes: int, channels: int, filters: int) -> tuple[str, Any]:
    """Return the algorithm and the layout of results that are sums of products.

    If filters do not fill vectors, zeros do. The results are then plain arrays, except those of a
    projection to fewer channels, which a convolution usually reads: blocks of half a vector.
    """
    if filters % lanes == 0:
        return "sums", layouts.Blocked(1, lanes)
    half = lanes // 2
    is_projection = prop.kernel == (1, 1) and filters < channels
    if is_projection and lanes >= _LANES_TO_HALVE and filters % half == 0:
        return "sums_to_halves", layouts.Blocked(1, half)
    return "sums_to_plain", None


def _form(
    arguments: list[layouts.Layout], inputs: Any, result: Any, blocked: str, begins: bool
) -> layouts.BlockedForm:
    """Return a form; `arguments` are the layouts of data, weight and bias, if there is one."""
    return layouts.BlockedForm(arguments[: len(inputs)], [result], {"blocked": blocked}, begins)


def _slides_over_images(prop: Any, data: Any) -> bool:
    """Return whether the blocked kernels support a convolution."""
    if len(prop.kernel) != 2 or (prop.layout or "NCHW") != "NCHW":
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
