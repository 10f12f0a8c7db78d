import numpy as np
import pytest

from opforge import autograd, nd, sym


def counted(*args, **kwargs):
    return [array.asnumpy().tolist() for array in nd.histogram(*args, **kwargs)]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int8"])
def test_edges_have_the_type_of_the_data(dtype):
    counts, edges = nd.histogram(nd.array([1, 2, 2, 4], dtype=dtype), bins=3, range=(1, 4))
    assert (counts.dtype, edges.dtype) == (np.int64, np.dtype(dtype))
    assert counts.asnumpy().tolist() == [1, 2, 1]
    assert edges.asnumpy().tolist() == [1, 2, 3, 4]


def test_counts_are_floats_without_a_range():
    counts, edges = nd.histogram(nd.array([1, 2, 2, 4]))
    assert (counts.dtype, edges.dtype) == (np.float32, np.float32)
    assert counts.asnumpy().tolist() == [1, 0, 0, 2, 0, 0, 0, 0, 0, 1]
    assert edges.asnumpy()[3] == np.float32(1.9)


def test_elements_outside_of_the_edges_are_not_counted():
    x = nd.array([1, np.nan, 2, np.inf, -np.inf])
    assert counted(x, bins=2, range=(0, 4))[0] == [1, 1]
    assert counted(x, bins=nd.array([0, 2, 4]))[0] == [1, 1]
    assert counted(nd.zeros((0,)), bins=2, range=(0, 4))[0] == [0, 0]


def test_the_last_interval_contains_its_right_edge():
    assert counted(nd.array([1, 2, 2, 3]), bins=nd.array([0, 2, 3]))[0] == [1, 3]


def test_a_range_of_one_value_is_widened():
    assert counted(nd.array([1, 2]), bins=2, range=(1, 1)) == [[0, 1], [0.5, 1, 1.5]]


def test_edges_that_are_not_sorted():
    assert counted(nd.array([1, 2, 2, 3]), bins=nd.array([0, 3, 2])) == [[3, 0], [0, 3, 2]]


@pytest.mark.parametrize(
    ("attributes", "match"),
    [
        ({"bins": 2, "range": (3, 1)}, "ascending"),
        ({"bins": 0, "range": (0, 1)}, "bin_cnt"),
        ({"bins": [0, 1]}, "array of edges"),
        ({"bins": nd.array([1])}, "at least 2"),
        ({"bins": nd.array([[1, 2]])}, "at least 2"),
    ],
)
def test_misfits(attributes, match):
    with pytest.raises(ValueError, match=match):
        nd.histogram(nd.array([1, 2]), **attributes)


def test_symbols():
    counts = sym.histogram(sym.var("a"), bins=3, range=(0, 2), name="h")
    assert counts.list_outputs() == ["h_output0", "h_output1"]
    assert counts.infer_shape(a=(4,))[1] == [(3,), (4,)]
    counts = sym.histogram(sym.var("a"), bins=sym.var("b"))
    assert counts.infer_shape(a=(4,), b=(3,))[1] == [(2,), (3,)]
    with pytest.raises(ValueError, match="range is None"):
        sym.histogram(sym.var("a"), bins=3)


def test_moments_of_all_elements_and_their_gradient():
    x = nd.array([1, 2, 4])
    x.attach_grad()
    with autograd.record():
        mean, var = nd.moments(x, axes=(0,))
        y = mean * 2 + var * 3
    y.backward()
    assert (mean.shape, var.shape) == ((1,), (1,))
    np.testing.assert_allclose(x.grad.asnumpy(), [-2, 0, 4], atol=1e-6)


@pytest.mark.parametrize("attributes", [{}, {"axes": ()}])
def test_moments_need_axes(attributes):
    with pytest.raises(ValueError, match="axes"):
        nd.moments(nd.ones((2, 3)), **attributes)


@pytest.mark.parametrize(("axes", "match"), [((2,), "out of range"), ((0, -2), "twice")])
def test_axes_of_moments(axes, match):
    with pytest.raises(ValueError, match=match):
        nd.moments(nd.ones((2, 3)), axes=axes)
