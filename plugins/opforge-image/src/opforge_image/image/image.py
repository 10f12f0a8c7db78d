"""`mx.image.image`: where MXNet has what is there for pictures without boxes."""

from ._reading import imdecode as imdecode
from ._reading import imread as imread
from ._resizing import imresize as imresize

__all__ = ["imdecode", "imread", "imresize"]
