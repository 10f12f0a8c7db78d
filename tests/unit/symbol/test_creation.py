import numpy as np
import pytest

from opforge import sym


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (sym.zeros((2, 3)), np.zeros((2, 3))),
        (sym.ones(3), np.ones(3)),
        (sym.full((2,), 7), np.full(2, 7)),
        (sym.arange(4), np.arange(4)),
        (sym.arange(1, 7, 2.0, repeat=2), np.repeat([1, 3, 5], 2)),
        (sym.linspace(0, 1, 5), np.linspace(0, 1, 5)),
        (sym.linspace(0, 1, 5, endpoint=False), np.linspace(0, 1, 5, endpoint=False)),
        (sym.eye(3, 4, k=1), np.eye(3, 4, 1)),
    ],
)
def test_values(made, expected):
    (found,) = made.eval()
    assert found.dtype == np.float32
    np.testing.assert_allclose(found.asnumpy(), expected)
    assert made.infer_shape()[1] == [expected.shape]
    assert made.list_arguments() == []


def test_types_and_names():
    x = sym.zeros((2,), dtype="float16", name="z")
    assert (x.name, x.infer_type()[1]) == ("z", [np.float16])
    assert sym.full((2,), 3).list_attr() == {"shape": "(2,)", "dtype": "float32", "value": "3.0"}


def test_unknown_dimensions_wait_for_others():
    assert (sym.ones((0, 2)) * sym.var("x")).infer_shape(x=(3, 2))[1] == [(3, 2)]
