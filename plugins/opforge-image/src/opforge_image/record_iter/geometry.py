"""Geometric augmentations of `ImageRecordIter`.

The order is MXNet's: resize the shorter side, warp, pad, crop. Images are (height, width, channels)
or (height, width); random choices come from a generator per image.
"""

import math
from dataclasses import dataclass
from random import Random

import cv2
import numpy as np

from opforge.plugin_api import AttributeValueError, ShapeError

from ..geometry import (
    center_window,
    choose_interpolation,
    crop,
    resize_by_method,
    shorter_side_size,
)

__all__ = ["METHODS", "Geometry"]

#: Values of `inter_method`.
METHODS = (0, 1, 2, 3, 4, 9, 10)


@dataclass(frozen=True)
class Geometry:
    """Settings of geometric augmentations, with MXNet's names and defaults."""

    resize: int = -1
    rand_crop: bool = False
    random_resized_crop: bool = False
    max_rotate_angle: int = 0
    max_aspect_ratio: float = 0.0
    min_aspect_ratio: float | None = None
    max_shear_ratio: float = 0.0
    max_crop_size: int = -1
    min_crop_size: int = -1
    max_random_scale: float = 1.0
    min_random_scale: float = 1.0
    max_random_area: float = 1.0
    min_random_area: float = 1.0
    max_img_size: float = 1e10
    min_img_size: float = 0.0
    rotate: int = -1
    fill_value: int = 255
    inter_method: int = 1
    pad: int = 0

    def __post_init__(self) -> None:
        if self.inter_method not in METHODS:
            raise AttributeValueError(
                f"ImageRecordIter: got inter_method={self.inter_method}; expected one of {METHODS}"
            )
        others = (self.min_random_scale, self.max_random_scale, self.min_crop_size)
        if self.random_resized_crop and (
            self.rand_crop or self.max_crop_size != -1 or others != (1.0, 1.0, -1)
        ):
            raise AttributeValueError(
                "ImageRecordIter: random_resized_crop excludes rand_crop, min_random_scale, "
                "max_random_scale, min_crop_size and max_crop_size; omit them"
            )
        low, high = self._ratios
        if low <= 0 or low > high or self.min_random_area > self.max_random_area:
            raise AttributeValueError(
                f"ImageRecordIter: got aspect ratios from {low} to {high} and areas from "
                f"{self.min_random_area} to {self.max_random_area}; expected positive ratios "
                "and the smaller value first"
            )

    def __call__(self, image: np.ndarray, size: tuple[int, int], rng: Random) -> np.ndarray:
        """Return the augmented image; `size` is (height, width)."""
        height, width = size
        if self.resize != -1:
            image = self._resize(image, *shorter_side_size(image.shape, self.resize), rng)
        if self._warps:
            image = self._warp(image, rng)
        if self.pad > 0:
            edge, color = self.pad, [self.fill_value] * 3
            image = cv2.copyMakeBorder(
                image, edge, edge, edge, edge, cv2.BORDER_CONSTANT, value=color
            )
        if self._crops_area:
            part = self._random_area(image, rng)
            if part is not None:
                return self._resize(part, height, width, rng)
        elif self.max_crop_size != -1 or self.min_crop_size != -1:
            return self._square(image, height, width, rng)
        return self._window(self._enlarge(image, height, width, rng), height, width, rng)

    @property
    def _ratios(self) -> tuple[float, float]:
        """Minimum and maximum aspect ratio."""
        if self.min_aspect_ratio is None:
            return 1 - self.max_aspect_ratio, 1 + self.max_aspect_ratio
        return float(self.min_aspect_ratio), self.max_aspect_ratio

    @property
    def _crops_area(self) -> bool:
        areas = self.min_random_area, self.max_random_area
        return self.random_resized_crop and (*areas, *self._ratios) != (1, 1, 1, 1)

    @property
    def _changes_ratio(self) -> bool:
        return not self.random_resized_crop and self._ratios != (1, 1)

    @property
    def _warps(self) -> bool:
        return (
            self.max_rotate_angle > 0
            or self.max_shear_ratio > 0
            or self.rotate > 0
            or (self.min_random_scale, self.max_random_scale) != (1.0, 1.0)
            or self._changes_ratio
            or (self.min_img_size, self.max_img_size) != (0.0, 1e10)
        )

    def _resize(self, image: np.ndarray, height: int, width: int, rng: Random) -> np.ndarray:
        return resize_by_method(image, height, width, self.inter_method, rng)

    def _warp(self, image: np.ndarray, rng: Random) -> np.ndarray:
        rows, columns = image.shape[:2]
        shear = rng.uniform(-self.max_shear_ratio, self.max_shear_ratio)
        angle = rng.randint(-self.max_rotate_angle, self.max_rotate_angle)
        radians = math.radians(self.rotate if self.rotate > 0 else angle)
        cosine, sine = math.cos(radians), math.sin(radians)
        scale = rng.uniform(self.min_random_scale, self.max_random_scale)
        ratio = rng.uniform(*self._ratios) if self._changes_ratio else 1.0
        scale_y = 2 * scale / (1 + ratio)
        scale_x = ratio * scale_y
        width = max(self.min_img_size, min(self.max_img_size, scale * columns))
        height = max(self.min_img_size, min(self.max_img_size, scale * rows))
        matrix = np.array(
            [
                [
                    scale_y * cosine - shear * sine * scale_x,
                    scale_y * sine + shear * cosine * scale_x,
                    0,
                ],
                [-sine * scale_x, cosine * scale_x, 0],
            ],
            np.float32,
        )
        middle = matrix[:, :2] @ np.array([columns, rows], np.float32)
        matrix[:, 2] = (np.array([width, height], np.float32) - middle) / 2
        size = max(int(width), 1), max(int(height), 1)
        return cv2.warpAffine(
            image,
            matrix,
            size,
            flags=choose_interpolation(self.inter_method, (rows, columns, *size[::-1]), rng),
            borderMode=cv2.BORDER_CONSTANT,
            borderValue=[self.fill_value] * 3,
        )

    def _random_area(self, image: np.ndarray, rng: Random) -> np.ndarray | None:
        """Return a crop of random area and aspect ratio, or None after ten failures."""
        rows, columns = image.shape[:2]
        for _ in range(10):
            area = rng.uniform(self.min_random_area, self.max_random_area) * rows * columns
            ratio = rng.uniform(*self._ratios)
            tall, wide = round(math.sqrt(area / ratio)), round(math.sqrt(area * ratio))
            if rng.random() > 0.5:
                tall, wide = wide, tall
            if 0 < tall <= rows and 0 < wide <= columns:
                top, left = rng.randint(0, rows - tall), rng.randint(0, columns - wide)
                return crop(image, top, left, tall, wide)
        return None

    def _square(self, image: np.ndarray, height: int, width: int, rng: Random) -> np.ndarray:
        if not 0 < self.min_crop_size <= self.max_crop_size <= min(image.shape[:2]):
            raise ShapeError(
                f"ImageRecordIter: an image of {image.shape[0]} x {image.shape[1]} has no "
                f"square crop of min_crop_size={self.min_crop_size} to "
                f"max_crop_size={self.max_crop_size} pixels; pass resize= to resize it first"
            )
        edge = rng.randint(self.min_crop_size, self.max_crop_size)
        return self._resize(self._window(image, edge, edge, rng), height, width, rng)

    def _enlarge(self, image: np.ndarray, height: int, width: int, rng: Random) -> np.ndarray:
        """Return `image` enlarged to at least the size of the window."""
        rows, columns = image.shape[:2]
        if rows < height:
            image = self._resize(image, height, int(height / rows * columns), rng)
        rows, columns = image.shape[:2]
        if columns < width:
            image = self._resize(image, int(width / columns * rows), width, rng)
        return image

    def _window(self, image: np.ndarray, height: int, width: int, rng: Random) -> np.ndarray:
        rows, columns = image.shape[:2]
        if self.rand_crop:
            top, left = rng.randint(0, rows - height), rng.randint(0, columns - width)
        else:
            top, left = center_window(rows, columns, height, width)
        return crop(image, top, left, height, width)
