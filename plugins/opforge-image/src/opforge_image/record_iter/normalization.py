"""Conversion of uint8 images to the values of a batch: mirror, mean, deviation and scale.

The results of all 256 byte values are computed once per channel and looked up for each pixel.
"""

from dataclasses import dataclass
from functools import cached_property
from random import Random

import cv2
import numpy as np

__all__ = ["Normalization"]


@dataclass(frozen=True)
class Normalization:
    """Settings of the values in a batch, with MXNet's names and defaults."""

    mirror: bool = False
    rand_mirror: bool = False
    mean_r: float = 0.0
    mean_g: float = 0.0
    mean_b: float = 0.0
    mean_a: float = 0.0
    std_r: float = 1.0
    std_g: float = 1.0
    std_b: float = 1.0
    std_a: float = 1.0
    scale: float = 1.0
    max_random_contrast: float = 0.0
    max_random_illumination: float = 0.0

    def __call__(
        self, image: np.ndarray, out: np.ndarray, mean: np.ndarray | None, rng: Random
    ) -> None:
        """Write an image to its row of a batch.

        Parameters
        ----------
        image : numpy.ndarray
            (height, width), or (height, width, channels) with blue, green and red first.
        out : numpy.ndarray
            (channels, height, width), with red, green and blue first.
        mean : numpy.ndarray, optional
            An image like `out` to subtract, instead of `mean_r`, `mean_g`, `mean_b`.
        rng : random.Random
        """
        mirrored = self.rand_mirror and rng.random() < 0.5
        if mirrored or self.mirror:
            image = cv2.flip(image, 1)
        planes = list(cv2.split(image))
        planes[:3] = planes[2::-1]
        if mean is not None and out.dtype != np.uint8:
            self._subtract(planes, out, mean, rng)
            return
        for plane, row, table in zip(planes, out, self._tables(out.dtype, rng), strict=False):
            cv2.LUT(plane, table, row)

    def _tables(self, dtype: np.dtype, rng: Random) -> np.ndarray:
        """Return the result of each byte value, one row per channel."""
        if dtype == np.uint8:
            return _BYTES
        if dtype == np.int8:
            return self._rounded_tables
        if not self._varies:
            return self._fixed_tables
        return self._scale(np.arange(256, dtype=np.float32) - self._means, rng)

    @cached_property
    def _fixed_tables(self) -> np.ndarray:
        return self._scale(np.arange(256, dtype=np.float32) - self._means, None)

    @cached_property
    def _rounded_tables(self) -> np.ndarray:
        differences = np.arange(256) - np.rint(self._means)
        return np.clip(differences, -128, 127).astype(np.int8)

    @property
    def _means(self) -> np.ndarray:
        return _column(self.mean_r, self.mean_g, self.mean_b, self.mean_a)

    @property
    def _varies(self) -> bool:
        return self.max_random_contrast > 0 or self.max_random_illumination > 0

    def _scale(self, values: np.ndarray, rng: Random | None) -> np.ndarray:
        contrast, light = 1.0, 0.0
        if rng is not None and self._varies:
            contrast += rng.uniform(-self.max_random_contrast, self.max_random_contrast)
            light = rng.uniform(-self.max_random_illumination, self.max_random_illumination)
        deviations = _column(self.std_r, self.std_g, self.std_b, self.std_a)[: len(values)]
        deviations = deviations.reshape(-1, *[1] * (values.ndim - 1))
        factor = np.float32(contrast * self.scale) / deviations
        return values * factor + np.float32(light * self.scale) / deviations

    def _subtract(
        self, planes: list[np.ndarray], out: np.ndarray, mean: np.ndarray, rng: Random
    ) -> None:
        if out.dtype == np.int8:
            np.clip(np.array(planes, np.float32) - np.rint(mean), -128, 127, out, casting="unsafe")
        else:
            out[...] = self._scale(np.array(planes, np.float32) - mean, rng)


def _column(*values: float) -> np.ndarray:
    return np.array(values, np.float32)[:, None]


_BYTES = np.tile(np.arange(256, dtype=np.uint8), (4, 1))
