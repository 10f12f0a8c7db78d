import ctypes
import gc

import pytest

from opforge import nd
from opforge.ndarray.ctypes_handles import array_of, handle_of


def test_a_handle_leads_to_its_array_while_that_exists():
    x = nd.array([1, 2])
    handle = ctypes.cast(x, ctypes.c_void_p)
    assert nd.NDArray(handle) is x
    assert array_of(handle_of(x)) is x
    del x
    gc.collect()
    assert array_of(handle) is None


@pytest.mark.parametrize("value", [3, ctypes.c_void_p(), ctypes.c_void_p(8)])
def test_nothing_else_makes_an_array(value):
    assert array_of(value) is None
    with pytest.raises(TypeError, match="not made directly"):
        nd.NDArray(value)
