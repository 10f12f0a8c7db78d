"""Pictures in other sizes: `_cvimresize`."""

from typing import Any

import numpy as np

from opforge.plugin_api import Attribute, F, OperatorProp, ShapeError, kernels

from ..interpolation import resize


class ImResize(OperatorProp):
    """Resize a picture (height, width, channels) with OpenCV.

    Examples
    --------
    >>> from opforge import nd
    >>> nd._internal._cvimresize(nd.zeros((4, 6, 3), dtype="uint8"), w=3, h=2).shape
    (2, 3, 3)
    """

    name = "_cvimresize"
    arguments = ("src",)
    differentiable = False
    w = Attribute(int, ge=1, doc="New width.")
    h = Attribute(int, ge=1, doc="New height.")
    interp = Attribute(int, default=1, doc="The way: OpenCV's number, 1 for linear.")

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the new size with the channels."""
        src = in_shape[0]
        if src and len(src) != 3:
            raise ShapeError(
                f"src has shape {tuple(src)}, expected a picture (height, width, channels)"
            )
        return [src], [(self.h, self.w, src[2]) if src else None], []

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Resize it."""
        picture = np.asarray(in_data[0])
        resized = F.from_numpy(resize(picture, self.w, self.h, self.interp))
        kernels.cast(resized, out_data[0], req=req[0])


OPERATORS = (ImResize,)
