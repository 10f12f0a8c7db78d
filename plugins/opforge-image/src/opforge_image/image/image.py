"""`mx.image.image`: functions and classes for images without boxes."""

# MXNet's private name, which GluonCV's transforms import.
from opforge.plugin_api import add_aliases as _add_aliases

from ..geometry import choose_interpolation as _get_interp_method  # noqa: F401
from ._augmentation import CreateAugmenter as CreateAugmenter
from ._augmenter import Augmenter as Augmenter
from ._augmenter import RandomOrderAug as RandomOrderAug
from ._augmenter import SequentialAug as SequentialAug
from ._color_augmenters import BrightnessJitterAug as BrightnessJitterAug
from ._color_augmenters import CastAug as CastAug
from ._color_augmenters import ColorJitterAug as ColorJitterAug
from ._color_augmenters import ColorNormalizeAug as ColorNormalizeAug
from ._color_augmenters import ContrastJitterAug as ContrastJitterAug
from ._color_augmenters import HueJitterAug as HueJitterAug
from ._color_augmenters import LightingAug as LightingAug
from ._color_augmenters import RandomGrayAug as RandomGrayAug
from ._color_augmenters import SaturationJitterAug as SaturationJitterAug
from ._color_augmenters import color_normalize as color_normalize
from ._cropping import center_crop as center_crop
from ._cropping import fixed_crop as fixed_crop
from ._cropping import random_crop as random_crop
from ._cropping import random_size_crop as random_size_crop
from ._cropping import scale_down as scale_down
from ._geometry_augmenters import CenterCropAug as CenterCropAug
from ._geometry_augmenters import ForceResizeAug as ForceResizeAug
from ._geometry_augmenters import HorizontalFlipAug as HorizontalFlipAug
from ._geometry_augmenters import RandomCropAug as RandomCropAug
from ._geometry_augmenters import RandomSizedCropAug as RandomSizedCropAug
from ._geometry_augmenters import ResizeAug as ResizeAug
from ._image_iter import ImageIter as ImageIter
from ._reading import imdecode as imdecode
from ._reading import imread as imread
from ._resizing import copyMakeBorder as copyMakeBorder
from ._resizing import imresize as imresize
from ._resizing import resize_short as resize_short
from ._rotating import imrotate as imrotate
from ._rotating import random_rotate as random_rotate

__all__ = [
    "Augmenter",
    "BrightnessJitterAug",
    "CastAug",
    "CenterCropAug",
    "ColorJitterAug",
    "ColorNormalizeAug",
    "ContrastJitterAug",
    "CreateAugmenter",
    "ForceResizeAug",
    "HorizontalFlipAug",
    "HueJitterAug",
    "ImageIter",
    "LightingAug",
    "RandomCropAug",
    "RandomGrayAug",
    "RandomOrderAug",
    "RandomSizedCropAug",
    "ResizeAug",
    "SaturationJitterAug",
    "SequentialAug",
    "center_crop",
    "color_normalize",
    "copyMakeBorder",
    "fixed_crop",
    "imdecode",
    "imread",
    "imresize",
    "imrotate",
    "random_crop",
    "random_rotate",
    "random_size_crop",
    "resize_short",
    "scale_down",
]

_add_aliases(__name__)
