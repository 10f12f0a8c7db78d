"""`Computation`: requests, overlapping memory and invalid calls."""

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


def test_each_request():
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


def test_output_may_be_the_input_or_overlap_it():
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
    ("computation", "shapes"),
    [
        (Unary("square"), [(2, 3), (2, 3)]),
        (Softmax(axis=0, temperature=2.0), [(2, 3), (2, 3)]),
        (Reduce("sum", (1,)), [(2, 3), (2,)]),
        (Take(mode="wrap"), [(2, 3), (2,), (2, 3)]),
        (Dense(4, bias=False), [(2, 3), (4, 3), (2, 4)]),
    ],
    ids=repr,
)
def test_copies_compute_the_same(computation, shapes, copied):
    """Declarations hold their computations and are copied and pickled with them."""
    *arrays, want = (nd.random.uniform(1, 9, shape).round() for shape in shapes)
    have = nd.zeros(want.shape)
    computation(arrays, [want], ["write"])
    other = copied(computation)
    assert type(other) is type(computation) and other is not computation
    other(arrays, [have], ["write"])
    np.testing.assert_array_equal(have.asnumpy(), want.asnumpy())


def test_inputs_must_be_arrays():
    with pytest.raises(TypeError, match="takes NDArrays, got list"):
        Unary("square")([[1.0]], [nd.zeros((1,))], ["write"])


def test_there_must_be_one_request_per_output():
    with pytest.raises(OpforgeError, match="2 requests for 1 outputs"):
        Unary("square")([nd.zeros((1,))], [nd.zeros((1,))], ["write", "write"])


def test_the_base_class_is_abstract():
    with pytest.raises(NotImplementedError, match="Computation does not implement run"):
        Computation()([nd.zeros((1,))], [nd.zeros((1,))], ["write"])
