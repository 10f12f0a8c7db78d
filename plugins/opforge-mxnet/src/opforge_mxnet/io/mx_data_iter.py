"""`MXDataIter`: the class of the iterators that MXNet implements in C++, for ``isinstance``."""

from typing import Any

from opforge.io import DataIter

__all__ = ["MXDataIter"]

#: Names of the classes whose objects are of this class in MXNet.
_NATIVE = {
    "CSVIter",
    "ImageDetRecordIter",
    "ImageRecordInt8Iter",
    "ImageRecordIter",
    "ImageRecordIter_v1",
    "ImageRecordUInt8Iter",
    "ImageRecordUInt8Iter_v1",
    "LibSVMIter",
    "MNISTIter",
}


class _NativeIterators(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, DataIter) and type(instance).__name__ in _NATIVE

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, DataIter) and subclass.__name__ in _NATIVE


class MXDataIter(DataIter, metaclass=_NativeIterators):
    """Class of iterators over files, such as `CSVIter` and `ImageRecordIter`.

    Raises
    ------
    TypeError
        Always: create an iterator by its own name.

    Examples
    --------
    >>> from opforge import io, nd
    >>> isinstance(io.NDArrayIter(nd.ones((2, 2))), MXDataIter)
    False
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> "MXDataIter":
        """Raise TypeError."""
        raise TypeError(
            "MXDataIter: opforge has no handles of C++ iterators. Create an iterator by its own "
            "name, such as io.ImageRecordIter(...)"
        )
