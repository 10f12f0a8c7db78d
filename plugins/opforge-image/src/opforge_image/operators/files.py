"""Images from files and encoded bytes: `_cvimread` and `_cvimdecode`, behind ``mx.image``."""

from typing import Any

import numpy as np

from opforge.plugin_api import Attribute, DTypeError, F, OperatorProp

from ..codec import decode


class _Decoded(OperatorProp):
    """Base class of both operators: attributes, and a size that is known only after decoding."""

    differentiable = False
    flag = Attribute(int, default=1, ge=0, doc="0: one gray channel; otherwise three of color.")
    to_rgb = Attribute(bool, default=True, doc="Red first; otherwise blue first.")

    def infer_shape(self, in_shape: Any) -> Any:
        """Return unknown lengths."""
        return in_shape, [(0, 0, 3 if self.flag else 1)], []

    def infer_type(self, in_type: Any) -> Any:
        """Return uint8 for everything."""
        return [np.uint8 for _ in in_type], [np.uint8], []


class ImDecode(_Decoded):
    """Return the image that encoded bytes hold, shape (height, width, channels), uint8.

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
    argument_docs = {"buf": "the file's bytes, uint8"}

    def compose(self, _: Any, buf: Any) -> Any:
        """Decode the bytes."""
        if buf.dtype != np.uint8:
            raise DTypeError(
                f"_cvimdecode: buf has elements of {np.dtype(buf.dtype)}, expected uint8, which "
                "the bytes of a file are"
            )
        data = np.asarray(buf).reshape(-1)
        return F.from_numpy(decode(data, self.flag, self.to_rgb))


class ImRead(_Decoded):
    """Return the image in a file, shape (height, width, channels), uint8."""

    name = "_cvimread"
    category = "vision"
    shapes_from_values = True
    arguments = ()
    filename = Attribute(str, doc="Path of the file.")

    def compose(self, _: Any) -> Any:
        """Read and decode the file."""
        data = np.fromfile(self.filename, np.uint8)
        return F.from_numpy(decode(data, self.flag, self.to_rgb, repr(self.filename)))


OPERATORS = (ImDecode, ImRead)
