"""CrossEntropy and its gradient: threads, requests, refusals; opforge-softmax tests the numbers."""

import numpy as np
import pytest

from opforge import nd
from opforge.base.errors import DTypeError, OpforgeError, ShapeError
from opforge.engine import num_threads, set_num_threads
from opforge.native.cross_entropy import CrossEntropy, CrossEntropyGrad


def rows():
    x = nd.array(np.random.randn(4001, 37))
    return x, nd.array(np.random.randint(0, 37, 4001)), nd.array(np.random.randn(4001))


def losses(x, label):
    out = nd.zeros(label.shape)
    CrossEntropy()([x, label], [out], ["write"])
    return out.asnumpy()


def gradient(head, x, label, req="write"):
    out = nd.ones(x.shape)
    CrossEntropyGrad()([head, x, label], [out], [req])
    return out.asnumpy()


def test_results_do_not_depend_on_the_number_of_threads():
    x, label, head = rows()
    before = num_threads()
    try:
        results = []
        for count in (1, 2, 5):
            set_num_threads(count)
            results.append((losses(x, label), gradient(head, x, label)))
    finally:
        set_num_threads(before)
    for other in results[1:]:
        np.testing.assert_array_equal(other[0], results[0][0])
        np.testing.assert_array_equal(other[1], results[0][1])


def test_a_gradient_may_be_added():
    x, label, head = rows()
    np.testing.assert_allclose(
        gradient(head, x, label, "add"), 1 + gradient(head, x, label), rtol=1e-6
    )


def test_the_gradient_of_a_row_sums_to_zero():
    x, label, head = rows()
    np.testing.assert_allclose(gradient(head, x, label).sum(axis=1), 0, atol=1e-5)


def test_what_does_not_fit_is_refused():
    x, label, head = rows()
    with pytest.raises(ShapeError, match="do not fit"):
        losses(x, nd.zeros((3,)))
    with pytest.raises(ShapeError, match="do not fit"):
        gradient(nd.zeros((3,)), x, label)
    with pytest.raises(ShapeError, match="have no classes"):
        losses(nd.zeros((3, 0)), nd.zeros((0,)))
    with pytest.raises(DTypeError, match="data has dtype int32"):
        losses(x.astype("int32"), label)
    with pytest.raises(DTypeError, match="losses have dtype float64"):
        gradient(head.astype("float64"), x, label)
    with pytest.raises(OpforgeError, match="takes 2 inputs"):
        CrossEntropy()([x], [head], ["write"])
