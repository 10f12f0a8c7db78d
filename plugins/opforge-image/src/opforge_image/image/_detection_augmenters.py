"""Augmenters of images with boxes.

Labels are NumPy arrays (boxes, 5 or more): class, left, top, right and bottom as parts of the
image, and what else a box has.
"""

import json
import random
from typing import Any

import numpy as np

from opforge.plugin_api import F

from ._augmenter import Augmenter, plain_values

__all__ = ["DetAugmenter", "DetBorrowAug", "DetHorizontalFlipAug", "DetRandomSelectAug"]


class DetAugmenter:
    """Base of all changes of images with boxes.

    Parameters
    ----------
    **kwargs
        What `dumps` tells.
    """

    def __init__(self, **kwargs: Any) -> None:
        self._kwargs = plain_values(kwargs)

    def dumps(self) -> Any:
        """Return name and arguments as JSON; a list of both where augmenters are inside."""
        return json.dumps([type(self).__name__.lower(), self._kwargs])

    def __call__(self, src: Any, label: np.ndarray) -> tuple[Any, np.ndarray]:
        """Return the changed image and its boxes."""
        raise NotImplementedError(f"{type(self).__name__} does not say what becomes of an image")


class DetBorrowAug(DetAugmenter):
    """Apply an augmenter that leaves boxes where they are.

    Parameters
    ----------
    augmenter : Augmenter
    """

    def __init__(self, augmenter: Augmenter) -> None:
        if not isinstance(augmenter, Augmenter):
            raise TypeError(f"DetBorrowAug: augmenter is {augmenter!r}, expected an Augmenter")
        super().__init__(augmenter=augmenter.dumps())
        self.augmenter = augmenter

    def dumps(self) -> Any:
        """Return the name and what the augmenter tells."""
        return [type(self).__name__.lower(), self.augmenter.dumps()]

    def __call__(self, src: Any, label: np.ndarray) -> tuple[Any, np.ndarray]:
        """Return the changed image."""
        return self.augmenter(src), label


class DetRandomSelectAug(DetAugmenter):
    """Apply one of several augmenters, or none.

    Parameters
    ----------
    aug_list : list of DetAugmenter
        The list is shuffled.
    skip_prob : float, default 0
        Probability of none.
    """

    def __init__(self, aug_list: Any, skip_prob: float = 0) -> None:
        super().__init__(skip_prob=skip_prob)
        augmenters = aug_list if isinstance(aug_list, list | tuple) else [aug_list]
        for augmenter in augmenters:
            if not isinstance(augmenter, DetAugmenter):
                raise ValueError(
                    f"DetRandomSelectAug: {augmenter!r} is in the list, expected DetAugmenters"
                )
        self.aug_list = list(augmenters)
        self.skip_prob = skip_prob if augmenters else 1

    def dumps(self) -> Any:
        """Return the name and what each of them tells."""
        return [type(self).__name__.lower(), [augmenter.dumps() for augmenter in self.aug_list]]

    def __call__(self, src: Any, label: np.ndarray) -> tuple[Any, np.ndarray]:
        """Return what one of them makes, or the image."""
        if random.random() < self.skip_prob:
            return src, label
        random.shuffle(self.aug_list)
        found: tuple[Any, np.ndarray] = self.aug_list[0](src, label)
        return found


class DetHorizontalFlipAug(DetAugmenter):
    """Mirror some of the images, and their boxes in place.

    Parameters
    ----------
    p : float
        Probability.
    """

    def __init__(self, p: float) -> None:
        super().__init__(p=p)
        self.p = p

    def __call__(self, src: Any, label: np.ndarray) -> tuple[Any, np.ndarray]:
        """Return the image or its mirror image."""
        if random.random() < self.p:
            src = F.flip(src, axis=1)
            label[:, [1, 3]] = 1.0 - label[:, [3, 1]]
        return src, label
