"""The augmentations of `ImageRecordIter` that change colours; channels are blue, green, red."""

from dataclasses import dataclass
from random import Random

import cv2
import numpy as np

__all__ = ["Colours", "blended", "shifted"]

#: Principal components of ImageNet's colours, scaled by their deviations; a row a channel.
_COMPONENTS = np.array(
    [[-0.5836, -0.6948, 0.4203], [-0.5808, -0.0045, -0.8140], [-0.5675, 0.7192, 0.4009]]
) * np.array([55.46, 4.794, 1.148])
_HLS_LIMITS = (180, 255, 255)


@dataclass(frozen=True)
class Colours:
    """Settings of what changes colours, with MXNet's names and defaults."""

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

    def __call__(self, picture: np.ndarray, rng: Random) -> np.ndarray:
        """Return `picture`, three channels of uint8, in other colours."""
        if self.brightness or self.contrast or self.saturation:
            steps = [self._brighter, self._contrasted, self._saturated]
            rng.shuffle(steps)
            for step in steps:
                picture = step(picture, rng)
        if self.random_h or self.random_s or self.random_l:
            limits = self.random_h, self.random_l, self.random_s
            picture = shifted(picture, *(_towards_zero(limit, rng) for limit in limits))
        if self.pca_noise > 0:
            noise = _COMPONENTS @ [rng.gauss(0, self.pca_noise) for _ in range(3)]
            picture = np.clip(picture + noise, 0, 255).astype(np.uint8)
        return picture

    def _brighter(self, picture: np.ndarray, rng: Random) -> np.ndarray:
        return blended(picture, 1 + rng.uniform(-self.brightness, self.brightness), 0.0)

    def _contrasted(self, picture: np.ndarray, rng: Random) -> np.ndarray:
        alpha = 1 + rng.uniform(-self.contrast, self.contrast)
        mean = cv2.mean(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY))[0]
        return blended(picture, alpha, (1 - alpha) * mean)

    def _saturated(self, picture: np.ndarray, rng: Random) -> np.ndarray:
        alpha = 1 + rng.uniform(-self.saturation, self.saturation)
        grey = cv2.cvtColor(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY), cv2.COLOR_GRAY2BGR)
        return cv2.addWeighted(picture, alpha, grey, 1 - alpha, 0.0)


_UNCHANGED = Colours()


def _towards_zero(limit: int, rng: Random) -> int:
    """Return a number up to `limit` either way; as in MXNet, extremes are rarer than others."""
    return int(limit * (rng.uniform(-1, 1) + 4 * rng.uniform(-1, 1)) / 5)


def shifted(picture: np.ndarray, hue: int, lightness: int, saturation: int) -> np.ndarray:
    """Return `picture`, three channels of uint8, with so much added to OpenCV's HLS channels."""
    hls = cv2.cvtColor(picture, cv2.COLOR_BGR2HLS).astype(np.int32)
    moved = np.clip(hls + (hue, lightness, saturation), 0, _HLS_LIMITS).astype(np.uint8)
    return cv2.cvtColor(moved, cv2.COLOR_HLS2BGR)


def blended(picture: np.ndarray, alpha: float, beta: float) -> np.ndarray:
    """Return ``alpha * picture + beta``, rounded and kept within uint8."""
    return cv2.addWeighted(picture, alpha, picture, 0.0, beta)
