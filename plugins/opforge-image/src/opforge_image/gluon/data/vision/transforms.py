"""Image transforms: blocks for ``dataset.transform_first``.

They take an NDArray, a NumPy array or a Pillow image, and return an NDArray.

An image has shape (height, width, channels), a batch (n, height, width, channels), until
`ToTensor` moves the channels to the front. Random choices use NumPy's global generator, which a
`DataLoader`'s workers seed again for each batch.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from opforge.plugin_api import AttributeValueError, Block, HybridBlock, ShapeError
from opforge.plugin_api import F as nd
from opforge.plugin_api import add_aliases as _add_aliases

from ....image import center_crop
from ._color_transforms import RandomBrightness as RandomBrightness
from ._color_transforms import RandomColorJitter as RandomColorJitter
from ._color_transforms import RandomContrast as RandomContrast
from ._color_transforms import RandomGray as RandomGray
from ._color_transforms import RandomHue as RandomHue
from ._color_transforms import RandomLighting as RandomLighting
from ._color_transforms import RandomSaturation as RandomSaturation
from ._fused_transforms import FusedTransforms
from ._image_transforms import CropResize as CropResize
from ._image_transforms import RandomApply as RandomApply
from ._image_transforms import RandomResizedCrop as RandomResizedCrop
from ._image_transforms import RandomRotation as RandomRotation
from ._image_transforms import Resize as Resize
from ._image_transforms import Rotate as Rotate
from ._images import TakesImages

__all__ = [
    "Cast",
    "CenterCrop",
    "Compose",
    "CropResize",
    "Normalize",
    "RandomApply",
    "RandomBrightness",
    "RandomColorJitter",
    "RandomContrast",
    "RandomCrop",
    "RandomFlipLeftRight",
    "RandomFlipTopBottom",
    "RandomGray",
    "RandomHue",
    "RandomLighting",
    "RandomResizedCrop",
    "RandomRotation",
    "RandomSaturation",
    "Resize",
    "Rotate",
    "ToTensor",
]


class Compose(Block):
    """Apply several transforms in sequence.

    ``CenterCrop``, ``RandomFlipLeftRight``, ``ToTensor`` and ``Normalize`` in this order, of which
    only `ToTensor` is required, run as one native pass over a uint8 image.

    Parameters
    ----------
    transforms : list of callable

    Examples
    --------
    >>> image = nd.ones((28, 28, 1), dtype="uint8")
    >>> Compose([ToTensor(), Normalize(0.5, 0.5)])(image).shape
    (1, 28, 28)
    """

    def __init__(self, transforms: Sequence[Callable[[Any], Any]]) -> None:
        super().__init__()
        self._transforms = list(transforms)
        self._steps = _fuse_transforms(self._transforms)

    def forward(self, x: Any, *args: Any) -> Any:
        """Return the result of the last transform."""
        for step in self._steps:
            x = step(x)
        return (x, *args) if args else x


class Cast(TakesImages, HybridBlock):
    """Convert to an element type.

    Parameters
    ----------
    dtype : str or type, default 'float32'

    Raises
    ------
    DTypeError
        `dtype` is not an element type.
    """

    def __init__(self, dtype: Any = "float32") -> None:
        super().__init__()
        nd.empty((0,), dtype=dtype)  # raises the error
        self._dtype = dtype

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return `x` converted to the element type."""
        return F.cast(x, dtype=self._dtype)


class ToTensor(TakesImages, HybridBlock):
    """Convert uint8 in [0, 255] to float32 in [0, 1], and move the channel axis to the front."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return shape (c, h, w) for (h, w, c), or (n, c, h, w) for (n, h, w, c)."""
        return F.image.to_tensor(x)


class Normalize(TakesImages, HybridBlock):
    """Subtract a mean and divide by a standard deviation, per channel of a float image (c, h, w).

    Parameters
    ----------
    mean, std : float or sequence of float
        One number, or one per channel.

    Raises
    ------
    ShapeError
        On call: the input is not an image or batch (n, c, h, w), or has other channels.
    """

    def __init__(self, mean: Any = 0.0, std: Any = 1.0) -> None:
        super().__init__()
        self._mean = _per_channel(mean)
        self._std = _per_channel(std)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return ``(x - mean) / std``."""
        return F.image.normalize(x, mean=self._mean, std=self._std)


class CenterCrop(TakesImages, Block):
    """Crop the center of an image (h, w, c); that of a smaller image is enlarged.

    Parameters
    ----------
    size : int or (width, height)
    interpolation : int, default 1
        Interpolation method for enlarging; see `mx.image.imresize`.
    """

    def __init__(self, size: int | tuple[int, int], interpolation: int = 1) -> None:
        super().__init__()
        self._width, self._height = (size, size) if isinstance(size, int) else size
        if self._width < 1 or self._height < 1:
            raise AttributeValueError(
                f"{type(self).__name__}: size is {size!r}, expected a width and a height of at "
                "least 1"
            )
        self._interpolation = interpolation

    def forward(self, x: Any) -> Any:
        """Return the center, of shape (height, width, c)."""
        if x.shape[0] < self._height or x.shape[1] < self._width:
            return center_crop(x, (self._width, self._height), self._interpolation)[0]
        top, left = self._margins(x)
        return _crop(x, top // 2, left // 2, self._height, self._width)

    def _margins(self, x: Any) -> tuple[int, int]:
        top, left = x.shape[0] - self._height, x.shape[1] - self._width
        if top < 0 or left < 0:
            raise ShapeError(
                f"{type(self).__name__}: the image has height {x.shape[0]} and width "
                f"{x.shape[1]}; the crop needs at least {self._height} and {self._width}"
            )
        return top, left


class RandomCrop(CenterCrop):
    """Crop a random part out of an image (h, w, c), after padding it with zeros.

    Parameters
    ----------
    size : int or (width, height)
    pad : int, default 0
        Rows and columns of zeros added on each side.
    """

    def __init__(self, size: int | tuple[int, int], pad: int = 0) -> None:
        super().__init__(size)
        self._pad = pad

    def forward(self, x: Any) -> Any:
        """Return the crop, of shape (height, width, c)."""
        if self._pad:
            margin = (self._pad, self._pad)
            padded = np.pad(x.asnumpy(), (margin, margin, (0, 0)))
            x = nd.array(padded, dtype=padded.dtype)
        top, left = (np.random.randint(margin + 1) for margin in self._margins(x))
        return _crop(x, top, left, self._height, self._width)


class _RandomFlip(TakesImages, HybridBlock):
    """Base class of transforms that flip every other image, on average.

    NumPy's generator decides for an array; in a graph, the operator draws for each run.
    """

    #: Name of the operator for graphs.
    operator: str
    #: Axis along which an image is flipped.
    axis: int

    def draws_mirror(self) -> bool:
        """Draw whether to flip the next image."""
        return bool(np.random.random() < 0.5)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return `x`, possibly flipped."""
        if not isinstance(x, nd.NDArray):
            return getattr(F.image, self.operator)(x)
        return F.flip(x, axis=self.axis) if self.draws_mirror() else x


class RandomFlipLeftRight(_RandomFlip):
    """Flip an image (h, w, c) horizontally with probability one half."""

    operator = "random_flip_left_right"
    axis = 1


class RandomFlipTopBottom(_RandomFlip):
    """Flip an image (h, w, c) vertically with probability one half."""

    operator = "random_flip_top_bottom"
    axis = 0


def _fuse_transforms(transforms: list[Callable[[Any], Any]]) -> list[Callable[[Any], Any]]:
    """Return the transforms, with those that one native pass can compute fused into one."""
    kinds = [type(transform) for transform in transforms]
    if ToTensor not in kinds:
        return transforms
    first = kinds.index(ToTensor)
    end = first + 1
    while end < len(kinds) and kinds[end] is Normalize:
        end += 1
    begin, fusible = first, dict.fromkeys((RandomFlipLeftRight, CenterCrop))
    for kind in fusible:
        if begin and kinds[begin - 1] is kind:
            begin -= 1
            fusible[kind] = transforms[begin]
    crop, flip = fusible[CenterCrop], fusible[RandomFlipLeftRight]
    fused = FusedTransforms(crop, flip, transforms[first:end])
    return [*transforms[:begin], fused, *transforms[end:]]


def _per_channel(value: Any) -> tuple[float, ...]:
    return tuple(np.asarray(value, np.float32).ravel().tolist())


def _crop(x: Any, top: int, left: int, height: int, width: int) -> Any:
    return x[top : top + height, left : left + width]


_add_aliases(__name__)
