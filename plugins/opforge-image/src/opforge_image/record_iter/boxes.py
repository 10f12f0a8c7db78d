"""Objects of an image, given by its labels in a record file.

Labels are ``(header width, object width, more header ..., objects ...)``, and an object is
``(class, left, top, right, bottom, more ...)`` with coordinates relative to the image's size.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from opforge.plugin_api import ShapeError

__all__ = ["Boxes", "Region"]

_MIN_HEADER, _MIN_OBJECT = 2, 5
#: Indices of the coordinates in an object.
_LEFT, _TOP, _RIGHT, _BOTTOM = 1, 2, 3, 4


class Region(NamedTuple):
    """Rectangle inside or around an image, relative to the image's size."""

    left: float
    top: float
    width: float
    height: float


@dataclass(frozen=True)
class Boxes:
    """Objects of an image.

    Parameters
    ----------
    header : numpy.ndarray
    objects : numpy.ndarray, shape (objects, object width), float32
    """

    header: np.ndarray
    objects: np.ndarray

    @classmethod
    def from_labels(cls, labels: np.ndarray) -> "Boxes":
        """Return the objects given by labels, without those that have no area.

        Raises
        ------
        ShapeError
            The labels are malformed.
        """
        first = labels[:2].tolist()
        header, width = (int(x) if np.isfinite(x) else -1 for x in [*first, -1, -1][:2])
        valid = _MIN_HEADER <= header <= len(labels) and width >= _MIN_OBJECT
        if not valid or len(labels) < _MIN_HEADER + _MIN_OBJECT:
            raise ShapeError(
                f"got {len(labels)} labels that start with {first}; expected at least "
                f"{_MIN_HEADER + _MIN_OBJECT}: the width of the header, {_MIN_HEADER} or "
                f"more, that of an object, {_MIN_OBJECT} or more, and the objects"
            )
        if (len(labels) - header) % width:
            raise ShapeError(
                f"got {len(labels)} labels, of which {header} are the header; the other "
                f"{len(labels) - header} are not a multiple of the object width {width}"
            )
        objects = np.asarray(labels[header:], np.float32).reshape(-1, width)
        has_area = (objects[:, _RIGHT] > objects[:, _LEFT]) & (
            objects[:, _BOTTOM] > objects[:, _TOP]
        )
        return cls(np.asarray(labels[:header], np.float32), objects[has_area])

    def to_labels(self) -> np.ndarray:
        """Return header and objects as one row, as stored in a record."""
        return np.concatenate([self.header, self.objects.ravel()])

    def mirror(self) -> "Boxes":
        """Return the objects of the mirrored image."""
        objects = self.objects.copy()
        objects[:, _LEFT] = 1 - self.objects[:, _RIGHT]
        objects[:, _RIGHT] = 1 - self.objects[:, _LEFT]
        return replace(self, objects=objects)

    def relative_to(self, region: Region) -> "Boxes":
        """Return the objects relative to a region, clipped to it."""
        objects = self.objects.copy()
        left, top, width, height = map(np.float32, region)
        for low, high, start, length in (
            (_LEFT, _RIGHT, left, width),
            (_TOP, _BOTTOM, top, height),
        ):
            objects[:, low] = np.maximum(0, (objects[:, low] - start) / length)
            objects[:, high] = np.minimum(1, (objects[:, high] - start) / length)
        return replace(self, objects=objects)

    def select(self, mask: np.ndarray) -> "Boxes":
        """Return the objects selected by a mask."""
        return replace(self, objects=self.objects[mask])

    def centered_in(self, region: Region) -> np.ndarray:
        """Return a mask of the objects whose center is in a region."""
        x = (self.objects[:, _LEFT] + self.objects[:, _RIGHT]) * np.float32(0.5)
        y = (self.objects[:, _TOP] + self.objects[:, _BOTTOM]) * np.float32(0.5)
        left, top, width, height = map(np.float32, region)
        return (left <= x) & (x < left + width) & (top <= y) & (y < top + height)

    def areas(self) -> np.ndarray:
        """Return the area of each object."""
        sides = self.objects[:, [_RIGHT, _BOTTOM]] - self.objects[:, [_LEFT, _TOP]]
        areas: np.ndarray = sides.prod(axis=1)
        return areas

    def intersections(self, region: Region) -> np.ndarray:
        """Return the area of the intersection of each object with a region."""
        start = np.array(region[:2], np.float32)
        end = start + np.array(region[2:], np.float32)
        first = np.maximum(self.objects[:, [_LEFT, _TOP]], start)
        last = np.minimum(self.objects[:, [_RIGHT, _BOTTOM]], end)
        areas: np.ndarray = np.maximum(last - first, 0).prod(axis=1)
        return areas
