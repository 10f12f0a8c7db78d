"""NumPy references of the operators that pool regions, computed bin by bin."""

from collections.abc import Callable
from typing import Any

import numpy as np

#: Function of an image's channels, the index of a box and the bin's row and column.
Bin = Callable[[Any, int, int, int], Any]


def fill_bins(data: Any, rois: Any, channels: int, bins: Any, value: Bin) -> Any:
    """Return the value of each bin of each box; boxes without an image yield zeros."""
    out = np.zeros((len(rois), channels, *bins))
    for n, box in enumerate(rois):
        for y, x in np.ndindex(*bins) if box[0] >= 0 and data.size else ():
            out[n, :, y, x] = value(data[int(box[0])], n, y, x)
    return out


def roi_pooling(data: Any, rois: Any, pooled_size: Any, spatial_scale: float) -> Any:
    """Return the result of ROIPooling."""

    def value(planes: Any, n: int, y: int, x: int) -> Any:
        left, top, right, bottom = np.floor(rois[n, 1:] * spatial_scale + 0.5)
        height = max(bottom - top + 1, 1) / pooled_size[0]
        width = max(right - left + 1, 1) / pooled_size[1]
        rows = [top + np.floor(y * height), top + np.ceil((y + 1) * height)]
        columns = [left + np.floor(x * width), left + np.ceil((x + 1) * width)]
        rows = np.clip(rows, 0, planes.shape[1]).astype(int)
        columns = np.clip(columns, 0, planes.shape[2]).astype(int)
        own = planes[:, slice(*rows), slice(*columns)]
        return own.max((1, 2)) if own.size else 0

    return fill_bins(data, rois, data.shape[1], pooled_size, value)


def sample(planes: Any, y: float, x: float) -> Any:
    """Return channels interpolated at a position; up to one pixel outside, use the border."""
    height, width = planes.shape[1:]
    if not (-1 <= y <= height and -1 <= x <= width):
        return np.zeros(len(planes))
    y, x = np.clip(y, 0, height - 1), np.clip(x, 0, width - 1)
    top, left = int(y), int(x)
    rows, columns = [top, min(top + 1, height - 1)], [left, min(left + 1, width - 1)]
    return [1 - y + top, y - top] @ planes[:, rows][:, :, columns] @ [1 - x + left, x - left]


def sample_positions(start: float, size: float, samples: int) -> Any:
    """Return the centers of `samples` equal parts of an interval."""
    samples = samples if samples > 0 else int(np.ceil(size))
    return start + (np.arange(samples) + 0.5) * size / samples


def roi_align(
    data: Any, rois: Any, pooled_size: Any, spatial_scale: float, **attributes: Any
) -> Any:
    """Return the result of ROIAlign."""
    aligned, samples = attributes.get("aligned", False), attributes.get("sample_ratio", -1)
    position_sensitive = attributes.get("position_sensitive", False)
    down, across = pooled_size

    def value(planes: Any, n: int, y: int, x: int) -> Any:
        left, top, right, bottom = rois[n, 1:] * spatial_scale - aligned * 0.5
        least = 0 if aligned else 1
        height, width = max(bottom - top, least) / down, max(right - left, least) / across
        ys = sample_positions(top + y * height, height, samples)
        xs = sample_positions(left + x * width, width, samples)
        own = planes[y * across + x :: down * across] if position_sensitive else planes
        return np.mean([sample(own, i, j) for i in ys for j in xs], 0)

    channels = data.shape[1] // (down * across) if position_sensitive else data.shape[1]
    return fill_bins(data, rois, channels, pooled_size, value)


def rotated_roi_align(
    data: Any, rois: Any, pooled_size: Any, spatial_scale: float, sampling_ratio: int = -1
) -> Any:
    """Return the result of RROIAlign."""

    def value(planes: Any, n: int, y: int, x: int) -> Any:
        middle_x, middle_y, *sides = rois[n, 1:5] * spatial_scale
        width, height = np.maximum(sides, 1) / pooled_size[::-1]
        cosine, sine = np.cos(np.radians(rois[n, 5])), np.sin(np.radians(rois[n, 5]))
        ys = sample_positions((y - pooled_size[0] / 2) * height, height, sampling_ratio)
        xs = sample_positions((x - pooled_size[1] / 2) * width, width, sampling_ratio)
        return np.mean(
            [
                sample(planes, i * cosine - j * sine + middle_y, j * cosine + i * sine + middle_x)
                for i in ys
                for j in xs
            ],
            0,
        )

    return fill_bins(data, rois, data.shape[1], pooled_size, value)


def part_channels(planes: Any, parts: int, bins: int, y: int, x: int) -> Any:
    """Return the channels of the part that contains a bin."""
    return planes[y * parts // bins * parts + x * parts // bins :: parts * parts]


def inclusive_box(box: Any, scale: float) -> Any:
    """Return left, top, width and height of a box that includes its corner pixels."""
    left, top, right, bottom = (np.round(box[1:]) + [0, 0, 1, 1]) * scale
    return left, top, max(right - left, 0.1), max(bottom - top, 0.1)


def part_pooling(
    data: Any, rois: Any, spatial_scale: float, output_dim: int, pooled_size: int, group_size: int
) -> Any:
    """Return the result of PSROIPooling."""

    def value(planes: Any, n: int, y: int, x: int) -> Any:
        left, top, width, height = inclusive_box(rois[n], spatial_scale)
        edges = [
            np.clip([np.floor(start + i * size), np.ceil(start + (i + 1) * size)], 0, length)
            for start, size, i, length in (
                (top, height / pooled_size, y, planes.shape[1]),
                (left, width / pooled_size, x, planes.shape[2]),
            )
        ]
        rows, columns = (slice(*pair.astype(int)) for pair in edges)
        own = part_channels(planes, group_size, pooled_size, y, x)[:output_dim, rows, columns]
        return own.mean((1, 2)) if own.size else 0

    return fill_bins(data, rois, output_dim, (pooled_size, pooled_size), value)


def deformed_pooling(data: Any, rois: Any, trans: Any = None, **attributes: Any) -> Any:
    """Return the result of DeformablePSROIPooling."""
    bins, output_dim = attributes["pooled_size"], attributes["output_dim"]
    samples, parts = attributes["sample_per_part"], attributes["group_size"]

    def of_class(k: int, each: int) -> Bin:
        def value(planes: Any, n: int, y: int, x: int) -> Any:
            left, top, width, height = inclusive_box(rois[n], attributes["spatial_scale"])
            start_x, start_y = left - 0.5 + x * width / bins, top - 0.5 + y * height / bins
            if trans is not None:
                size = trans.shape[2]
                offset = trans[n, 2 * k : 2 * k + 2, y * size // bins, x * size // bins]
                offset_x, offset_y = offset * attributes["trans_std"]
                start_x, start_y = start_x + offset_x * width, start_y + offset_y * height
            own = part_channels(planes, parts, bins, y, x)[k * each : (k + 1) * each]
            steps = np.arange(samples) / samples / bins
            inside = [
                sample(own, i, j)
                for i in start_y + steps * height
                for j in start_x + steps * width
                if -0.5 <= i <= own.shape[1] - 0.5 and -0.5 <= j <= own.shape[2] - 0.5
            ]
            return np.mean(inside, 0) if inside else 0

        return value

    classes = 1 if trans is None else trans.shape[1] // 2
    each = output_dim // classes
    values = [fill_bins(data, rois, each, (bins, bins), of_class(k, each)) for k in range(classes)]
    return np.concatenate(values, 1)
