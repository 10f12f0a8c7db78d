"""The objects of an image, as its labels in a record file tell them.

Labels are ``(header width, object width, more header ..., objects ...)``, and an object is
``(class, left, top, right, bottom, more ...)``, its place in shares of the image.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from opforge.plugin_api import ShapeError

__all__ = ["Boxes", "Region"]

_LEAST_HEADER, _LEAST_OBJECT = 2, 5
#: Columns of an object.
_LEFT, _TOP, _RIGHT, _BOTTOM = 1, 2, 3, 4


class Region(NamedTuple):
    """A part of an image, or one around it, in shares of the image."""

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
    def of(cls, labels: np.ndarray) -> "Boxes":
        """Return the objects of labels; those without an area are left out.

        Raises
        ------
        ShapeError
            The labels are none of objects.
        """
        first = labels[:2].tolist()
        header, width = (int(x) if np.isfinite(x) else -1 for x in [*first, -1, -1][:2])
        wanted = _LEAST_HEADER <= header <= len(labels) and width >= _LEAST_OBJECT
        if not wanted or len(labels) < _LEAST_HEADER + _LEAST_OBJECT:
            raise ShapeError(
                f"got {len(labels)} labels that begin with {first}, expected at least "
                f"{_LEAST_HEADER + _LEAST_OBJECT}: the width of the header, {_LEAST_HEADER} or "
                f"more, that of an object, {_LEAST_OBJECT} or more, and the objects"
            )
        if (len(labels) - header) % width:
            raise ShapeError(
                f"got {len(labels)} labels, of which {header} are the header: the other "
                f"{len(labels) - header} are no whole number of objects of {width}"
            )
        objects = np.asarray(labels[header:], np.float32).reshape(-1, width)
        has_area = (objects[:, _RIGHT] > objects[:, _LEFT]) & (
            objects[:, _BOTTOM] > objects[:, _TOP]
        )
        return cls(np.asarray(labels[:header], np.float32), objects[has_area])

    def labels(self) -> np.ndarray:
        """Return header and objects in a row, as a record has them."""
        return np.concatenate([self.header, self.objects.ravel()])

    def mirrored(self) -> "Boxes":
        """Return the objects of the image that is mirrored."""
        objects = self.objects.copy()
        objects[:, _LEFT] = 1 - self.objects[:, _RIGHT]
        objects[:, _RIGHT] = 1 - self.objects[:, _LEFT]
        return replace(self, objects=objects)

    def within(self, region: Region) -> "Boxes":
        """Return the objects in shares of a region; what lies outside of it is cut off."""
        objects = self.objects.copy()
        left, top, width, height = map(np.float32, region)
        for low, high, start, length in (
            (_LEFT, _RIGHT, left, width),
            (_TOP, _BOTTOM, top, height),
        ):
            objects[:, low] = np.maximum(0, (objects[:, low] - start) / length)
            objects[:, high] = np.minimum(1, (objects[:, high] - start) / length)
        return replace(self, objects=objects)

    def kept(self, wanted: np.ndarray) -> "Boxes":
        """Return those objects for which `wanted` is true."""
        return replace(self, objects=self.objects[wanted])

    def centred_in(self, region: Region) -> np.ndarray:
        """Return for each object whether its centre lies in a region."""
        x = (self.objects[:, _LEFT] + self.objects[:, _RIGHT]) * np.float32(0.5)
        y = (self.objects[:, _TOP] + self.objects[:, _BOTTOM]) * np.float32(0.5)
        left, top, width, height = map(np.float32, region)
        return (left <= x) & (x < left + width) & (top <= y) & (y < top + height)

    def areas(self) -> np.ndarray:
        """Return the area of each object."""
        sides = self.objects[:, [_RIGHT, _BOTTOM]] - self.objects[:, [_LEFT, _TOP]]
        found: np.ndarray = sides.prod(axis=1)
        return found

    def shared(self, region: Region) -> np.ndarray:
        """Return the area that each object shares with a region."""
        start = np.array(region[:2], np.float32)
        end = start + np.array(region[2:], np.float32)
        first = np.maximum(self.objects[:, [_LEFT, _TOP]], start)
        last = np.minimum(self.objects[:, [_RIGHT, _BOTTOM]], end)
        found: np.ndarray = np.maximum(last - first, 0).prod(axis=1)
        return found
