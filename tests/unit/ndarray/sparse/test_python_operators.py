import operator

import numpy as np
import pytest

from opforge import nd

ARITHMETIC = [operator.add, operator.sub, operator.mul, operator.truediv]
COMPARISONS = [operator.eq, operator.ne, operator.gt, operator.ge, operator.lt, operator.le]


@pytest.mark.parametrize("function", [*ARITHMETIC, *COMPARISONS, operator.pow, operator.mod])
@pytest.mark.parametrize("other", [0, 1, -0.5, "dense", "same", "row"])
def test_they_agree_with_those_of_dense_arrays(make_sparse, values, stype, function, other):
    sparse, dense = make_sparse(), nd.array(values)
    theirs = {"dense": dense + 1, "same": dense, "row": dense[2:3]}.get(other, other)
    ours = dense.tostype(stype) if other == "same" else theirs
    expected = function(dense, theirs).asnumpy()
    if function is operator.truediv and stype == "csr" and other in ("dense", "row"):
        expected[values == 0] = 0  # elements that are not stored stay zero, as in MXNet
    np.testing.assert_allclose(function(sparse, ours).asnumpy(), expected, rtol=1e-6)
    mirrored = function(theirs, dense).asnumpy()
    np.testing.assert_allclose(function(ours, sparse).asnumpy(), mirrored, rtol=1e-6)


@pytest.mark.parametrize("function", [operator.iadd, operator.isub, operator.imul])
def test_in_place_they_keep_the_array(make_sparse, values, stype, function):
    sparse = make_sparse()
    before = sparse
    sparse = function(sparse, nd.array(values).tostype(stype))
    assert sparse is before and sparse.stype == stype
    np.testing.assert_allclose(sparse.asnumpy(), function(values.copy(), values))
    sparse /= 2
    assert sparse is before


def test_unary_ones_and_none(make_sparse, values, stype):
    sparse = make_sparse()
    assert (-sparse).stype == abs(sparse).stype == stype
    np.testing.assert_array_equal((-sparse).asnumpy(), -values)
    assert (sparse == None) is False and (sparse != None) is True  # noqa: E711
