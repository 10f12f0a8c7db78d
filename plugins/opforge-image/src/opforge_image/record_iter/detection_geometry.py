"""Augmentations of `ImageDetRecordIter` that transform images together with their objects.

The order is MXNet's: resize the shorter side, change colors, mirror, pad, crop, resize to the size
of the batch.
"""

from dataclasses import dataclass
from random import Random

import cv2
import numpy as np

from opforge.plugin_api import AttributeValueError

from ..codec import check_pixels
from ..colors import scale_bytes, shift_hls_bytes
from ..geometry import resize_by_method, shorter_side_size
from .boxes import Boxes, Region
from .geometry import METHODS

__all__ = ["DetectionColors", "DetectionGeometry"]

_RESIZE_MODES = ("force", "shrink", "fit")
#: Minimum scale of padding; smaller ones are skipped.
_MIN_GROWTH = 1.05


@dataclass(frozen=True)
class DetectionColors:
    """Settings of color augmentations, with MXNet's names and defaults."""

    max_random_hue: int = 0
    random_hue_prob: float = 0.0
    max_random_saturation: int = 0
    random_saturation_prob: float = 0.0
    max_random_illumination: int = 0
    random_illumination_prob: float = 0.0
    max_random_contrast: float = 0.0
    random_contrast_prob: float = 0.0

    @property
    def changes(self) -> bool:
        """True if any color may be changed."""
        return (
            max(
                self.random_hue_prob,
                self.random_saturation_prob,
                self.random_illumination_prob,
                self.random_contrast_prob,
            )
            > 0
        )

    def __call__(self, image: np.ndarray, rng: Random) -> np.ndarray:
        """Return `image`, uint8 with three channels, with changed colors."""
        hue = int(_draw(self.max_random_hue, self.random_hue_prob, rng))
        saturation = int(_draw(self.max_random_saturation, self.random_saturation_prob, rng))
        light = int(_draw(self.max_random_illumination, self.random_illumination_prob, rng))
        contrast = _draw(self.max_random_contrast, self.random_contrast_prob, rng)
        if hue or saturation or light:
            image = shift_hls_bytes(image, hue, light, saturation)
        return scale_bytes(image, 1 + contrast) if abs(contrast) > 1e-3 else image


def _draw(limit: float, probability: float, rng: Random) -> float:
    """Return a random number in [-limit, limit] with a given probability, otherwise 0."""
    return rng.uniform(-limit, limit) if rng.random() < probability else 0.0


@dataclass(frozen=True)
class DetectionGeometry:
    """Settings of geometric augmentations, with MXNet's names and defaults."""

    resize: int = -1
    rand_mirror_prob: float = 0.0
    rand_pad_prob: float = 0.0
    max_pad_scale: float = 1.0
    fill_value: int = 127
    inter_method: int = 1
    resize_mode: str = "force"

    def __post_init__(self) -> None:
        for name, choices in (("inter_method", METHODS), ("resize_mode", _RESIZE_MODES)):
            if getattr(self, name) not in choices:
                raise AttributeValueError(
                    f"ImageDetRecordIter: got {name}={getattr(self, name)!r}; expected one of "
                    f"{choices}"
                )

    def scale(self, image: np.ndarray, rng: Random) -> np.ndarray:
        """Return `image` resized by its shorter side, if requested."""
        if self.resize == -1:
            return image
        height, width = shorter_side_size(image.shape, self.resize)
        return resize_by_method(image, height, width, self.inter_method, rng)

    def mirror(self, image: np.ndarray, boxes: Boxes, rng: Random) -> tuple[np.ndarray, Boxes]:
        """Return image and objects, mirrored with probability `rand_mirror_prob`."""
        if self.rand_mirror_prob > 0 and rng.random() < self.rand_mirror_prob:
            return cv2.flip(image, 1), boxes.mirror()
        return image, boxes

    def pad(self, image: np.ndarray, boxes: Boxes, rng: Random) -> tuple[np.ndarray, Boxes]:
        """Return image and objects, placed in a larger image with probability `rand_pad_prob`."""
        if self.rand_pad_prob <= 0 or self.max_pad_scale <= 1:
            return image, boxes
        if rng.random() >= self.rand_pad_prob:
            return image, boxes
        scale = rng.uniform(1.0, self.max_pad_scale)
        if scale < _MIN_GROWTH:
            return image, boxes
        left, top = rng.uniform(0, scale - 1), rng.uniform(0, scale - 1)
        rows, columns = image.shape[:2]
        check_pixels(int(scale * columns), int(scale * rows), "an image with its border")
        padded = cv2.copyMakeBorder(
            image,
            int(top * rows),
            int((scale - top - 1) * rows),
            int(left * columns),
            int((scale - left - 1) * columns),
            cv2.BORDER_CONSTANT,
            value=[self.fill_value] * 3,
        )
        return padded, boxes.relative_to(Region(-left, -top, scale, scale))

    def fit(self, image: np.ndarray, height: int, width: int, rng: Random) -> np.ndarray:
        """Return `image` resized to the size of the batch, or to fit into it."""
        rows, columns = image.shape[:2]
        if self.resize_mode != "force":
            share = np.float32(min(np.float32(height) / rows, np.float32(width) / columns))
            if self.resize_mode == "shrink" and share >= 1:
                return image
            height, width = max(1, int(share * rows)), max(1, int(share * columns))
        return resize_by_method(image, height, width, self.inter_method, rng)
