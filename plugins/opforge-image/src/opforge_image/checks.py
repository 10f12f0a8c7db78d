"""Sample calls and references of the operators for ``opforge check``."""

import tempfile
from colorsys import hls_to_rgb, rgb_to_hls
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from .operators.lighting import _AXES

_IMAGE = np.arange(5 * 7 * 3, dtype=np.uint8).reshape(5, 7, 3)
#: The image as lossless encoded bytes, and in a file that exists as long as this module.
_ENCODED = cv2.imencode(".png", _IMAGE)[1]
_FOLDER = tempfile.TemporaryDirectory(prefix="opforge-image-")
_FILE = Path(_FOLDER.name, "image.png")
_FILE.write_bytes(_ENCODED.tobytes())


def decode(*inputs: Any, flag: int = 1, to_rgb: bool = True, **ignored: Any) -> Any:
    """Return the result of decoding the sample image."""
    if not flag:
        return cv2.cvtColor(_IMAGE, cv2.COLOR_BGR2GRAY)[:, :, None]
    return _IMAGE[:, :, ::-1] if to_rgb else _IMAGE


def normalize(data: Any, mean: Any = (0.0,), std: Any = (1.0,)) -> Any:
    """Return the result of normalize."""
    return (data - np.reshape(mean, (-1, 1, 1))) / np.reshape(std, (-1, 1, 1))


def make_border(src: Any, top: int, bot: int, left: int, right: int, **ignored: Any) -> Any:
    """Return an image with a border of sevens."""
    return np.pad(src, ((top, bot), (left, right), (0, 0)), constant_values=7)


def crop(data: Any, x: int, y: int, width: int, height: int) -> Any:
    """Return the result of crop."""
    return data[..., y : y + height, x : x + width, :]


def random_contrast(data: Any, min_factor: float, **ignored: Any) -> Any:
    """Return the result of random_contrast for a fixed factor."""
    gray = data @ [0.299, 0.587, 0.114] if data.shape[-1] == 3 else data
    return data * min_factor + gray.mean() * (1 - min_factor)


def random_saturation(data: Any, min_factor: float, **ignored: Any) -> Any:
    """Return the result of random_saturation for a fixed factor."""
    gray = data @ [0.299, 0.587, 0.114]
    return data * min_factor + gray[..., None] * (1 - min_factor)


def random_hue(data: Any, min_factor: float, **ignored: Any) -> Any:
    """Return the result of random_hue for a fixed factor."""
    pixels = [rgb_to_hls(*pixel) for pixel in data.reshape(-1, 3) / 255]
    rotated = [hls_to_rgb((h + min_factor) % 1, light, s) for h, light, s in pixels]
    return np.reshape(rotated, data.shape) * 255


def to_tensor(data: Any) -> Any:
    """Return the result of to_tensor, which is computed in float32."""
    return np.moveaxis(data, -1, -3).astype(np.float32) / np.float32(255)


def _samples(inputs: list[Any], **attributes: Any) -> list[dict[str, Any]]:
    return [
        {"inputs": inputs, "attributes": {**attributes, **more}}
        for more in ({}, {"flag": 0}, {"to_rgb": False})
    ]


def _sample(*inputs: Any, **attributes: Any) -> dict[str, Any]:
    return {"inputs": list(inputs), "attributes": attributes}


#: Distinct colors, so that hues are differentiable.
_COLORS = np.random.default_rng(0).uniform(1, 255, (3, 4, 3))
_LIMITS = {"min_factor": 0.75, "max_factor": 0.75}
_PART = {"x": 1, "y": 0, "width": 2, "height": 3}

OPERATOR_CHECKS: dict[str, dict[str, Any]] = {
    "_cvimdecode": {"reference": decode, "samples": _samples([_ENCODED])},
    "_cvimread": {"reference": decode, "samples": _samples([], filename=str(_FILE))},
    "_cvimresize": {"samples": [_sample((4, 5, 3), w=3, h=7), _sample((4, 5, 1), w=9, h=2)]},
    "_cvcopyMakeBorder": {
        "reference": make_border,
        "samples": [_sample((2, 3, 3), top=1, bot=0, left=2, right=1, value=7)],
    },
    "_image_resize": {"samples": [_sample((4, 5, 3), size=(3, 7)), _sample((2, 4, 5, 1), size=2)]},
    "_image_to_tensor": {
        "reference": to_tensor,
        "samples": [_sample((4, 5, 3)), _sample((2, 4, 5, 1))],
    },
    "_image_normalize": {
        "reference": normalize,
        "samples": [
            _sample((3, 4, 5), mean=(1.0, 2.0, 3.0), std=(2.0,)),
            _sample((2, 3, 4, 5), std=(1.0, 2.0, 4.0)),
        ],
    },
    "_image_crop": {
        "reference": crop,
        "samples": [_sample((4, 5, 3), **_PART), _sample((2, 4, 5, 1), **_PART)],
    },
    "_image_flip_left_right": {
        "reference": lambda data: data[:, ::-1],
        "samples": [_sample((4, 5, 3))],
    },
    "_image_flip_top_bottom": {
        "reference": lambda data: data[::-1],
        "samples": [_sample((4, 5, 3))],
    },
    "_image_random_flip_left_right": {"samples": [_sample((4, 5, 3))]},
    "_image_random_flip_top_bottom": {"samples": [_sample((4, 5, 3))]},
    "_image_random_brightness": {
        "reference": lambda data, min_factor, **ignored: data * min_factor,
        "samples": [_sample((4, 5, 3), **_LIMITS), _sample((4, 5, 1), **_LIMITS)],
    },
    "_image_random_contrast": {
        "reference": random_contrast,
        "samples": [_sample((4, 5, 3), **_LIMITS), _sample((4, 5, 1), **_LIMITS)],
    },
    "_image_random_saturation": {
        "reference": random_saturation,
        "samples": [_sample((4, 5, 3), **_LIMITS)],
    },
    "_image_random_hue": {"reference": random_hue, "samples": [_sample(_COLORS, **_LIMITS)]},
    "_image_random_color_jitter": {"samples": [_sample((4, 5, 3))]},
    "_image_adjust_lighting": {
        "reference": lambda data, alpha: data + _AXES @ np.float32(alpha),
        "samples": [_sample((4, 5, 3), alpha=(1.0, -2.0, 0.5))],
    },
    "_image_random_lighting": {"samples": [_sample((4, 5, 3), alpha_std=0.0)]},
}
