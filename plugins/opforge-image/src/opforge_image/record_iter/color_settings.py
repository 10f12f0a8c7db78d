"""Color augmentations of `ImageRecordIter`, for images with channels blue, green, red."""

from dataclasses import dataclass
from random import Random

import numpy as np

from ..colors import (
    add_light_bytes,
    adjust_contrast_bytes,
    adjust_saturation_bytes,
    scale_bytes,
    shift_hls_bytes,
)

__all__ = ["ColorSettings"]


@dataclass(frozen=True)
class ColorSettings:
    """Settings of color augmentations, with MXNet's names and defaults."""

    brightness: float = 0.0
    contrast: float = 0.0
    saturation: float = 0.0
    pca_noise: float = 0.0
    random_h: int = 0
    random_s: int = 0
    random_l: int = 0

    @property
    def changes(self) -> bool:
        """True if any color is changed."""
        return self != _UNCHANGED

    def __call__(self, image: np.ndarray, rng: Random) -> np.ndarray:
        """Return `image`, uint8 with three channels, with changed colors."""
        if self.brightness or self.contrast or self.saturation:
            steps = [self._brightness, self._contrast, self._saturation]
            rng.shuffle(steps)
            for step in steps:
                image = step(image, rng)
        if self.random_h or self.random_s or self.random_l:
            limits = self.random_h, self.random_l, self.random_s
            image = shift_hls_bytes(image, *(_draw_shift(limit, rng) for limit in limits))
        if self.pca_noise > 0:
            image = add_light_bytes(image, [rng.gauss(0, self.pca_noise) for _ in range(3)])
        return image

    def _brightness(self, image: np.ndarray, rng: Random) -> np.ndarray:
        return scale_bytes(image, _factor(self.brightness, rng))

    def _contrast(self, image: np.ndarray, rng: Random) -> np.ndarray:
        return adjust_contrast_bytes(image, _factor(self.contrast, rng))

    def _saturation(self, image: np.ndarray, rng: Random) -> np.ndarray:
        return adjust_saturation_bytes(image, _factor(self.saturation, rng))


def _factor(width: float, rng: Random) -> float:
    return 1 + rng.uniform(-width, width)


_UNCHANGED = ColorSettings()


def _draw_shift(limit: int, rng: Random) -> int:
    """Return a random integer in [-limit, limit]; as in MXNet, extremes are less likely."""
    return int(limit * (rng.uniform(-1, 1) + 4 * rng.uniform(-1, 1)) / 5)
