import pytest

from opforge import autograd, nd, sym

A, B = nd.array([[1, -1], [2, -3]]), nd.array([[1, 4], [2, 5], [3, 6]])


def test_two_matrices():
    expected = [[1, -4], [2, -5], [3, -6], [2, -12], [4, -15], [6, -18]]
    assert nd.khatri_rao(A, B).asnumpy().tolist() == expected


def test_one_matrix():
    assert nd.khatri_rao(A).asnumpy().tolist() == A.asnumpy().tolist()


def test_gradient():
    a = nd.array([[1, 2]])
    a.attach_grad()
    with autograd.record():
        y = nd.khatri_rao(a, a)
    y.backward()
    assert a.grad.asnumpy().tolist() == [[2, 4]]


@pytest.mark.parametrize("other", [(1, 3), (2,)])
def test_misfits(other):
    with pytest.raises(ValueError, match="equal numbers of columns"):
        nd.khatri_rao(A, nd.ones(other))


def test_empty_matrices():
    assert nd.khatri_rao(nd.ones((0, 3)), nd.ones((4, 3))).shape == (0, 3)


def test_symbol():
    y = sym.khatri_rao(sym.var("a"), sym.var("b"), name="k")
    assert y.list_outputs() == ["k_output"]
    assert y.infer_shape(a=(2, 3), b=(4, 3))[1] == [(8, 3)]
