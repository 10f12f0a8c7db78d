"""Resizing and padding with OpenCV: `_cvimresize`, `_image_resize` and `_cvcopyMakeBorder`."""

from typing import Any

import cv2
import numpy as np

from opforge.plugin_api import (
    Attribute,
    AttributeValueError,
    F,
    Floats,
    OperatorProp,
    OpforgeError,
    Shape,
    ShapeError,
    kernels,
)

from ..geometry import resize, shorter_side_size
from .layouts import check_image


class ImResize(OperatorProp):
    """Resize an image (height, width, channels) with OpenCV.

    Examples
    --------
    >>> from opforge import nd
    >>> nd._internal._cvimresize(nd.zeros((4, 6, 3), dtype="uint8"), w=3, h=2).shape
    (2, 3, 3)
    """

    name = "_cvimresize"
    dtypes = ("uint8", "float32", "float64")
    category = "vision"
    arguments = ("src",)
    differentiable = False
    w = Attribute(int, ge=1, doc="New width.")
    h = Attribute(int, ge=1, doc="New height.")
    interp = Attribute(int, default=1, doc="OpenCV's interpolation method; 1: linear.")

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the new shape."""
        src = in_shape[0]
        if not src:
            return [src], [()], []
        check_image("imresize", src, batches=False)
        return [src], [(self.h, self.w, src[2])], []

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Resize the image."""
        resized = resize(np.asarray(in_data[0]), self.w, self.h, self.interp)
        kernels.cast(F.from_numpy(resized), out_data[0], req=req[0])


class Resize(OperatorProp):
    """Resize an image or a batch of images with OpenCV.

    Examples
    --------
    >>> from opforge import nd
    >>> image = nd.zeros((4, 6, 3), dtype="uint8")
    >>> nd.image.resize(image, (3, 2)).shape, nd.image.resize(image, 2, True).shape
    ((2, 3, 3), (2, 3, 3))
    """

    name = "_image_resize"
    dtypes = ("uint8", "float32", "float64")
    category = "vision"
    differentiable = False
    argument_docs = {"data": "shape (h, w, c) or (n, h, w, c), uint8, float32 or float64"}
    size = Attribute(Shape, default=(), doc="New (width, height), or one number for both.")
    keep_ratio = Attribute(
        bool, default=False, doc="Whether one number is the length of the shorter side."
    )
    interp = Attribute(int, default=1, doc="OpenCV's interpolation method; 1: linear.")

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        if len(self.size) not in (1, 2) or min(self.size) < 1:
            raise AttributeValueError(
                f"resize: size is {self.size}; expected (width, height) or one number, at least 1"
            )

    def _new_size(self, height: int, width: int) -> tuple[int, int]:
        """Return the new height and width."""
        if len(self.size) == 2:
            return self.size[1], self.size[0]
        side = self.size[0]
        return shorter_side_size((height, width), side) if self.keep_ratio else (side, side)

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the new shape."""
        data = tuple(in_shape[0])
        if not data:
            return in_shape, [()], []
        check_image("resize", data)
        if not all(data[-3:]):
            raise ShapeError(
                f"resize: data has shape {data}; expected at least one pixel and channel"
            )
        return [data], [(*data[:-3], *self._new_size(*data[-3:-1]), data[-1])], []

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Resize each image."""
        data = np.asarray(in_data[0])
        height, width, channels = out_data[0].shape[-3:]
        images = data.reshape(-1, *data.shape[-3:])
        resized = np.empty((len(images), height, width, channels), data.dtype)
        for image, target in zip(images, resized, strict=True):
            target[...] = resize(image, width, height, self.interp)
        kernels.cast(F.from_numpy(resized.reshape(out_data[0].shape)), out_data[0], req=req[0])


class CopyMakeBorder(OperatorProp):
    """Add a border to an image with OpenCV.

    Examples
    --------
    >>> from opforge import nd
    >>> image = nd.ones((1, 1, 1), dtype="uint8")
    >>> nd._internal._cvcopyMakeBorder(image, 0, 0, 1, 1, value=7).asnumpy().ravel().tolist()
    [7, 1, 7]
    """

    name = "_cvcopyMakeBorder"
    dtypes = ("uint8", "int8", "int32", "float32", "float64")
    category = "vision"
    arguments = ("src",)
    differentiable = False
    top = Attribute(int, ge=0, doc="Rows above.")
    bot = Attribute(int, ge=0, doc="Rows below.")
    left = Attribute(int, ge=0, doc="Columns on the left.")
    right = Attribute(int, ge=0, doc="Columns on the right.")
    type = Attribute(
        int,
        default=0,
        doc="OpenCV's border type: 0 constant, 1 replicate, 2 reflect, 3 wrap, 4 reflect without "
        "the edge pixel.",
    )
    value = Attribute(float, default=0.0, doc="Color of all channels if `values` is empty.")
    values = Attribute(Floats, default=(), doc="Color of each channel, up to four.")

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape with the border."""
        src = in_shape[0]
        if not src:
            return [src], [()], []
        check_image("copyMakeBorder", src, batches=False)
        height, width, channels = src
        size = (height + self.top + self.bot, width + self.left + self.right, channels)
        return [src], [size], []

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Add the border."""
        image = np.asarray(in_data[0])
        margins = (self.top, self.bot, self.left, self.right)
        color = tuple(self.values) or (self.value,) * 4
        try:
            padded = cv2.copyMakeBorder(image, *margins, self.type, value=color)
        except cv2.error as error:
            raise OpforgeError(
                f"copyMakeBorder: OpenCV rejected a border of type {self.type} and color {color} "
                f"for an image of type {image.dtype} and shape {image.shape}: {error.err}"
            ) from error
        kernels.cast(F.from_numpy(padded.reshape(out_data[0].shape)), out_data[0], req=req[0])
