import sys

import numpy as np
import pytest

from opforge import nd

X = np.array([[1.5, 2, -3], [4, 0.25, 6]], "float32")


def test_lists_of_numbers():
    assert nd.array(X).tolist() == X.tolist()
    assert nd.array([1, 0], dtype="bool").tolist() == [True, False]
    assert nd.zeros((0, 2)).tolist() == []
    assert [type(x) for x in nd.array([7], dtype="int32").tolist()] == [int]


def test_other_names_return_a_copy():
    x = nd.array(X)
    copy = x.to_numpy()
    x[:] = 0
    np.testing.assert_array_equal(copy, X)


def test_arrow_is_used_only_if_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match="pyarrow"):
        nd.ones(1).__arrow_array__()


def test_capsules_show_the_elements():
    x = nd.array(X)
    for capsule in (x.to_dlpack_for_read(), x.to_dlpack_for_write()):
        np.testing.assert_array_equal(nd.from_dlpack(capsule).asnumpy(), X)
