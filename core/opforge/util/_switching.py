"""NumPy's shapes and arrays switched on or off together."""

from ..base.numpy_semantics import set_np_array, set_np_shape

__all__ = ["reset_np", "set_np"]


def set_np(shape: bool = True, array: bool = True) -> None:
    """Switch NumPy's shapes and arrays on or off, see `set_np_shape`.

    Parameters
    ----------
    shape, array : bool, default True
        Arrays are noted only: opforge has no ``mx.np``.

    Raises
    ------
    ValueError
        Arrays are asked for without shapes.
    """
    if array and not shape:
        raise ValueError("set_np: NumPy's arrays need NumPy's shapes, pass shape=True as well")
    set_np_array(array)
    set_np_shape(shape)


def reset_np() -> None:
    """Switch NumPy's shapes and arrays off."""
    set_np(shape=False, array=False)
