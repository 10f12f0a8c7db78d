"""Random crops of images with objects: the crop samplers of `ImageDetRecordIter`."""

import math
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import NamedTuple

import numpy as np

from opforge.plugin_api import AttributeValueError

from .boxes import Boxes, Region

__all__ = ["Cropping"]

#: Pairs of minimum and maximum; the first two limit random crops, the others accepted ones.
_RANGES = ("scales", "aspect_ratios", "overlaps", "sample_coverages", "object_coverages")
_EMIT_MODES = ("center", "overlap")


class _Sampler(NamedTuple):
    """Parameters of random crops, and number of trials."""

    scales: tuple[float, float]
    ratios: tuple[float, float]
    overlaps: tuple[float, float]
    sample_coverages: tuple[float, float]
    object_coverages: tuple[float, float]
    trials: int

    def region(self, image_ratio: float, rng: Random) -> Region:
        """Return a random region of an image with aspect ratio `image_ratio`."""
        scale = rng.uniform(*self.scales) + 1e-12
        least, most = (ratio / image_ratio for ratio in self.ratios)
        # Limited so that neither side exceeds the image.
        square = scale * scale
        ratio = math.sqrt(rng.uniform(max(least, square), min(most, 1 / square)))
        width, height = min(1.0, scale * ratio), min(1.0, scale / ratio)
        return Region(rng.uniform(0, 1 - width), rng.uniform(0, 1 - height), width, height)

    def accepts(self, boxes: Boxes, region: Region) -> bool:
        """Return whether any object satisfies all constraints."""
        intersections, areas = boxes.intersections(region), boxes.areas()
        region_area = np.float32(region.width) * np.float32(region.height)
        accepted = np.ones(len(areas), bool)
        for (least, most), values in (
            (self.overlaps, intersections / (areas + region_area - intersections)),
            (self.sample_coverages, intersections / region_area),
            (self.object_coverages, intersections / areas),
        ):
            if least > 0 or most < 1:
                accepted &= (values >= least) & (values <= most)
        return bool(accepted.any())


@dataclass(frozen=True)
class Cropping:
    """Settings of random crops, with MXNet's names and defaults."""

    rand_crop_prob: float = 0.0
    min_crop_scales: tuple[float, ...] = (0.0,)
    max_crop_scales: tuple[float, ...] = (1.0,)
    min_crop_aspect_ratios: tuple[float, ...] = (1.0,)
    max_crop_aspect_ratios: tuple[float, ...] = (1.0,)
    min_crop_overlaps: tuple[float, ...] = (0.0,)
    max_crop_overlaps: tuple[float, ...] = (1.0,)
    min_crop_sample_coverages: tuple[float, ...] = (0.0,)
    max_crop_sample_coverages: tuple[float, ...] = (1.0,)
    min_crop_object_coverages: tuple[float, ...] = (0.0,)
    max_crop_object_coverages: tuple[float, ...] = (1.0,)
    num_crop_sampler: int = 1
    crop_emit_mode: str = "center"
    emit_overlap_thresh: float = 0.3
    max_crop_trials: tuple[int, ...] = (25,)

    def __post_init__(self) -> None:
        if self.crop_emit_mode not in _EMIT_MODES:
            raise AttributeValueError(
                f"ImageDetRecordIter: got crop_emit_mode={self.crop_emit_mode!r}; expected one of "
                f"{_EMIT_MODES}"
            )
        if self.emit_overlap_thresh < 0:
            raise AttributeValueError(
                f"ImageDetRecordIter: got emit_overlap_thresh={self.emit_overlap_thresh}; expected "
                "0 or more"
            )
        for name in _RANGES:
            self._check(name)
        self._each("max_crop_trials")

    def _check(self, name: str) -> None:
        """Raise if a pair of arguments is not a valid range."""
        for least, most in self._pairs(name):
            scales = name == "scales"
            valid = 0 <= least < most <= 1 if scales else least <= most
            if not valid or (name == "aspect_ratios" and least < 0):
                expected = "0 <= min < max <= 1" if scales else "min <= max"
                raise AttributeValueError(
                    f"ImageDetRecordIter: got min_crop_{name} {least} and max_crop_{name} {most}; "
                    f"expected {expected}"
                )

    def _pairs(self, name: str) -> list[tuple[float, float]]:
        least, most = (self._each(f"{end}_crop_{name}") for end in ("min", "max"))
        return list(zip(least, most, strict=True))

    def _each(self, name: str) -> tuple[float, ...]:
        """Return an argument's value for each sampler; a single value applies to all."""
        values: tuple[float, ...] = getattr(self, name)
        count = max(self.num_crop_sampler, 0)
        if len(values) == 1:
            return values * count
        if len(values) != count and count:
            raise AttributeValueError(
                f"ImageDetRecordIter: {name} has {len(values)} values; expected 1, or one for each "
                f"of num_crop_sampler={count}"
            )
        return values[:count]

    @cached_property
    def _samplers(self) -> list[_Sampler]:
        trials = map(int, self._each("max_crop_trials"))
        return [_Sampler(*each) for each in zip(*map(self._pairs, _RANGES), trials, strict=True)]

    def __call__(self, image: np.ndarray, boxes: Boxes, rng: Random) -> tuple[np.ndarray, Boxes]:
        """Return a crop and its objects, or the image unchanged if no sampler finds one."""
        if self.rand_crop_prob <= 0 or rng.random() >= self.rand_crop_prob:
            return image, boxes
        rows, columns = image.shape[:2]
        for sampler in rng.sample(self._samplers, len(self._samplers)):
            for _ in range(sampler.trials):
                region = sampler.region(columns / rows, rng)
                selected = self._select(sampler, boxes, region)
                if selected is not None:
                    return _crop(image, region), selected
        return image, boxes

    def _select(self, sampler: _Sampler, boxes: Boxes, region: Region) -> Boxes | None:
        """Return the objects in a region, or None if the region is not accepted."""
        if not len(boxes.objects):
            return boxes
        if not sampler.accepts(boxes, region):
            return None
        if self.crop_emit_mode == "center":
            mask = boxes.centered_in(region)
        else:
            mask = boxes.intersections(region) / boxes.areas() > self.emit_overlap_thresh
        return boxes.select(mask).relative_to(region) if mask.any() else None


def _crop(image: np.ndarray, region: Region) -> np.ndarray:
    rows, columns = image.shape[:2]
    left, top = int(region.left * columns), int(region.top * rows)
    width, height = max(1, int(region.width * columns)), max(1, int(region.height * rows))
    return image[top : top + height, left : left + width]
