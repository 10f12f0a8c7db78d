"""bfloat16, which NumPy neither exports nor imports by DLPack."""

import ml_dtypes
import numpy as np
import pytest

from opforge import nd
from opforge.native.array import numpy_from_dlpack


@pytest.mark.parametrize("version", [None, (1, 0)])
def test_exported_memory_is_imported_again(version):
    x = nd.array([[1, 2.5], [-3, 4]], dtype="bfloat16")

    class Source:
        def __dlpack__(self, **options):
            return x.__dlpack__(max_version=version)

        def __dlpack_device__(self):
            return x.__dlpack_device__()

    y = numpy_from_dlpack(Source())
    assert y.dtype == ml_dtypes.bfloat16 and y.tolist() == x.tolist()
    x[0, 0] = 7
    assert y.tolist() == [[7, 2.5], [-3, 4]]


def test_capsules_and_arrays():
    x = nd.array([1, 2, 3], dtype="bfloat16")
    for source in (x, nd.to_dlpack_for_read(x), nd.to_dlpack_for_write(x)):
        y = nd.from_dlpack(source)
        assert y.dtype is x.dtype and y.tolist() == [1, 2, 3]
        y[0] = 1
    assert nd.from_dlpack(np.arange(3, dtype="uint8")).tolist() == [0, 1, 2]


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8", "bool"])
def test_other_types_are_unchanged(dtype):
    x = nd.ones((2, 3), dtype=dtype)
    assert numpy_from_dlpack(x).dtype == np.dtype(dtype)


def test_arrays_on_the_cpu_have_no_streams():
    with pytest.raises(BufferError, match=r"cpu\(0\) has no streams, got stream=1; pass None"):
        nd.ones(2).__dlpack__(stream=1)


def test_something_else_is_rejected():
    with pytest.raises(ValueError, match="PyCapsule_GetPointer"):
        numpy_from_dlpack(3)
