"""`mx.image`: pictures read from files, cut, resized and augmented.

A picture is an NDArray (height, width, channels), usually uint8 with red first.
"""

from .image import imdecode as imdecode
from .image import imread as imread
from .image import imresize as imresize

__all__ = ["imdecode", "imread", "imresize"]
