"""`CreateDetAugmenter`: standard list of augmenters for images with boxes."""

from typing import Any

import numpy as np

from ._augmentation import color_augmenters
from ._box_augmenters import DetRandomCropAug, DetRandomPadAug
from ._detection_augmenters import (
    DetAugmenter,
    DetBorrowAug,
    DetHorizontalFlipAug,
    DetRandomSelectAug,
)
from ._geometry_augmenters import ForceResizeAug, ResizeAug

__all__ = ["CreateDetAugmenter", "CreateMultiRandCropAugmenter"]


def CreateMultiRandCropAugmenter(
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = (0.75, 1.33),
    area_range: Any = (0.05, 1.0),
    min_eject_coverage: Any = 0.3,
    max_attempts: Any = 50,
    skip_prob: float = 0,
) -> DetRandomSelectAug:
    """Return an augmenter that applies one of several `DetRandomCropAug`, or none.

    Parameters
    ----------
    min_object_covered, aspect_ratio_range, area_range, min_eject_coverage, max_attempts
        As for `DetRandomCropAug`; lists have one value per augmenter.
    skip_prob : float, default 0
        Probability of applying none.

    Examples
    --------
    >>> len(CreateMultiRandCropAugmenter(min_object_covered=[0.1, 0.5, 0.9]).aug_list)
    3
    """
    values = (min_object_covered, aspect_ratio_range, area_range, min_eject_coverage, max_attempts)
    columns = [value if isinstance(value, list) else [value] for value in values]
    count = max(map(len, columns))
    for name, column in zip(DetRandomCropAug.reported, columns, strict=True):
        if len(column) not in (1, count):
            raise ValueError(
                f"CreateMultiRandCropAugmenter: {name} has {len(column)} values; expected 1 or "
                f"{count}, the length of another argument"
            )
    rows = zip(*(column * (count // len(column)) for column in columns), strict=True)
    return DetRandomSelectAug([DetRandomCropAug(*row) for row in rows], skip_prob=skip_prob)


def CreateDetAugmenter(
    data_shape: tuple[int, int, int],
    resize: int = 0,
    rand_crop: float = 0,
    rand_pad: float = 0,
    rand_gray: float = 0,
    rand_mirror: bool = False,
    mean: Any = None,
    std: Any = None,
    brightness: float = 0,
    contrast: float = 0,
    saturation: float = 0,
    pca_noise: float = 0,
    hue: float = 0,
    inter_method: int = 2,
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = (0.75, 1.33),
    area_range: Any = (0.05, 3.0),
    min_eject_coverage: Any = 0.3,
    max_attempts: Any = 50,
    pad_val: Any = (127, 127, 127),
) -> list[DetAugmenter]:
    """Return a list of augmenters of images with boxes in order of application.

    Parameters
    ----------
    data_shape, resize
        As for `CreateAugmenter`.
    rand_crop, rand_pad : float, default 0
        Probabilities of cropping and of adding a border.
    rand_gray, rand_mirror, mean, std, brightness, contrast, saturation, pca_noise, hue
        As for `CreateAugmenter`.
    inter_method : int, default 2
        As for `imresize`.
    min_object_covered, aspect_ratio_range, area_range, min_eject_coverage, max_attempts
        As for `CreateMultiRandCropAugmenter`; the upper limit of `area_range` also applies to
        images with a border.
    pad_val : float or tuple of float, default (127, 127, 127)
        Color of the border.

    Examples
    --------
    >>> [type(a).__name__ for a in CreateDetAugmenter((3, 8, 8), rand_mirror=True)]
    ['DetHorizontalFlipAug', 'DetBorrowAug', 'DetBorrowAug']
    """
    augmenters: list[DetAugmenter] = []
    if resize > 0:
        augmenters.append(DetBorrowAug(ResizeAug(resize, inter_method)))
    if rand_crop > 0:
        crop = (min_object_covered, aspect_ratio_range, area_range, min_eject_coverage)
        augmenters.append(
            CreateMultiRandCropAugmenter(*crop, max_attempts, skip_prob=1 - rand_crop)
        )
    if rand_mirror > 0:
        augmenters.append(DetHorizontalFlipAug(0.5))
    if rand_pad > 0:
        pad = DetRandomPadAug(aspect_ratio_range, (1.0, area_range[1]), max_attempts, pad_val)
        augmenters.append(DetRandomSelectAug([pad], 1 - rand_pad))
    size = (data_shape[2], data_shape[1])
    jitter = (brightness, contrast, saturation)
    rest = [
        ForceResizeAug(size, inter_method),
        *color_augmenters(jitter, hue, pca_noise, rand_gray, mean, std, np.array),
    ]
    return augmenters + [DetBorrowAug(augmenter) for augmenter in rest]
