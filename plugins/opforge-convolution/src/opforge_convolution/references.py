"""References of the operators in plain NumPy, for checks and tests."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from .operators import LIBRARY


def spread(given: Any, default: int, dims: int) -> tuple[int, ...]:
    """Return an attribute as one number for each spatial dimension."""
    return tuple(given) if given else (default,) * dims


def taps(
    shape: Sequence[int], kernel: Any, stride: Any = (), dilate: Any = (), pad: Any = ()
) -> tuple[tuple[int, ...], Iterator[tuple[tuple[int, ...], tuple[slice, ...]]]]:
    """Return the lengths of the results, and for each filter element the positions that it reads.

    Positions are slices of a padded image of `shape`.
    """
    dims = len(kernel)
    stride, dilate, pad = spread(stride, 1, dims), spread(dilate, 1, dims), spread(pad, 0, dims)
    lengths = tuple(
        (n + 2 * p - d * (k - 1) - 1) // s + 1
        for n, k, s, d, p in zip(shape, kernel, stride, dilate, pad, strict=True)
    )
    slices = (
        tuple(
            slice(at * d, at * d + (n - 1) * s + 1, s)
            for at, d, n, s in zip(tap, dilate, lengths, stride, strict=True)
        )
        for tap in product(*map(range, kernel))
    )
    return lengths, zip(product(*map(range, kernel)), slices, strict=True)


def padded(data: Any, pad: Any, dims: int) -> Any:
    """Return images padded with zeros."""
    return np.pad(data, [(0, 0), (0, 0), *((n, n) for n in spread(pad, 0, dims))])


def im2col(data: Any, kernel: Any, pad: Any = (), **steps: Any) -> Any:
    """Compute im2col as the reference."""
    wide = padded(data, pad, len(kernel))
    _, positions = taps(data.shape[2:], kernel, pad=pad, **steps)
    columns = np.stack([wide[(..., *at)] for _, at in positions], 2)
    n, channels, elements = columns.shape[:3]
    return columns.reshape(n, channels * elements, -1)


def col2im(data: Any, output_size: Any, kernel: Any, pad: Any = (), **steps: Any) -> Any:
    """Compute col2im as the reference."""
    dims = len(kernel)
    lengths, positions = taps(output_size, kernel, pad=pad, **steps)
    columns = data.reshape(data.shape[0], -1, int(np.prod(kernel)), *lengths)
    wide = padded(np.zeros((*columns.shape[:2], *output_size)), pad, dims)
    for number, (_, at) in enumerate(positions):
        wide[(..., *at)] += columns[:, :, number]
    inner = (slice(n, n + size) for n, size in zip(spread(pad, 0, dims), output_size, strict=True))
    return wide[(..., *inner)]


def channels_first(array: Any, layout: str | None) -> Any:
    """Move the channels of an array in any layout to axis 1."""
    return np.moveaxis(array, -1, 1) if layout and layout.endswith("C") else array


def to_layout(array: Any, layout: str | None) -> Any:
    """Move the channels of an array from axis 1 to their axis in the layout."""
    return np.moveaxis(array, 1, -1) if layout and layout.endswith("C") else array


def with_bias(out: Any, bias: Any) -> Any:
    """Add a bias to each channel of the output."""
    return out if bias is None else out + bias.reshape(-1, *[1] * (out.ndim - 2))


def convolution(
    data: Any,
    weight: Any,
    bias: Any = None,
    *,
    kernel: Any,
    num_filter: int,
    num_group: int = 1,
    layout: str | None = None,
    no_bias: bool = False,
    **window: Any,
) -> Any:
    """Compute Convolution as the reference."""
    data, weight = channels_first(data, layout), channels_first(weight, layout)
    lengths, _ = taps(data.shape[2:], kernel, **window)
    columns = im2col(data, kernel, **window)
    columns = columns.reshape(len(data), num_group, -1, columns.shape[-1])
    filters = weight.reshape(num_group, num_filter // num_group, -1)
    out = np.einsum("ngip,goi->ngop", columns, filters).reshape(len(data), num_filter, *lengths)
    return to_layout(with_bias(out, bias), layout)


def winograd_weight(weight: Any) -> Any:
    """Transform 3x3 filters to values of polynomials at 0, +-5/8, +-3/2 and infinity."""
    points = np.array([0, 5 / 8, -5 / 8, 3 / 2, -3 / 2])
    values = points[:, None] ** np.arange(3)
    # Divisors of the interpolation.
    shares = [np.prod(x - points[points != x]) for x in points]
    taps = np.vstack([values / np.array(shares)[:, None], [0, 0, 1]])
    for axis in (2, 3):
        # Taps with coefficient 0 are omitted, as they may not be finite.
        moved = np.moveaxis(weight, axis, 0)
        parts = [sum(s * tap for s, tap in zip(row, moved, strict=True) if s) for row in taps]
        weight = np.stack(parts, axis)
    filters, channels = weight.shape[:2]
    vectors = weight.reshape(filters // LIBRARY.LANES, LIBRARY.LANES, channels, 36)
    return np.ascontiguousarray(vectors.transpose(0, 3, 2, 1))


def deconvolution(
    data: Any,
    weight: Any,
    bias: Any = None,
    *,
    kernel: Any,
    stride: Any = (),
    dilate: Any = (),
    pad: Any = (),
    adj: Any = (),
    target_shape: Any = (),
    num_filter: int,
    num_group: int = 1,
    layout: str | None = None,
    no_bias: bool = True,
) -> Any:
    """Compute Deconvolution as the reference."""
    dims = len(kernel)
    data, weight = channels_first(data, layout), channels_first(weight, layout)
    full = [
        (n - 1) * s + d * (k - 1) + 1
        for n, k, s, d in zip(
            data.shape[2:], kernel, spread(stride, 1, dims), spread(dilate, 1, dims), strict=True
        )
    ]
    if any(target_shape):
        excess = [n - target for n, target in zip(full, target_shape, strict=True)]
        pad, adj = [(n + 1) // 2 for n in excess], [n % 2 for n in excess]
    ends = zip(full, spread(pad, 0, dims), spread(adj, 0, dims), strict=True)
    size = tuple(n - 2 * p + a for n, p, a in ends)
    maps = data.reshape(len(data), num_group, data.shape[1] // num_group, -1)
    filters = weight.reshape(num_group, data.shape[1] // num_group, -1)
    columns = np.einsum("ngip,gio->ngop", maps, filters).reshape(len(data), -1, maps.shape[-1])
    out = col2im(columns, size, kernel, stride=stride, dilate=dilate, pad=pad)
    return to_layout(with_bias(out, bias), layout)


def sampled(image: Any, y: Any, x: Any, is_padded: bool) -> Any:
    """Sample an image's channels bilinearly at the positions (y, x).

    Outside are zeros or, if it is not padded, its last row and column repeated once.
    """
    height, width = image.shape[1:]
    first = -1 if is_padded else 0
    inside = (y >= first) & (x >= first) & (y < height) & (x < width)
    wide = np.pad(image, ((0, 0), (1, 0), (1, 0)))
    wide = np.pad(wide, ((0, 0), (0, 1), (0, 1)), mode="constant" if is_padded else "edge")
    y, x = np.where(inside, y, 0), np.where(inside, x, 0)
    top, left = np.floor(y).astype(int), np.floor(x).astype(int)
    down, right = y - top, x - left
    found = sum(
        weight * wide[:, top + 1 + at_y, left + 1 + at_x]
        for at_y, row in ((0, 1 - down), (1, down))
        for at_x, weight in ((0, row * (1 - right)), (1, row * right))
    )
    return np.where(inside, found, 0)


def deformed(
    data: Any,
    offset: Any,
    mask: Any,
    weight: Any,
    bias: Any = None,
    *,
    kernel: Any,
    num_group: int = 1,
    num_deformable_group: int = 1,
    num_filter: int,
    no_bias: bool = False,
    **window: Any,
) -> Any:
    """Compute the deformable convolutions as references; without a mask, the plain one."""
    n, channels = data.shape[:2]
    lengths, positions = taps(data.shape[2:], kernel, **window)
    # Undisplaced positions, in coordinates of the padded image.
    pad = spread(window.get("pad"), 0, 2)
    size = [length + 2 * p for length, p in zip(data.shape[2:], pad, strict=True)]
    grid = np.meshgrid(*map(np.arange, size), indexing="ij")
    offset = offset.reshape(n, num_deformable_group, -1, 2, *lengths)
    columns = np.empty((n, channels, offset.shape[2], *lengths))
    each = channels // num_deformable_group
    for number, (_, at) in enumerate(positions):
        y, x = (axis[at] - p for axis, p in zip(grid, pad, strict=True))
        for image, group in product(range(n), range(num_deformable_group)):
            moved = slice(group * each, (group + 1) * each)
            down, right = offset[image, group, number]
            found = sampled(data[image, moved], y + down, x + right, mask is not None)
            if mask is not None:
                found = (
                    found
                    * mask.reshape(n, num_deformable_group, -1, *lengths)[image, group, number]
                )
            columns[image, moved, number] = found
    columns = columns.reshape(n, num_group, -1, lengths[0] * lengths[1])
    filters = weight.reshape(num_group, num_filter // num_group, -1)
    out = np.einsum("ngip,goi->ngop", columns, filters).reshape(n, num_filter, *lengths)
    return with_bias(out, bias)


def deformable_convolution(
    data: Any, offset: Any, weight: Any, bias: Any = None, **attributes: Any
) -> Any:
    """Compute DeformableConvolution as the reference."""
    return deformed(data, offset, None, weight, bias, **attributes)
