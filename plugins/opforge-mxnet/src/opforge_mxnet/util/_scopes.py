"""`_NumpyArrayScope`: the class behind `np_array`, as MXNet names it."""

from opforge.base.numpy_semantics import np_array

__all__ = ["_NumpyArrayScope"]


class _NumpyArrayScope(np_array):
    """Context manager in which blocks use arrays of ``mx.np`` or of ``mx.nd``.

    Parameters
    ----------
    is_np_array : bool
    """

    def __init__(self, is_np_array: bool) -> None:
        super().__init__(is_np_array)
        self._is_np_array = is_np_array
