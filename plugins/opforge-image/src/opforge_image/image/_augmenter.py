"""Base classes of augmenters, which are called with an image and can be dumped as JSON."""

import json
import random
from typing import Any

import numpy as np

from opforge.plugin_api import F

__all__ = ["Augmenter", "OccasionalAugmenter", "RandomOrderAug", "SequentialAug", "plain_values"]


def plain_values(values: dict[str, Any]) -> dict[str, Any]:
    """Return arguments with arrays converted to lists, for JSON."""
    return {
        key: np.asarray(value).tolist() if isinstance(value, np.ndarray | F.NDArray) else value
        for key, value in values.items()
    }


class Augmenter:
    """Base class of augmenters.

    Parameters
    ----------
    **kwargs
        Arguments that `dumps` returns.

    Examples
    --------
    >>> class Darker(Augmenter):
    ...     def __call__(self, src):
    ...         return src * 0.5
    >>> Darker(by=0.5).dumps()
    '["darker", {"by": 0.5}]'
    """

    def __init__(self, **kwargs: Any) -> None:
        self._kwargs = plain_values(kwargs)

    def dumps(self) -> Any:
        """Return name and arguments as JSON, or as a list for augmenters that contain others."""
        return json.dumps([type(self).__name__.lower(), self._kwargs])

    def __call__(self, src: Any) -> Any:
        """Return the changed image."""
        raise NotImplementedError(f"{type(self).__name__} must define __call__")


class OccasionalAugmenter(Augmenter):
    """Augmenter that changes images with a given probability.

    Parameters
    ----------
    p : float
        Probability of a change.
    """

    def __init__(self, p: float) -> None:
        super().__init__(p=p)
        self.p = p

    def change(self, src: Any) -> Any:
        """Return the changed image."""
        raise NotImplementedError

    def __call__(self, src: Any) -> Any:
        """Return the changed image, or the image itself."""
        return self.change(src) if random.random() < self.p else src


class SequentialAug(Augmenter):
    """Apply augmenters in sequence.

    Parameters
    ----------
    ts : list of Augmenter
    """

    def __init__(self, ts: list[Augmenter]) -> None:
        super().__init__()
        self.ts = ts

    def dumps(self) -> Any:
        """Return the name and the arguments of each augmenter."""
        return [type(self).__name__.lower(), [augmenter.dumps() for augmenter in self.ts]]

    def __call__(self, src: Any) -> Any:
        """Return the image after all augmenters."""
        for augmenter in self.ts:
            src = augmenter(src)
        return src


class RandomOrderAug(SequentialAug):
    """Apply augmenters in random order.

    Parameters
    ----------
    ts : list of Augmenter
        Augmenters; the list is shuffled for each image.
    """

    def __call__(self, src: Any) -> Any:
        """Return the image after all augmenters."""
        random.shuffle(self.ts)
        return super().__call__(src)
