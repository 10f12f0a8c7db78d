"""Color changes of images, shared by operators, augmenters and record iterators.

MXNet defines each change for three representations, whose rounding and hue models differ:

- Functions of `F` take an RGB image in floating point and a factor of shape (1, 1, 1). Graphs
  compile them, and their gradients follow.
- Functions whose names end in an underscore update an RGB NDArray in floating point.
- Functions whose names end in ``_bytes`` take a BGR image of uint8 and return a new one.
"""

from typing import Any

import cv2
import numpy as np

from opforge.plugin_api import F

__all__ = [
    "IMAGENET_EIGENVALUES",
    "IMAGENET_EIGENVECTORS",
    "LUMA",
    "RGB_TO_YIQ",
    "YIQ_TO_RGB",
    "add_light_bytes",
    "adjust_brightness",
    "adjust_brightness_",
    "adjust_contrast",
    "adjust_contrast_",
    "adjust_contrast_bytes",
    "adjust_hue",
    "adjust_saturation",
    "adjust_saturation_",
    "adjust_saturation_bytes",
    "rotate_hue",
    "scale_bytes",
    "shift_hls_bytes",
]

#: Weights of red, green and blue in a gray level (ITU-R BT.601).
LUMA = (0.299, 0.587, 0.114)
#: Principal components of ImageNet's RGB values; the eigenvectors are columns.
IMAGENET_EIGENVALUES = np.array([55.46, 4.794, 1.148])
IMAGENET_EIGENVECTORS = np.array(
    [[-0.5675, 0.7192, 0.4009], [-0.5808, -0.0045, -0.8140], [-0.5836, -0.6948, 0.4203]]
)
_BGR_COMPONENTS = np.ascontiguousarray(IMAGENET_EIGENVECTORS[::-1]) * IMAGENET_EIGENVALUES
RGB_TO_YIQ = np.array([[0.299, 0.587, 0.114], [0.596, -0.274, -0.321], [0.211, -0.523, 0.311]])
YIQ_TO_RGB = np.array([[1.0, 0.956, 0.621], [1.0, -0.272, -0.647], [1.0, -1.107, 1.705]])
#: Largest hue, lightness and saturation of OpenCV's 8-bit HLS.
_HLS_LIMITS = (180, 255, 255)


def adjust_brightness(F: Any, image: Any, factor: Any) -> Any:
    """Return the image multiplied by `factor`."""
    return F.broadcast_mul(image, factor)


def adjust_contrast(F: Any, image: Any, factor: Any) -> Any:
    """Return ``factor * image + (1 - factor) * mean gray level``."""
    mean = F.mean(_gray(F, image), axis=(0, 1, 2), keepdims=True)
    return F.broadcast_add(F.broadcast_mul(image, factor), mean * (1 - factor))


def adjust_saturation(F: Any, image: Any, factor: Any) -> Any:
    """Return ``factor * image + (1 - factor) * gray``, with the gray level of each pixel."""
    if image.shape[-1] == 1:
        return image
    gray = F.broadcast_mul(_gray(F, image), 1 - factor)
    return F.broadcast_add(F.broadcast_mul(image, factor), gray)


def adjust_hue(F: Any, image: Any, offset: Any) -> Any:
    """Return the image with `offset` added to HLS's hue, where 1 is the full circle."""
    if image.shape[-1] == 1:
        return image
    red, green, blue = (channel / 255.0 for channel in _channels(F, image))
    highest = F.maximum(F.maximum(red, green), blue)
    lowest = F.minimum(F.minimum(red, green), blue)
    span = highest - lowest
    # A gray pixel has no hue; its value here is multiplied by a span of 0 below.
    safe = F.where(span > 0, span, F.ones_like(span))
    if_green, if_blue = 2 + (blue - red) / safe, 4 + (red - green) / safe
    hue = F.where(highest == green, if_green, if_blue)
    hue = F.where(highest == red, (green - blue) / safe, hue)
    hue = F.broadcast_add(hue, 6 * offset)
    hue = hue - 6 * F.floor(hue / 6)
    # Each channel is a trapezoidal function of the hue, highest around its own hue.
    shares = (F.abs(hue - 3) - 1, 2 - F.abs(hue - 2), 2 - F.abs(hue - 4))
    channels = [lowest + span * F.clip(share, a_min=0.0, a_max=1.0) for share in shares]
    return F.concat(*channels, dim=2) * 255.0


def _gray(F: Any, image: Any) -> Any:
    """Return the gray level of each pixel, shape (h, w, 1)."""
    if image.shape[-1] == 1:
        return image
    red, green, blue = _channels(F, image)
    return LUMA[0] * red + LUMA[1] * green + LUMA[2] * blue


def _channels(F: Any, image: Any) -> list[Any]:
    return [F.slice_axis(image, axis=2, begin=index, end=index + 1) for index in range(3)]


def adjust_brightness_(image: Any, factor: float) -> Any:
    """Multiply the image by `factor` in place."""
    image *= factor
    return image


def adjust_contrast_(image: Any, factor: float, luma: Any) -> Any:
    """Scale the image and add ``(1 - factor) * mean gray level`` in place."""
    return _blend_(image, factor, (image * luma).sum() * (3.0 * (1.0 - factor) / image.size))


def adjust_saturation_(image: Any, factor: float, luma: Any) -> Any:
    """Scale the image and add ``(1 - factor) * gray`` in place."""
    return _blend_(image, factor, (image * luma).sum(axis=2, keepdims=True) * (1.0 - factor))


def _blend_(image: Any, factor: float, offset: Any) -> Any:
    image *= factor
    image += offset
    return image


def rotate_hue(
    image: Any, angle: float, to_yiq: Any = RGB_TO_YIQ, from_yiq: Any = YIQ_TO_RGB
) -> Any:
    """Return an RGB NDArray with its YIQ chroma rotated by `angle` in radians."""
    cos, sin = np.cos(angle), np.sin(angle)
    rotation = np.array([[1.0, 0.0, 0.0], [0.0, cos, -sin], [0.0, sin, cos]])
    return F.dot(image, F.array((from_yiq @ rotation @ to_yiq).T, dtype=image.dtype))


def scale_bytes(image: np.ndarray, alpha: float, beta: float = 0.0) -> np.ndarray:
    """Return ``alpha * image + beta``, rounded and clipped to uint8."""
    return cv2.addWeighted(image, alpha, image, 0.0, beta)


def adjust_contrast_bytes(image: np.ndarray, factor: float) -> np.ndarray:
    """Return ``factor * image + (1 - factor) * mean gray level``."""
    # MXNet reads the BGR channels as RGB here and in the saturation.
    mean = cv2.mean(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY))[0]
    return scale_bytes(image, factor, (1 - factor) * mean)


def adjust_saturation_bytes(image: np.ndarray, factor: float) -> np.ndarray:
    """Return ``factor * image + (1 - factor) * gray``, with the gray level of each pixel."""
    gray = cv2.cvtColor(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY), cv2.COLOR_GRAY2BGR)
    return cv2.addWeighted(image, factor, gray, 1 - factor, 0.0)


def shift_hls_bytes(image: np.ndarray, hue: int, lightness: int, saturation: int) -> np.ndarray:
    """Return the image with integers added to OpenCV's HLS channels, clipped to their ranges."""
    hls = cv2.cvtColor(image, cv2.COLOR_BGR2HLS).astype(np.int32)
    shifted = np.clip(hls + (hue, lightness, saturation), 0, _HLS_LIMITS).astype(np.uint8)
    return cv2.cvtColor(shifted, cv2.COLOR_HLS2BGR)


def add_light_bytes(image: np.ndarray, alpha: list[float]) -> np.ndarray:
    """Return the image plus `alpha` times each of ImageNet's principal components."""
    return np.clip(image + _BGR_COMPONENTS @ alpha, 0, 255).astype(np.uint8)
