import numpy as np
import pytest

import opforge as mx
from opforge import nd


@pytest.mark.parametrize(
    "options",
    [
        {"begin": (1,), "end": (3,)},
        {"begin": (0, 1), "end": (4, 3)},
        {"begin": (None, -2), "end": (None, None)},
        {"begin": (1, 0), "end": (2, 3)},
    ],
)
def test_parts(values, options):
    part = nd.slice(nd.array(values).tostype("csr"), **options)
    part.check_format()
    assert part.stype == "csr"
    np.testing.assert_array_equal(part.asnumpy(), nd.slice(nd.array(values), **options).asnumpy())


def test_parts_with_steps_are_dense(make_sparse, values):
    sparse = make_sparse()
    part = nd.slice(sparse, begin=(0,), end=(4,), step=(2,))
    assert part.stype == "default"
    np.testing.assert_array_equal(part.asnumpy(), values[::2])


@pytest.mark.parametrize("mode", ["clip", "wrap"])
def test_rows_by_number(values, mode):
    numbers = nd.array([3, 0, 9, 2, -1])
    taken = nd.take(nd.array(values).tostype("csr"), numbers, mode=mode)
    taken.check_format()
    expected = nd.take(nd.array(values), numbers, mode=mode)
    np.testing.assert_array_equal(taken.asnumpy(), expected.asnumpy())


def test_matrices_on_top_of_each_other(make_sparse, values, stype):
    sparse = make_sparse()
    whole = nd.concat(sparse, sparse, dim=0)
    assert whole.stype == ("csr" if stype == "csr" else "default")
    np.testing.assert_array_equal(whole.asnumpy(), np.concatenate([values, values]))
    assert nd.concat(sparse, sparse, dim=1).shape == (4, 6)


def test_rows_that_are_kept(values):
    x = nd.array(values).tostype("row_sparse")
    kept = nd.sparse.retain(x, nd.array([[3, 0], [1, 3]]))
    assert kept.indices.asnumpy().tolist() == [0, 3]
    with pytest.raises(mx.MXNetError, match="data is csr and indices default"):
        nd.sparse.retain(nd.array(values).tostype("csr"), nd.array([0]))
