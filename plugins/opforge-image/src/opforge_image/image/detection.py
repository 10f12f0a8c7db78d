"""`mx.image.detection`, also `mx.image.det`: functions and classes for images with boxes."""

from opforge.plugin_api import add_aliases as _add_aliases

from ._box_augmenters import DetRandomCropAug as DetRandomCropAug
from ._box_augmenters import DetRandomPadAug as DetRandomPadAug
from ._detection_augmentation import CreateDetAugmenter as CreateDetAugmenter
from ._detection_augmentation import CreateMultiRandCropAugmenter as CreateMultiRandCropAugmenter
from ._detection_augmenters import DetAugmenter as DetAugmenter
from ._detection_augmenters import DetBorrowAug as DetBorrowAug
from ._detection_augmenters import DetHorizontalFlipAug as DetHorizontalFlipAug
from ._detection_augmenters import DetRandomSelectAug as DetRandomSelectAug
from ._detection_iter import ImageDetIter as ImageDetIter

__all__ = [
    "CreateDetAugmenter",
    "CreateMultiRandCropAugmenter",
    "DetAugmenter",
    "DetBorrowAug",
    "DetHorizontalFlipAug",
    "DetRandomCropAug",
    "DetRandomPadAug",
    "DetRandomSelectAug",
    "ImageDetIter",
]

_add_aliases(__name__)
