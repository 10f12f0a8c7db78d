"""`Exchanged`: an array's elements in the forms that other libraries ask for."""

from typing import Any

import numpy as np

__all__ = ["Exchanged"]


class Exchanged:
    """Elements as lists, as NumPy's, as Arrow's and as DLPack's.

    The buffer protocol, ``__array__`` and ``__dlpack__``, which share memory, are native.
    """

    __slots__ = ()

    def tolist(self: Any) -> list[Any]:
        """Return the elements as numbers of Python's in nested lists.

        Examples
        --------
        >>> from opforge import nd
        >>> nd.array([[1, 2], [3, 4]]).tolist()
        [[1.0, 2.0], [3.0, 4.0]]
        """
        return self.asnumpy().tolist()

    def to_numpy(self: Any) -> np.ndarray[Any, Any]:
        """Return what `asnumpy` does, under the name by which Matplotlib asks."""
        return self.asnumpy()

    def __arrow_array__(self: Any, type: Any = None) -> Any:
        """Return a copy as an array of pyarrow's: numbers, or as many tensors as there are rows."""
        import pyarrow

        if self.ndim < 2:
            return pyarrow.array(self.asnumpy().reshape(-1), type=type)
        rows = pyarrow.FixedShapeTensorArray.from_numpy_ndarray(self.asnumpy())
        return rows if type is None else rows.cast(type)

    @property
    def _as_parameter_(self: Any) -> Any:
        """The handle that ``ctypes.cast(array, NDArrayHandle)`` reads."""
        from .handles import handle_of

        return handle_of(self)

    def to_dlpack_for_read(self: Any) -> Any:
        """Return a DLPack capsule on this memory."""
        from .creation import to_dlpack_for_read

        return to_dlpack_for_read(self)

    def to_dlpack_for_write(self: Any) -> Any:
        """Return a DLPack capsule on this memory, which may be written."""
        from .creation import to_dlpack_for_write

        return to_dlpack_for_write(self)
