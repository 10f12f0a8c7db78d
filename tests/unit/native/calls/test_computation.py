"""`Computation`: requests, overlaps and wrong calls, through the simplest one."""

import copy
import pickle

import numpy as np
import pytest

from opforge import nd
from opforge.base.errors import OpforgeError
from opforge.native.calls.computation import Computation
from opforge.native.calls.computations import Reduce, Softmax, Unary
from opforge.native.calls.indexing_computations import Take
from opforge.native.calls.product_computations import Dense


def test_requests_write_add_and_leave_alone():
    x = nd.array([1.0, 2.0, 3.0])
    for req, expected in (
        ("write", [1, 4, 9]),
        ("inplace", [1, 4, 9]),
        ("add", [6, 9, 14]),
        ("null", [5, 5, 5]),
    ):
        y = nd.full((3,), 5)
        Unary("square")([x], [y], [req])
        assert y.asnumpy().tolist() == expected


def test_an_output_may_be_the_input_or_overlap_it():
    x = nd.array([1.0, 2.0, 3.0])
    Unary("square")([x], [x], ["inplace"])
    assert x.asnumpy().tolist() == [1, 4, 9]
    memory = nd.array([1.0, 2.0, 3.0, 4.0])
    Unary("square")([memory[0:3]], [memory[1:4]], ["write"])
    np.testing.assert_array_equal(memory.asnumpy(), [1, 1, 4, 9])


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
@pytest.mark.parametrize(
    ("made", "shapes"),
    [
        (Unary("square"), [(2, 3), (2, 3)]),
        (Softmax(axis=0, temperature=2.0), [(2, 3), (2, 3)]),
        (Reduce("sum", (1,)), [(2, 3), (2,)]),
        (Take(mode="wrap"), [(2, 3), (2,), (2, 3)]),
        (Dense(4, bias=False), [(2, 3), (4, 3), (2, 4)]),
    ],
    ids=repr,
)
def test_a_copy_does_the_same(made, shapes, copied):
    """Declarations keep what computes them, and are copied and pickled with it."""
    *arrays, want = (nd.random.uniform(1, 9, shape).round() for shape in shapes)
    have = nd.zeros(want.shape)
    made(arrays, [want], ["write"])
    other = copied(made)
    assert type(other) is type(made) and other is not made
    other(arrays, [have], ["write"])
    np.testing.assert_array_equal(have.asnumpy(), want.asnumpy())


def test_what_is_no_array_is_refused():
    with pytest.raises(TypeError, match="takes NDArrays, got list"):
        Unary("square")([[1.0]], [nd.zeros((1,))], ["write"])


def test_requests_must_be_as_many_as_outputs():
    with pytest.raises(OpforgeError, match="2 requests for 1 outputs"):
        Unary("square")([nd.zeros((1,))], [nd.zeros((1,))], ["write", "write"])


def test_the_base_class_computes_nothing():
    with pytest.raises(NotImplementedError, match="Computation does not say"):
        Computation()([nd.zeros((1,))], [nd.zeros((1,))], ["write"])
