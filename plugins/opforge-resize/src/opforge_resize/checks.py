"""Sample calls and float64 references of these operators for ``opforge check``."""

from typing import Any

import numpy as np

SHAPE = (2, 3, 4, 5)


def pad(data: Any, mode: str, pad_width: Any, constant_value: float = 0.0) -> Any:
    """Compute Pad as the reference."""
    ends = list(zip(pad_width[::2], pad_width[1::2], strict=True))
    if mode == "constant":
        return np.pad(data, ends, constant_values=constant_value)
    return np.pad(data, ends, "edge" if mode == "edge" else "reflect")


def crop(data: Any, like: Any = None, **attributes: Any) -> Any:
    """Compute Crop as the reference."""
    height, width = attributes["h_w"] if like is None else like.shape[2:]
    row, column = attributes.get("offset", (0, 0))
    if attributes.get("center_crop"):
        row, column = (data.shape[2] - height) // 2, (data.shape[3] - width) // 2
    return data[:, :, row : row + height, column : column + width]


def repeat(data: Any, scale: int) -> Any:
    """Repeat each pixel `scale` times along both axes."""
    return data.repeat(scale, 2).repeat(scale, 3)


def spread(data: Any, weight: Any, scale: int) -> Any:
    """Compute the depthwise transposed convolution of UpSampling with weights."""
    n, c, h, w = data.shape
    size, before = weight.shape[3], scale // 2
    out = np.zeros((n, c, (h - 1) * scale + size, (w - 1) * scale + size))
    for i, j in np.ndindex(h, w):
        part = out[:, :, i * scale : i * scale + size, j * scale : j * scale + size]
        part += data[:, :, i : i + 1, j : j + 1] * weight[:, 0]
    return out[:, :, before : before + h * scale, before : before + w * scale]


def upsample(*inputs: Any, **attributes: Any) -> Any:
    """Compute UpSampling as the reference."""
    first, scale = inputs[0], attributes["scale"]
    if attributes["sample_type"] == "bilinear":
        return spread(first, inputs[1], scale)
    larger = [repeat(x, scale * first.shape[2] // x.shape[2]) for x in inputs]
    return sum(larger) if attributes.get("multi_input_mode") == "sum" else np.concatenate(larger, 1)


def resize(data: Any, like: Any = None, **attributes: Any) -> Any:
    """Compute BilinearResize2D as the reference, in modes 'size', 'like' and 'odd_scale'."""
    sizes = like.shape[2:] if like is not None else sizes_of(data, attributes)
    for axis, size in zip((2, 3), sizes, strict=True):
        length = data.shape[axis]
        if attributes.get("align_corners", True):
            at = np.arange(size) * ((length - 1) / (size - 1) if size > 1 else 0)
        else:
            at = np.maximum((np.arange(size) + 0.5) * length / size - 0.5, 0)
        low = np.minimum(at.astype(int), length - 1)
        high = np.minimum(low + 1, length - 1)
        part = (at - low).reshape(-1, *(1,) * (3 - axis))
        data = data.take(low, axis) * (1 - part) + data.take(high, axis) * part
    return data


def sizes_of(data: Any, attributes: dict[str, Any]) -> tuple[int, int]:
    """Return the height and width of the result in modes 'size' and 'odd_scale'."""
    if attributes.get("mode") != "odd_scale":
        return attributes["height"], attributes["width"]
    scales = attributes["scale_height"], attributes["scale_width"]
    height, width = (
        int((length - length % 2) * scale) + length % 2
        for length, scale in zip(data.shape[2:], scales, strict=True)
    )
    return height, width


def to_space(data: Any, block_size: int) -> Any:
    """Compute depth_to_space as the reference."""
    n, c, h, w = data.shape
    b = block_size
    split = data.reshape(n, b, b, c // (b * b), h, w).transpose(0, 3, 4, 1, 5, 2)
    return split.reshape(n, c // (b * b), h * b, w * b)


def to_depth(data: Any, block_size: int) -> Any:
    """Compute space_to_depth as the reference."""
    n, c, h, w = data.shape
    b = block_size
    split = data.reshape(n, c, h // b, b, w // b, b).transpose(0, 3, 5, 1, 2, 4)
    return split.reshape(n, c * b * b, h // b, w // b)


def grid(data: Any, transform_type: str, target_shape: Any = (0, 0)) -> Any:
    """Compute GridGenerator as the reference, for at least two rows and two columns."""
    height, width = target_shape if transform_type == "affine" else data.shape[2:]
    y, x = np.meshgrid(np.linspace(-1, 1, height), np.linspace(-1, 1, width), indexing="ij")
    if transform_type == "warp":
        scale = np.array([2 / (width - 1), 2 / (height - 1)]).reshape(2, 1, 1)
        return data * scale + np.stack([x, y])
    return np.einsum("nij,jhw->nihw", data.reshape(-1, 2, 3), np.stack([x, y, np.ones_like(x)]))


def sample(data: Any, grid: Any) -> Any:
    """Compute BilinearSampler as the reference; images are zero outside."""
    n, c, height, width = data.shape
    zeros = np.pad(data, ((0, 0), (0, 0), (1, 1), (1, 1)))
    x, y = (grid[:, 0] + 1) * (width - 1) / 2, (grid[:, 1] + 1) * (height - 1) / 2
    nan = np.isnan(x + y)
    inside = (x > -1) & (y > -1) & (x < width) & (y < height)
    left, top = np.floor(np.where(inside, x, 0)), np.floor(np.where(inside, y, 0))
    out = np.zeros((n, c, *x.shape[1:]))
    for down, right in np.ndindex(2, 2):
        rows, columns = (top + down + 1).astype(int), (left + right + 1).astype(int)
        share = np.abs(1 - down - (y - top)) * np.abs(1 - right - (x - left))
        for at in np.ndindex(x.shape):
            if inside[at]:
                pixel = zeros[at[0], :, rows[at], columns[at]]
                out[(at[0], slice(None), *at[1:])] += pixel * share[at]
    return np.where(nan[:, np.newaxis], np.nan, out)


def transform(data: Any, loc: Any, target_shape: Any, **ignored: Any) -> Any:
    """Compute SpatialTransformer as the reference."""
    return sample(data, grid(loc, "affine", target_shape))


def sampler_samples(rng: Any) -> list[Any]:
    """Return calls with positions inside and outside of images, never exactly at a pixel."""
    pixels, offsets = rng.integers(-1, 4, (2, 2, 3, 4)), rng.uniform(0.2, 0.8, (2, 2, 3, 4))
    return [[(2, 2, 4, 4), (pixels + offsets) * 2 / 3 - 1]]


def transformer_samples(rng: Any) -> list[Any]:
    """Return a call that rotates and shrinks images; no position is exactly at a pixel."""
    rotation = np.array([[0.61, 0.17, 0.05, -0.13, 0.57, 0.03]])
    attributes = {"target_shape": (3, 4), "transform_type": "affine", "sampler_type": "bilinear"}
    return [{"inputs": [(1, 2, 5, 4), rotation], "attributes": attributes}]


def call(*inputs: Any, **attributes: Any) -> dict[str, Any]:
    """Return a sample call."""
    return {"inputs": list(inputs), "attributes": attributes}


AROUND = (0, 0, 0, 0, 1, 2, 3, 0)
OPERATOR_CHECKS: dict[str, dict[str, Any]] = {
    "Pad": {
        "reference": pad,
        "samples": [
            *(call(SHAPE, mode=mode, pad_width=AROUND) for mode in ("constant", "edge", "reflect")),
            call((1, 2, 3, 4, 2), mode="edge", pad_width=(0, 0, 0, 0, 2, 1, 0, 1, 1, 3)),
        ],
    },
    "Crop": {
        "reference": crop,
        "samples": [
            call(SHAPE, h_w=(2, 3), offset=(1, 2)),
            call(SHAPE, h_w=(2, 2), center_crop=True),
            call(SHAPE, (1, 1, 3, 2), num_args=2),
        ],
    },
    "_repeat_pixels": {"reference": repeat, "samples": [call(SHAPE, scale=3)]},
    "_spread_pixels": {
        "reference": spread,
        "samples": [call(SHAPE, (3, 1, 4, 4), scale=2), call(SHAPE, (3, 1, 5, 5), scale=3)],
    },
    "UpSampling": {
        "reference": upsample,
        "samples": [
            call(SHAPE, scale=2, sample_type="nearest"),
            call((1, 2, 2, 3), (1, 1, 4, 6), scale=2, sample_type="nearest", num_args=2),
            call(
                *((1, 2, 2, 3), (1, 2, 2, 3)),
                **{"scale": 2, "sample_type": "nearest", "multi_input_mode": "sum", "num_args": 2},
            ),
            call(
                *(SHAPE, (3, 1, 4, 4)),
                **{"scale": 2, "sample_type": "bilinear", "num_filter": 3, "num_args": 2},
            ),
        ],
    },
    "_contrib_BilinearResize2D": {
        "reference": resize,
        "samples": [
            call(SHAPE, height=7, width=3),
            call(SHAPE, height=7, width=3, align_corners=False),
            call(SHAPE, (1, 1, 3, 8), mode="like"),
            call((1, 2, 5, 4), mode="odd_scale", scale_height=2, scale_width=1.5),
        ],
    },
    "depth_to_space": {"reference": to_space, "samples": [call((2, 8, 2, 3), block_size=2)]},
    "space_to_depth": {"reference": to_depth, "samples": [call((2, 2, 4, 6), block_size=2)]},
    "GridGenerator": {
        "reference": grid,
        "samples": [
            call((2, 6), transform_type="affine", target_shape=(3, 4)),
            call((2, 2, 3, 4), transform_type="warp"),
        ],
    },
    "BilinearSampler": {"reference": sample, "samples": sampler_samples},
    "SpatialTransformer": {"reference": transform, "samples": transformer_samples},
}

LAYER_CHECKS: dict[str, dict[str, Any]] = {
    "ReflectionPad2D": {"samples": [{"inputs": [SHAPE], "arguments": {"padding": 2}}]},
    "PixelShuffle1D": {"samples": [{"inputs": [(2, 6, 4)], "arguments": {"factor": 3}}]},
    "PixelShuffle2D": {"samples": [{"inputs": [(2, 6, 4, 3)], "arguments": {"factor": (2, 3)}}]},
    "PixelShuffle3D": {"samples": [{"inputs": [(1, 8, 2, 3, 4)], "arguments": {"factor": 2}}]},
}
