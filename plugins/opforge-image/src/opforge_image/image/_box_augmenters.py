"""Random cropping and padding of images with boxes.

Random numbers come from Python's ``random``, drawn in the same order as by MXNet.
"""

import logging
import random
import warnings
from math import sqrt
from numbers import Number
from typing import Any, ClassVar

import numpy as np

from ._cropping import fixed_crop
from ._detection_augmenters import DetAugmenter
from ._resizing import copyMakeBorder

__all__ = ["DetRandomCropAug", "DetRandomPadAug"]

#: OpenCV's constant border that ignores pixels outside a region of interest.
_CONSTANT_BORDER = 16


def _range(name: str, value: Any) -> tuple[float, float]:
    """Return the limits; a single number is both."""
    if isinstance(value, Number):
        logging.info("%s is %s for all images", name, value)
        return value, value  # type: ignore[return-value]
    low, high = value
    return low, high


def _areas(boxes: np.ndarray) -> np.ndarray:
    """Return the areas of boxes (n, 4 or more); inverted boxes have area 0."""
    sides = np.maximum(0, boxes[:, 2:4] - boxes[:, :2])
    return sides[:, 0] * sides[:, 1]


class _RegionAugmenter(DetAugmenter):
    """Base class of both augmenters: limits of areas and ratios, and number of attempts."""

    #: Names of the attributes that `dumps` returns.
    reported: ClassVar[tuple[str, ...]]

    def __init__(self, area_range: Any, aspect_ratio_range: Any, max_attempts: int) -> None:
        self.area_range = _range("area_range", area_range)
        self.aspect_ratio_range = _range("aspect_ratio_range", aspect_ratio_range)
        self.max_attempts = max_attempts
        super().__init__(**{name: getattr(self, name) for name in self.reported})
        self.enabled = self._is_possible()
        if not self.enabled:
            warnings.warn(
                f"{type(self).__name__} does not change images: no region has an area in "
                f"{self.area_range} and an aspect ratio in {self.aspect_ratio_range}",
                stacklevel=3,
            )

    def _is_possible(self) -> bool:
        (_, most), (least_ratio, most_ratio) = self.area_range, self.aspect_ratio_range
        return most > 0 and self.area_range[0] <= most and 0 < least_ratio <= most_ratio

    def _tries(self, height: int, width: int) -> Any:
        """Yield aspect ratio, minimum and maximum area in pixels for each attempt."""
        if self.enabled and height > 0 and width > 0:
            least, most = (share * height * width for share in self.area_range)
            for _ in range(self.max_attempts):
                yield random.uniform(*self.aspect_ratio_range), least, most


class DetRandomCropAug(_RegionAugmenter):
    """Crop a region that covers enough of each box it intersects, and drop boxes cut too much.

    Parameters
    ----------
    min_object_covered : float, default 0.1
        Minimum share of each intersected box inside the crop.
    aspect_ratio_range : (float, float), default (0.75, 1.33)
        Ratio of width to height.
    area_range : (float, float), default (0.05, 1.0)
        Area of the crop relative to the image.
    min_eject_coverage : float, default 0.3
        Boxes with a smaller remaining share are dropped.
    max_attempts : int, default 50
        Number of attempts before the image is returned unchanged.
    """

    reported = (
        "min_object_covered",
        "aspect_ratio_range",
        "area_range",
        "min_eject_coverage",
        "max_attempts",
    )

    def __init__(
        self,
        min_object_covered: float = 0.1,
        aspect_ratio_range: Any = (0.75, 1.33),
        area_range: Any = (0.05, 1.0),
        min_eject_coverage: float = 0.3,
        max_attempts: int = 50,
    ) -> None:
        self.min_object_covered = min_object_covered
        self.min_eject_coverage = min_eject_coverage
        super().__init__(area_range, aspect_ratio_range, max_attempts)

    def __call__(self, src: Any, label: np.ndarray) -> tuple[Any, np.ndarray]:
        """Return a crop and the boxes in it, or the image unchanged."""
        height, width = src.shape[:2]
        for ratio, least, most in self._tries(height, width):
            size = self._size(ratio, least, most, height, width)
            if size is None:
                continue
            y = random.randint(0, max(0, height - size[1]))
            x = random.randint(0, max(0, width - size[0]))
            part = (x, y, *size)
            if self._has_enough(label, part, height, width):
                boxes = self._boxes(label, part, height, width)
                if boxes is not None:
                    return fixed_crop(src, *part), boxes
        return src, label

    def _size(
        self, ratio: float, least: float, most: float, height: int, width: int
    ) -> tuple[int, int] | None:
        """Return width and height of a crop that fits, or None."""
        lowest, highest = round(sqrt(least / ratio)), round(sqrt(most / ratio))
        if round(highest * ratio) > width:
            highest = int((width + 0.4999999) / ratio)
        highest = min(highest, height)
        tall = min(lowest, highest)
        if tall < highest:
            tall = random.randint(tall, highest)
        # Rounding may exceed the limits by a row.
        if tall * round(tall * ratio) < least:
            tall += 1
        if tall * round(tall * ratio) > most:
            tall -= 1
        wide = round(tall * ratio)
        fits = least <= wide * tall <= most and 0 <= wide <= width and 0 <= tall <= height
        return (wide, tall) if fits else None

    def _has_enough(self, label: np.ndarray, part: Any, height: int, width: int) -> bool:
        """Return whether a crop covers enough of each box that it intersects."""
        x, y, wide, tall = part
        if wide * tall < 2:
            return False
        corners = np.array([x / width, y / height, (x + wide) / width, (y + tall) / height])
        boxes = label[_areas(label[:, 1:]) * width * height > 2, 1:5]
        if not len(boxes):
            return False
        inside = np.concatenate(
            [np.maximum(boxes[:, :2], corners[:2]), np.minimum(boxes[:, 2:], corners[2:])], axis=1
        )
        shares = _areas(inside) / _areas(boxes)
        shares = shares[shares > 0]
        return bool(shares.size and shares.min() > self.min_object_covered)

    def _boxes(self, label: np.ndarray, part: Any, height: int, width: int) -> np.ndarray | None:
        """Return the boxes relative to a crop, or None if none is left."""
        x, y, wide, tall = part
        across, down = wide / width, tall / height
        out = label.copy()
        out[:, [1, 3]] = (out[:, [1, 3]] - x / width) / across
        out[:, [2, 4]] = (out[:, [2, 4]] - y / height) / down
        out[:, 1:5] = out[:, 1:5].clip(0, 1)
        with np.errstate(divide="ignore", invalid="ignore"):  # boxes without area are dropped
            left = _areas(out[:, 1:]) * across * down / _areas(label[:, 1:])
        kept = (out[:, 3] > out[:, 1]) & (out[:, 4] > out[:, 2]) & (left > self.min_eject_coverage)
        return out[kept] if kept.any() else None


class DetRandomPadAug(_RegionAugmenter):
    """Place an image at a random position on a larger one of a constant color.

    Parameters
    ----------
    aspect_ratio_range : (float, float), default (0.75, 1.33)
        Ratio of the new width to the new height.
    area_range : (float, float), default (1.0, 3.0)
        New area relative to the image.
    max_attempts : int, default 50
        Number of attempts before the image is returned unchanged.
    pad_val : float or tuple of float, default (128, 128, 128)
        Color of the border.
    """

    reported = ("aspect_ratio_range", "area_range", "max_attempts", "pad_val")

    def __init__(
        self,
        aspect_ratio_range: Any = (0.75, 1.33),
        area_range: Any = (1.0, 3.0),
        max_attempts: int = 50,
        pad_val: Any = (128, 128, 128),
    ) -> None:
        color = (pad_val,) * 3 if isinstance(pad_val, Number) else tuple(pad_val)
        self.pad_val = color
        super().__init__(area_range, aspect_ratio_range, max_attempts)

    def _is_possible(self) -> bool:
        return super()._is_possible() and self.area_range[1] > 1.0

    def __call__(self, src: Any, label: np.ndarray) -> tuple[Any, np.ndarray]:
        """Return the larger image and its boxes, or the image unchanged."""
        height, width = src.shape[:2]
        for ratio, least, most in self._tries(height, width):
            wide, tall = self._size(ratio, least, most, height, width)
            if tall - height < 2 or wide - width < 2:
                continue  # not worth a copy
            y, x = random.randint(0, tall - height), random.randint(0, wide - width)
            margins = (y, tall - y - height, x, wide - x - width)
            out = label.copy()
            out[:, [1, 3]] = (out[:, [1, 3]] * width + x) / wide
            out[:, [2, 4]] = (out[:, [2, 4]] * height + y) / tall
            return copyMakeBorder(src, *margins, _CONSTANT_BORDER, values=self.pad_val), out
        return src, label

    def _size(
        self, ratio: float, least: float, most: float, height: int, width: int
    ) -> tuple[int, int]:
        """Return a width and a height that contain the image."""
        tall, highest = round(sqrt(least / ratio)), round(sqrt(most / ratio))
        if round(tall * ratio) < width:
            tall = int((width + 0.499999) / ratio)
        tall = min(max(tall, height), highest)
        if tall < highest:
            tall = random.randint(tall, highest)
        return round(tall * ratio), tall
