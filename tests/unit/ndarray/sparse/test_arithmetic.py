"""Storage types of results equal those of MXNet 1.9.1."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from opforge import nd
from opforge.base.errors import DTypeError, ShapeError

BOTH = ["elemwise_add", "elemwise_sub", "elemwise_mul", "sparse.add", "sparse.subtract"]
#: (left, right): the functions whose result is sparse, of the one sparse type of the two.
SPARSE = {
    ("csr", "csr"): {*BOTH, "sparse.multiply"},
    ("row_sparse", "row_sparse"): {*BOTH, "sparse.multiply", "add_n"},
    ("csr", "default"): {
        *("elemwise_mul", "broadcast_mul", "broadcast_div", "sparse.multiply", "sparse.divide"),
        *("multiply", "divide"),
    },
    ("default", "csr"): {"elemwise_mul", "sparse.multiply"},
    ("row_sparse", "default"): {"elemwise_mul", "sparse.multiply"},
    ("default", "row_sparse"): {"elemwise_mul", "sparse.multiply"},
    ("csr", "row_sparse"): set(),
    ("row_sparse", "csr"): set(),
}
FUNCTIONS = {
    np.add: ["elemwise_add", "broadcast_add", "sparse.add", "add", "add_n"],
    np.subtract: ["elemwise_sub", "broadcast_sub", "sparse.subtract", "subtract"],
    np.multiply: ["elemwise_mul", "broadcast_mul", "sparse.multiply", "multiply"],
    np.divide: ["elemwise_div", "broadcast_div", "sparse.divide", "divide"],
    np.maximum: ["broadcast_maximum", "maximum"],
}


def found(name):
    return getattr(nd.sparse if name.startswith("sparse.") else nd, name.removeprefix("sparse."))


@pytest.mark.parametrize("kinds", SPARSE, ids="-".join)
@pytest.mark.parametrize("reference", FUNCTIONS)
def test_values_and_storage_types(values, kinds, reference):
    other = np.roll(values, 1, axis=0) + np.float32(2) * (values != 0)
    left, right = nd.array(values).tostype(kinds[0]), nd.array(other).tostype(kinds[1])
    with np.errstate(all="ignore"):
        expected = reference(values, other)
        csr_divided = np.where(values == 0, 0, expected)
    for name in FUNCTIONS[reference]:
        result = found(name)(left, right)
        is_sparse = name in SPARSE[kinds]
        wanted = next(kind for kind in (*kinds, "default") if kind != "default" or not is_sparse)
        assert result.stype == (wanted if is_sparse else "default"), name
        # Elements that are not stored stay zero in a quotient, as in MXNet.
        wanted_values = csr_divided if is_sparse and reference is np.divide else expected
        np.testing.assert_allclose(result.asnumpy(), wanted_values, rtol=1e-6)


rows = st.lists(st.integers(0, 4), max_size=6)


@given(rows, rows)
def test_rows_in_any_order_that_meet(mine, others):
    left, right = (
        nd.sparse.row_sparse_array((np.arange(2.0 * len(at)).reshape(-1, 2), at), shape=(5, 2))
        for at in (mine, others)
    )
    expected = left.asnumpy(), right.asnumpy()
    total = left + right
    total.check_format()
    np.testing.assert_array_equal(total.asnumpy(), expected[0] + expected[1])
    np.testing.assert_array_equal((left * right).asnumpy(), expected[0] * expected[1])
    np.testing.assert_array_equal((left - right).asnumpy(), expected[0] - expected[1])


def test_a_csr_matrix_times_a_broadcastable_array(values):
    matrix = nd.array(values).tostype("csr")
    for shape in [(4, 1), (1, 3), (3,), (1,)]:
        factor = nd.arange(1, 1 + np.prod(shape)).reshape(shape)
        assert (matrix * factor).stype == (matrix / factor).stype == "csr"
        np.testing.assert_allclose((matrix * factor).asnumpy(), values * factor.asnumpy())
        np.testing.assert_allclose((matrix / factor).asnumpy(), values / factor.asnumpy())
    assert (nd.array(values[:1]).tostype("csr") * nd.ones((4, 3))).shape == (4, 3)


def test_mismatched_operands_are_named(make_sparse, stype):
    sparse = make_sparse()
    with pytest.raises(ShapeError, match="expected equal ones"):
        nd.elemwise_add(sparse, nd.zeros((3, 3), stype=stype))
    with pytest.raises(DTypeError, match="float32 and float64"):
        nd.elemwise_add(sparse, sparse.astype("float64"))
