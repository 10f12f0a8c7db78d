import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import opforge as mx
from opforge import autograd, nd, sym
from opforge.base.errors import AttributeValueError, DTypeError, ShapeError

#: Subscripts and shapes: diagonals, traces, outer products, batches, ellipses, lengths of 1.
CASES = [
    ("ii", [(3, 3)]),
    ("iii->i", [(3, 3, 3)]),
    ("ba", [(2, 3)]),
    ("ij->", [(2, 3)]),
    ("i...->...", [(2, 3, 4)]),
    ("i,i", [(3,), (3,)]),
    ("i , j -> i j", [(2,), (3,)]),
    ("ij,jk", [(2, 3), (3, 4)]),
    ("ij,jk->ik", [(2, 1), (3, 4)]),
    ("ij,ij->i", [(2, 3), (1, 3)]),
    ("bij,bkj->bik", [(2, 3, 4), (2, 5, 4)]),
    ("bhqd,bhkd->bhqk", [(2, 3, 4, 5), (2, 3, 6, 5)]),
    ("ijk,jil->kl", [(2, 3, 4), (3, 2, 5)]),
    ("iij,jkk->ik", [(3, 3, 4), (4, 2, 2)]),
    ("...,...", [(2, 3), (3,)]),
    ("...ij,...jk->...ik", [(5, 1, 3, 4), (2, 4, 5)]),
    ("...i,ij->j...", [(2, 3, 4), (4, 5)]),
    ("ij,jk,kl->il", [(2, 3), (3, 4), (4, 5)]),
    ("a,b,c->abc", [(2,), (3,), (4,)]),
    ("ab,cb,db->acd", [(2, 3), (4, 3), (5, 3)]),
]


def drawn(shapes):
    rng = np.random.default_rng(5)
    return [rng.standard_normal(shape) for shape in shapes]


def gradients(subscripts, values, dy):
    """Return the gradients: einsum is linear in each operand."""
    found = []
    for at, value in enumerate(values):
        grad = np.zeros_like(value)
        for index in np.ndindex(value.shape):
            unit = np.zeros_like(value)
            unit[index] = 1
            result = np.einsum(subscripts, *values[:at], unit, *values[at + 1 :])
            grad[index] = (result.reshape(dy.shape) * dy).sum()
        found.append(grad)
    return found


@pytest.mark.parametrize("optimize", [False, True])
@pytest.mark.parametrize(("subscripts", "shapes"), CASES)
def test_results_and_gradients_are_numpys(subscripts, shapes, optimize):
    values = drawn(shapes)
    want = np.atleast_1d(np.einsum(subscripts, *values))
    arrays = [nd.array(value, dtype="float64") for value in values]
    for array in arrays:
        array.attach_grad()
    with autograd.record():
        result = nd.einsum(subscripts, *arrays, optimize=optimize)
    assert result.shape == want.shape
    np.testing.assert_allclose(result.asnumpy(), want, atol=1e-12)
    (dy,) = drawn([want.shape])
    result.backward(nd.array(dy, dtype="float64"))
    for array, grad in zip(arrays, gradients(subscripts, values, dy), strict=True):
        np.testing.assert_allclose(array.grad.asnumpy(), grad, atol=1e-12)
    names = [f"x{at}" for at in range(len(arrays))]
    graph = sym.einsum(subscripts, *map(sym.var, names), optimize=optimize)
    executor = graph.bind(mx.cpu(), dict(zip(names, arrays, strict=True)))
    np.testing.assert_allclose(executor.forward()[0].asnumpy(), want, atol=1e-12)


@given(st.data())
def test_random_subscripts(data):
    lengths = {label: data.draw(st.integers(1, 3), label) for label in "abcd"}
    words = st.text("abcd", min_size=1, max_size=4)
    terms = data.draw(st.lists(words, min_size=1, max_size=4), "operands")
    known = sorted(set("".join(terms)))
    output = "".join(data.draw(st.permutations(known), "order"))
    output = output[: data.draw(st.integers(0, len(output)), "kept")]
    subscripts = ",".join(terms) + "->" + output
    values = drawn([[lengths[label] for label in term] for term in terms])
    want = np.atleast_1d(np.einsum(subscripts, *values))
    arrays = [nd.array(value, dtype="float64") for value in values]
    for optimize in (False, True):
        result = nd.einsum(subscripts, *arrays, optimize=optimize)
        assert result.shape == want.shape
        np.testing.assert_allclose(result.asnumpy(), want, atol=1e-10)


def test_operands_without_elements_give_zeros():
    a, b = nd.ones((2, 3))[:, 3:], nd.ones((3, 4))[3:]
    a.attach_grad()
    with autograd.record():
        result = nd.einsum("ij,jk->ik", a, b)
    result.backward()
    assert result.asnumpy().tolist() == [[0] * 4] * 2
    assert a.grad.shape == (2, 0)


def test_out_takes_the_result():
    out = nd.zeros((2, 2))
    assert nd.einsum("ij,kj->ik", nd.ones((2, 3)), nd.ones((2, 3)), out=out) is out
    assert out.asnumpy().tolist() == [[3, 3], [3, 3]]


def test_whole_numbers_stay_whole():
    x = nd.array([[1, 2], [3, 4]], dtype="int64")
    result = nd.einsum("ij,jk->ik", x, x)
    assert result.dtype == np.int64
    assert result.asnumpy().tolist() == [[7, 10], [15, 22]]


@pytest.mark.parametrize(
    ("subscripts", "shapes", "error", "words"),
    [
        ("ij,jk->ik", [(2, 3)], AttributeValueError, "names 2 operands, got 1"),
        ("ij->ik", [(2, 3)], AttributeValueError, "'k' in the result, but in no operand"),
        ("ij->ii", [(2, 3)], AttributeValueError, "'i' of the result twice"),
        ("i1", [(2, 3)], AttributeValueError, "has 'i1', expected letters"),
        ("i....", [(2, 3)], AttributeValueError, "expected letters and one '...'"),
        ("ij->ji->ij", [(2, 3)], AttributeValueError, "expected letters"),
        ("ijk", [(2, 3)], ShapeError, "'ijk' of operand 0 name 3 axes, its shape .2, 3. has 2"),
        ("i", [(2, 3)], ShapeError, "name 1 axes"),
        ("ij,jk", [(2, 3), (4, 5)], ShapeError, "axes 'j' have 3 and 4 elements"),
        ("ii->i", [(3, 1)], ShapeError, "axes 'i' have 3 and 1 elements"),
        ("...,...", [(2,), (3,)], ShapeError, "axes '...' have 2 and 3 elements"),
    ],
)
def test_wrong_subscripts(subscripts, shapes, error, words):
    with pytest.raises(error, match=words):
        nd.einsum(subscripts, *map(nd.zeros, shapes))


def test_truth_values_are_rejected():
    with pytest.raises(DTypeError, match="has dtype bool; expected float32"):
        nd.einsum("i->", nd.array([1, 0], dtype="bool"))
