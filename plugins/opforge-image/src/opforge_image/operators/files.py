"""Decoding of files and bytes: `_cvimread` and `_cvimdecode`, which ``mx.image`` uses."""

from typing import Any

import numpy as np

from opforge.plugin_api import Attribute, F, OperatorProp

from ..codec import decode


class _ImageDecoder(OperatorProp):
    """Base class of both operators, whose output size is known only after decoding."""

    dtypes = ("uint8",)
    output_dtypes = {"output": "uint8"}
    differentiable = False
    flag = Attribute(
        int, default=1, ge=0, doc="0: one gray channel; otherwise three color channels."
    )
    to_rgb = Attribute(bool, default=True, doc="Red first; otherwise blue first.")

    def infer_shape(self, in_shape: Any) -> Any:
        """Return an unknown height and width."""
        return in_shape, [(0, 0, 3 if self.flag else 1)], []

    def infer_type(self, in_type: Any) -> Any:
        """Return uint8 for everything."""
        return [np.uint8 for _ in in_type], [np.uint8], []


class ImDecode(_ImageDecoder):
    """Return the decoded image, shape (height, width, channels), uint8.

    Examples
    --------
    >>> import cv2, numpy as np
    >>> from opforge import nd
    >>> file = cv2.imencode(".png", np.zeros((4, 6, 3), np.uint8))[1]
    >>> nd._internal._cvimdecode(nd.array(file, dtype="uint8")).shape
    (4, 6, 3)
    """

    name = "_cvimdecode"
    category = "vision"
    shapes_from_values = True
    arguments = ("buf",)
    argument_docs = {"buf": "bytes of the file, uint8"}

    def compose(self, _: Any, buf: Any) -> Any:
        """Return the decoded image."""
        data = np.asarray(buf).reshape(-1)
        return F.from_numpy(decode(data, self.flag, self.to_rgb))


class ImRead(_ImageDecoder):
    """Return the decoded image of a file, shape (height, width, channels), uint8."""

    name = "_cvimread"
    category = "vision"
    shapes_from_values = True
    arguments = ()
    filename = Attribute(str, doc="Path of the file.")

    def compose(self, _: Any) -> Any:
        """Return the decoded image."""
        data = np.fromfile(self.filename, np.uint8)
        return F.from_numpy(decode(data, self.flag, self.to_rgb, repr(self.filename)))
