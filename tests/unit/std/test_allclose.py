import numpy as np
import pytest

from opforge import nd
from opforge.base.errors import ShapeError

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("a", "b", "attributes", "expected"),
    [
        ([1, 2], [1, 2], {}, 1),
        ([1, 2], [1.0001, 2], {}, 0),
        ([1, 2], [1.05, 2], {"rtol": 0.1}, 1),
        ([1, 2], [1.05, 2], {"atol": 0.1}, 1),
        ([NAN], [NAN], {}, 1),
        ([NAN], [NAN], {"equal_nan": False}, 0),
        ([NAN], [1], {}, 0),
        ([INF], [INF], {}, 1),
        ([INF], [-INF], {}, 0),
    ],
)
def test_answers(a, b, attributes, expected):
    for dtype in ("float16", "float32", "float64"):
        found = nd.contrib.allclose(
            nd.array(a, dtype=dtype), nd.array(b, dtype=dtype), **attributes
        )
        assert found.dtype is np.uint8 and found.shape == (1,)
        if dtype != "float16":
            assert found.asscalar() == expected


def test_shapes_must_be_equal():
    with pytest.raises(ShapeError, match=r"'a' has shape \(2,\) and 'b' \(2, 2\)"):
        nd.contrib.allclose(nd.ones(2), nd.ones((2, 2)))
