"""`mx.image`: reading, cropping, resizing and augmentation of images, with and without boxes.

An image is an NDArray (height, width, channels), usually uint8 with red first.
"""

from opforge.plugin_api import add_aliases as _add_aliases

from . import detection as det
from . import detection as detection
from . import image as image
from .detection import CreateDetAugmenter as CreateDetAugmenter
from .detection import CreateMultiRandCropAugmenter as CreateMultiRandCropAugmenter
from .detection import DetAugmenter as DetAugmenter
from .detection import DetBorrowAug as DetBorrowAug
from .detection import DetHorizontalFlipAug as DetHorizontalFlipAug
from .detection import DetRandomCropAug as DetRandomCropAug
from .detection import DetRandomPadAug as DetRandomPadAug
from .detection import DetRandomSelectAug as DetRandomSelectAug
from .detection import ImageDetIter as ImageDetIter
from .image import Augmenter as Augmenter
from .image import BrightnessJitterAug as BrightnessJitterAug
from .image import CastAug as CastAug
from .image import CenterCropAug as CenterCropAug
from .image import ColorJitterAug as ColorJitterAug
from .image import ColorNormalizeAug as ColorNormalizeAug
from .image import ContrastJitterAug as ContrastJitterAug
from .image import CreateAugmenter as CreateAugmenter
from .image import ForceResizeAug as ForceResizeAug
from .image import HorizontalFlipAug as HorizontalFlipAug
from .image import HueJitterAug as HueJitterAug
from .image import ImageIter as ImageIter
from .image import LightingAug as LightingAug
from .image import RandomCropAug as RandomCropAug
from .image import RandomGrayAug as RandomGrayAug
from .image import RandomOrderAug as RandomOrderAug
from .image import RandomSizedCropAug as RandomSizedCropAug
from .image import ResizeAug as ResizeAug
from .image import SaturationJitterAug as SaturationJitterAug
from .image import SequentialAug as SequentialAug
from .image import center_crop as center_crop
from .image import color_normalize as color_normalize
from .image import copyMakeBorder as copyMakeBorder
from .image import fixed_crop as fixed_crop
from .image import imdecode as imdecode
from .image import imread as imread
from .image import imresize as imresize
from .image import imrotate as imrotate
from .image import random_crop as random_crop
from .image import random_rotate as random_rotate
from .image import random_size_crop as random_size_crop
from .image import resize_short as resize_short
from .image import scale_down as scale_down

__all__ = ["det", "detection", "image"]
__all__ += detection.__all__
__all__ += image.__all__

_add_aliases(__name__)
