import numpy as np
import pytest

from opforge import autograd, gluon, nd, sym

X = nd.array(np.arange(12).reshape(4, 3))


def shapes(parts):
    return [part.shape for part in parts]


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (2, [(2, 3), (2, 3)]),
        ((1, 3), [(1, 3), (2, 3), (1, 3)]),
        ((2, 2), [(2, 3), (0, 3), (2, 3)]),
        ((0,), [(0, 3), (4, 3)]),
        ((4,), [(4, 3), (0, 3)]),
    ],
)
def test_parts(where, expected):
    parts = nd.split_v2(X, where)
    assert shapes(parts) == expected
    assert np.concatenate([p.asnumpy() for p in parts]).tolist() == X.asnumpy().tolist()
    assert shapes(X.split_v2(where)) == expected


@pytest.mark.parametrize("where", [(), 1])
def test_one_part_is_a_single_array(where):
    assert nd.split_v2(X, where).shape == (4, 3)


def test_squeezed_parts_of_a_vector_keep_the_axis():
    assert shapes(nd.split_v2(nd.array([1, 2]), 2, squeeze_axis=True)) == [(1,), (1,)]
    assert shapes(nd.split_v2(X, 3, axis=-1, squeeze_axis=True)) == [(4,)] * 3


def test_the_operator_needs_the_first_index():
    with pytest.raises(ValueError, match="begin with 0"):
        nd._internal._split_v2(X, indices=(1, 2), axis=0)


def test_sections_of_the_operator_may_differ_in_length():
    parts = nd._internal._split_v2(X, indices=(), axis=0, sections=3)
    assert shapes(parts) == [(2, 3), (1, 3), (1, 3)]


@pytest.mark.parametrize(
    ("where", "match"),
    [
        ([1, 3], "positive integer or a tuple"),
        (0, "positive integer or a tuple"),
        (3, "equal parts"),
        ((3, 1), "ascending"),
        ((-1,), "ascending"),
        ((1, 7), "at most 4"),
    ],
)
def test_misfits(where, match):
    with pytest.raises(ValueError, match=match):
        nd.split_v2(X, where)


def test_squeezing_longer_parts():
    with pytest.raises(ValueError, match="requires length 1"):
        nd.split_v2(X, 2, squeeze_axis=True)


def test_gradient_of_one_part():
    x = X.copy()
    x.attach_grad()
    with autograd.record():
        y = nd.split_v2(x, (1, 3))[1] * 2
    y.backward()
    assert x.grad.asnumpy()[:, 0].tolist() == [0, 2, 2, 0]


def test_symbol():
    parts = sym.split_v2(sym.var("a"), 3)
    assert len(parts.list_outputs()) == 3
    assert parts.infer_shape(a=(4, 3))[1] == [(2, 3), (1, 3), (1, 3)]
    assert sym.var("a").split_v2((1,)).infer_shape(a=(4, 3))[1] == [(1, 3), (3, 3)]


def test_hybridized():
    class Last(gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            return F.split_v2(x, (1,), axis=1)[1]

    block = Last()
    block.hybridize()
    assert block(X).asnumpy().tolist() == X.asnumpy()[:, 1:].tolist()
