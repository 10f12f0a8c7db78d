"""Resize and Upsample: interpolation along one axis after the other.

The value at an index of a resized axis is a weighted sum of values along that axis, so an axis is
multiplied by a constant matrix, or, for the nearest neighbour, indexed by constants. Formulas:
https://onnx.ai/onnx/operators/onnx__Resize.html
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from opforge.plugin_api import sym

from ..node import Node
from .shapes import along_last_axis

__all__ = ["OPERATORS"]

Translate = Callable[[Node], Any]
_ROUND: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "round_prefer_floor": lambda x: np.ceil(x - 0.5),
    "round_prefer_ceil": lambda x: np.floor(x + 0.5),
    "floor": np.floor,
    "ceil": np.ceil,
}


class _Axis(NamedTuple):
    """Sizes of an axis before and after, the factor, and the part of interest."""

    size: int
    wanted: int
    scale: float
    start: float = 0.0
    end: float = 1.0


def _resize(node: Node) -> Any:
    x = node.symbol(0)
    axes = _axes(node)
    mode = node.attribute("mode", "nearest")
    transform = node.attribute("coordinate_transformation_mode", "half_pixel")
    if node.kind == "Upsample" or node.opset < 11:
        transform = "asymmetric"
    changed = {at: axis for at, axis in axes.items() if axis.wanted != axis.size or axis.start}
    if mode == "linear" and _is_bilinear(node, changed, transform):
        return sym.contrib.BilinearResize2D(
            x,
            height=axes[2].wanted,
            width=axes[3].wanted,
            align_corners=transform == "align_corners",
        )
    factors = {axis.wanted / axis.size for axis in changed.values()}
    if mode == "nearest" and list(changed) == [2, 3] and node.rank(0) == 4 and len(factors) == 1:
        indices = [_nearest(node, axis, transform) for axis in changed.values()]
        factor = int(next(iter(factors)))
        if all(np.array_equal(found, np.arange(len(found)) // factor) for found in indices):
            return sym.UpSampling(x, scale=factor, sample_type="nearest")
    for at, axis in changed.items():
        if mode == "nearest" and transform != "tf_crop_and_resize":
            indices = node.weight(_nearest(node, axis, transform), f"indices{at}")
            x = sym.take(x, indices, axis=at, mode="clip")
        else:
            x = _interpolate(node, x, at, axis, transform, mode)
    return x


def _axes(node: Node) -> dict[int, _Axis]:
    """Return the resized axes."""
    shape = node.sizes(0)
    node.limit(len(shape), 8, "dimensions")
    chosen = [at % len(shape) for at in node.attribute("axes", range(len(shape)))]
    sizes = [shape[at] for at in chosen]
    if node.kind == "Resize" and node.opset >= 11 and node.has(3):
        wanted = node.integers(3, "sizes")
        scales, wanted = _scales_of(node, sizes, wanted)
    else:
        if node.kind == "Upsample" and node.opset < 9:
            given = node.attribute("scales")
        else:
            given = node.constant(2 if node.kind == "Resize" and node.opset >= 11 else 1, "scales")
        scales = [float(item) for item in given]
        wanted = [int(np.floor(size * scale)) for size, scale in zip(sizes, scales, strict=True)]
    for size, length in zip(sizes, wanted, strict=True):
        node.limit(size * length, 2**26, f"weights for an axis of {length}")
    region = [0.0] * len(chosen) + [1.0] * len(chosen)
    if node.attribute("coordinate_transformation_mode") == "tf_crop_and_resize":
        region = [float(item) for item in node.constant(1, "roi")]
    count = len(chosen)
    return {
        at: _Axis(sizes[i], wanted[i], scales[i], region[i], region[count + i])
        for i, at in enumerate(chosen)
    }


def _scales_of(node: Node, sizes: list[int], wanted: list[int]) -> tuple[list[float], list[int]]:
    scales = [new / old for new, old in zip(wanted, sizes, strict=True)]
    policy = node.attribute("keep_aspect_ratio_policy", "stretch")
    if policy == "stretch":
        return scales, wanted
    scale = min(scales) if policy == "not_larger" else max(scales)
    return [scale] * len(sizes), [int(np.floor(scale * size + 0.5)) for size in sizes]


def _is_bilinear(node: Node, changed: dict[int, _Axis], transform: str) -> bool:
    """Return whether the operator for images computes the same."""
    if node.rank(0) != 4 or list(changed) != [2, 3] or node.attribute("antialias", 0):
        return False
    if any(axis.scale != axis.wanted / axis.size for axis in changed.values()):
        return False
    enlarged = min(axis.scale for axis in changed.values()) >= 1
    return transform == "align_corners" or (transform == "half_pixel" and enlarged)


def _coordinates(axis: _Axis, transform: str) -> np.ndarray:
    """Return the coordinate in the array of each element of the result."""
    index = np.arange(axis.wanted, dtype=np.float64)
    last = axis.size - 1
    length = axis.scale * axis.size
    if transform == "half_pixel" or (transform == "pytorch_half_pixel" and length > 1):
        return (index + 0.5) / axis.scale - 0.5
    if transform == "half_pixel_symmetric":
        offset = axis.size / 2 * (1 - axis.wanted / length)
        return offset + (index + 0.5) / axis.scale - 0.5
    if transform == "asymmetric":
        return index / axis.scale
    if transform == "align_corners":
        return index * last / (length - 1) if length > 1 else index * 0
    if transform == "tf_crop_and_resize":
        if length > 1:
            return axis.start * last + index * (axis.end - axis.start) * last / (length - 1)
        return index * 0 + 0.5 * (axis.start + axis.end) * last
    return index * 0  # pytorch_half_pixel of one element


def _nearest(node: Node, axis: _Axis, transform: str) -> np.ndarray:
    rounded = _ROUND[node.attribute("nearest_mode", "round_prefer_floor")]
    if node.kind == "Upsample" or node.opset < 11:
        rounded = np.floor
    return np.clip(rounded(_coordinates(axis, transform)), 0, axis.size - 1).astype(np.int64)


def _interpolate(node: Node, x: Any, at: int, axis: _Axis, transform: str, mode: str) -> Any:
    """Return `x` with an axis multiplied by the matrix of interpolation."""
    coordinates = _coordinates(axis, transform)
    if mode == "nearest":
        nearest = _nearest(node, axis, transform)
        matrix = (np.arange(axis.size) == nearest[:, np.newaxis]).astype(np.float64)
    else:
        matrix = _matrix(node, axis, coordinates, mode)
    outside = np.zeros(axis.wanted, bool)
    if transform == "tf_crop_and_resize":
        outside = (coordinates < 0) | (coordinates > axis.size - 1)
        matrix[outside] = 0
    weight = node.weight(matrix.astype(np.float32), f"weights{at}")

    def multiplied(last: Any) -> Any:
        weights = sym._internal._cast_like(weight, last)
        product = sym.FullyConnected(
            last, weights, num_hidden=axis.wanted, no_bias=True, flatten=False
        )
        value = node.attribute("extrapolation_value", 0.0)
        if not (outside.any() and value):
            return product
        added = node.weight((outside * value).astype(np.float32), f"outside{at}")
        shape = (1,) * (node.rank(0) - 1) + (axis.wanted,)
        added = sym.reshape(sym._internal._cast_like(added, last), shape=shape)
        return sym.broadcast_add(product, added)

    return along_last_axis(x, at, node.rank(0), multiplied)


def _matrix(node: Node, axis: _Axis, coordinates: np.ndarray, mode: str) -> np.ndarray:
    """Return the weight of each element (column) in each element of the result (row)."""
    reach = 1.0 if mode == "linear" else 2.0
    shrink = min(axis.scale, 1.0) if node.attribute("antialias", 0) else 1.0
    count = int(np.ceil(reach / shrink)) + 1
    first = np.floor(coordinates).astype(np.int64)
    columns = first[:, np.newaxis] + np.arange(-count, count + 1)
    distance = np.abs(columns - coordinates[:, np.newaxis]) * shrink
    if mode == "linear":
        weights = np.maximum(0.0, 1.0 - distance)
    else:
        weights = _cubic(distance, node.attribute("cubic_coeff_a", -0.75))
    if node.attribute("exclude_outside", 0):
        weights = weights * ((columns >= 0) & (columns < axis.size))
    weights = weights / weights.sum(1, keepdims=True)
    matrix = np.zeros((axis.wanted, axis.size))
    rows = np.broadcast_to(np.arange(axis.wanted)[:, np.newaxis], columns.shape)
    np.add.at(matrix, (rows, np.clip(columns, 0, axis.size - 1)), weights)
    return matrix


def _cubic(distance: np.ndarray, a: float) -> np.ndarray:
    """Return the weights of Keys's cubic convolution."""
    near = ((a + 2) * distance - (a + 3)) * distance**2 + 1
    far = ((a * distance - 5 * a) * distance + 8 * a) * distance - 4 * a
    return np.where(distance <= 1, near, np.where(distance < 2, far, 0.0))


OPERATORS: dict[str, Translate] = {"Resize": _resize, "Upsample": _resize}
