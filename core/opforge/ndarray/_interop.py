"""Conversion of arrays to the formats of other libraries."""

from typing import Any

import numpy as np

from ._operators import operators

__all__ = ["InteropMixin"]


class InteropMixin:
    """Methods that convert an array to lists, NumPy, Arrow and DLPack.

    The buffer protocol, ``__array__`` and ``__dlpack__``, which share memory, are native.
    """

    __slots__ = ()

    def tolist(self: Any) -> list[Any]:
        """Return the elements as Python numbers in nested lists.

        Examples
        --------
        >>> from opforge import nd
        >>> nd.array([[1, 2], [3, 4]]).tolist()
        [[1.0, 2.0], [3.0, 4.0]]
        """
        return self.asnumpy().tolist()

    def to_numpy(self: Any) -> np.ndarray[Any, Any]:
        """Return `asnumpy()`; Matplotlib calls this method."""
        return self.asnumpy()

    def __arrow_array__(self: Any, type: Any = None) -> Any:
        """Return a copy as a pyarrow array of numbers, or of one tensor per row."""
        import pyarrow

        if self.ndim < 2:
            return pyarrow.array(self.asnumpy().reshape(-1), type=type)
        rows = pyarrow.FixedShapeTensorArray.from_numpy_ndarray(self.asnumpy())
        return rows if type is None else rows.cast(type)

    @property
    def _as_parameter_(self: Any) -> Any:
        """Handle read by ``ctypes.cast(array, NDArrayHandle)``."""
        from .ctypes_handles import handle_of

        return handle_of(self)

    def to_dlpack_for_read(self: Any) -> Any:
        """Return a DLPack capsule that shares this memory."""
        return operators().to_dlpack_for_read(self)

    def to_dlpack_for_write(self: Any) -> Any:
        """Return a DLPack capsule that shares this memory for writing."""
        return operators().to_dlpack_for_write(self)
