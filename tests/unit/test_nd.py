"""`opforge.nd` is `opforge.ndarray`, however it is imported."""

import numpy as np

import opforge
import opforge.nd as by_name
from opforge import nd


def test_one_module():
    assert by_name is nd is opforge.nd is opforge.ndarray
    assert nd.__name__ == "opforge.ndarray"


def test_functions_of_operators_are_found_either_way():
    from opforge.nd import concat, transpose

    assert concat is opforge.ndarray.concat
    assert transpose is nd.transpose


def test_functions_without_arguments_of_python():
    """`direct` takes the arrays and the value of every attribute."""
    x = nd.array([[1.0, 4.0], [9.0, 16.0]])
    np.testing.assert_array_equal(nd.sqrt.direct((x,), ()).asnumpy(), nd.sqrt(x).asnumpy())
    total = nd.sum.direct((x,), (1, True, False))
    np.testing.assert_array_equal(total.asnumpy(), [[5.0], [25.0]])
