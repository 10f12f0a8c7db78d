"""Base of augmenters, which are called with an image and can be written as JSON."""

import json
import random
from typing import Any

import numpy as np

from opforge.plugin_api import F

__all__ = ["Augmenter", "RandomOrderAug", "SequentialAug", "plain_values"]


def plain_values(values: dict[str, Any]) -> dict[str, Any]:
    """Return arguments in a form that JSON has: arrays as lists."""
    return {
        key: np.asarray(value).tolist() if isinstance(value, np.ndarray | F.NDArray) else value
        for key, value in values.items()
    }


class Augmenter:
    """Base of all changes of images.

    Parameters
    ----------
    **kwargs
        What `dumps` tells.

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
        """Return name and arguments as JSON; a list of both where augmenters are inside."""
        return json.dumps([type(self).__name__.lower(), self._kwargs])

    def __call__(self, src: Any) -> Any:
        """Return the changed image."""
        raise NotImplementedError(f"{type(self).__name__} does not say what becomes of an image")


class SequentialAug(Augmenter):
    """Apply augmenters one after the other.

    Parameters
    ----------
    ts : list of Augmenter
    """

    def __init__(self, ts: list[Augmenter]) -> None:
        super().__init__()
        self.ts = ts

    def dumps(self) -> Any:
        """Return the name and what each of them tells."""
        return [type(self).__name__.lower(), [augmenter.dumps() for augmenter in self.ts]]

    def __call__(self, src: Any) -> Any:
        """Return the image that the last one makes."""
        for augmenter in self.ts:
            src = augmenter(src)
        return src


class RandomOrderAug(SequentialAug):
    """Apply augmenters in random order.

    Parameters
    ----------
    ts : list of Augmenter
        The list is shuffled with each image.
    """

    def __call__(self, src: Any) -> Any:
        """Return the image that the last one makes."""
        random.shuffle(self.ts)
        return super().__call__(src)
