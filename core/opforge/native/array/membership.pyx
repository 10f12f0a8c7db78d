"""`isinstance(x, NDArray)`, which nearly every call asks, without a Python frame."""

from cpython.object cimport PyObject_TypeCheck, PyTypeObject

__all__ = ["is_instance"]

cdef extern from "Python.h":
    const unsigned long Py_TPFLAGS_HEAPTYPE
    PyTypeObject* Py_TYPE(object)


def is_instance(cls, instance):
    """Return whether `instance` belongs to `cls`; the ``__instancecheck__`` of a metaclass.

    Besides instances, those of classes that the metaclass counts as subclasses belong to it.

    Parameters
    ----------
    cls : type
        Class with the metaclass.
    instance : object
    """
    if not isinstance(cls, type):
        raise TypeError(f"is_instance: cls must be a type, got {cls!r}")
    if PyObject_TypeCheck(instance, <PyTypeObject*>cls):
        return True
    if not Py_TYPE(instance).tp_flags & Py_TPFLAGS_HEAPTYPE:
        return False                                        # int, tuple, numpy.ndarray: never counted
    return type.__instancecheck__(cls, instance) or issubclass(type(instance), cls)
