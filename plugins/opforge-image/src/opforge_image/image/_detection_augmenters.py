"""Augmenters of images with boxes.

Labels are NumPy arrays (boxes, 5 or more): class; left, top, right and bottom relative to the
image's size; and optional further elements.
"""

import json
import random
from typing import Any

import numpy as np

from opforge.plugin_api import F

from ._augmenter import Augmenter, plain_values

__all__ = ["DetAugmenter", "DetBorrowAug", "DetHorizontalFlipAug", "DetRandomSelectAug"]


class DetAugmenter:
    """Base class of augmenters of images with boxes.

    Parameters
    ----------
    **kwargs
        Arguments that `dumps` returns.
    """

    def __init__(self, **kwargs: Any) -> None:
        self._kwargs = plain_values(kwargs)

    def dumps(self) -> Any:
        """Return name and arguments as JSON, or as a list for augmenters that contain others."""
        return json.dumps([type(self).__name__.lower(), self._kwargs])

    def __call__(self, src: Any, label: np.ndarray) -> tuple[Any, np.ndarray]:
        """Return the changed image and its boxes."""
        raise NotImplementedError(f"{type(self).__name__} must define __call__")


class DetBorrowAug(DetAugmenter):
    """Apply an augmenter that does not affect boxes.

    Parameters
    ----------
    augmenter : Augmenter
    """

    def __init__(self, augmenter: Augmenter) -> None:
        if not isinstance(augmenter, Augmenter):
            raise TypeError(f"DetBorrowAug: augmenter is {augmenter!r}; expected an Augmenter")
        super().__init__(augmenter=augmenter.dumps())
        self.augmenter = augmenter

    def dumps(self) -> Any:
        """Return the name and the arguments of the augmenter."""
        return [type(self).__name__.lower(), self.augmenter.dumps()]

    def __call__(self, src: Any, label: np.ndarray) -> tuple[Any, np.ndarray]:
        """Return the changed image and its boxes."""
        return self.augmenter(src), label


class DetRandomSelectAug(DetAugmenter):
    """Apply one of several augmenters, or none.

    Parameters
    ----------
    aug_list : list of DetAugmenter
        Augmenters; the list is shuffled.
    skip_prob : float, default 0
        Probability of applying none.
    """

    def __init__(self, aug_list: Any, skip_prob: float = 0) -> None:
        super().__init__(skip_prob=skip_prob)
        augmenters = aug_list if isinstance(aug_list, list | tuple) else [aug_list]
        for augmenter in augmenters:
            if not isinstance(augmenter, DetAugmenter):
                raise ValueError(
                    f"DetRandomSelectAug: {augmenter!r} is in aug_list; expected DetAugmenters"
                )
        self.aug_list = list(augmenters)
        self.skip_prob = skip_prob if augmenters else 1

    def dumps(self) -> Any:
        """Return the name and the arguments of each augmenter."""
        return [type(self).__name__.lower(), [augmenter.dumps() for augmenter in self.aug_list]]

    def __call__(self, src: Any, label: np.ndarray) -> tuple[Any, np.ndarray]:
        """Return the result of one augmenter, or the image unchanged."""
        if random.random() < self.skip_prob:
            return src, label
        random.shuffle(self.aug_list)
        result: tuple[Any, np.ndarray] = self.aug_list[0](src, label)
        return result


class DetHorizontalFlipAug(DetAugmenter):
    """Mirror images and their boxes with probability `p`; boxes are changed in place.

    Parameters
    ----------
    p : float
        Probability of mirroring.
    """

    def __init__(self, p: float) -> None:
        super().__init__(p=p)
        self.p = p

    def __call__(self, src: Any, label: np.ndarray) -> tuple[Any, np.ndarray]:
        """Return the image or its mirror image, and the boxes."""
        if random.random() < self.p:
            src = F.flip(src, axis=1)
            label[:, [1, 3]] = 1.0 - label[:, [3, 1]]
        return src, label
