"""Shape changes: new memory, and rejected arguments."""

import pytest

from opforge import nd
from opforge.base.errors import ShapeError


def test_the_operator_copies_where_the_method_views():
    x = nd.zeros(4)
    nd.reshape(x, shape=(2, 2))[:] = 1
    assert x.asnumpy().tolist() == [0] * 4
    x.reshape((2, 2))[:] = 1
    assert x.asnumpy().tolist() == [1] * 4


def test_inplace_methods_view():
    x = nd.zeros((2, 1))
    for view in (x.expand_dims(0, inplace=True), x.flatten(inplace=True), x.squeeze(inplace=True)):
        view[:] = view + 1
    assert x.asnumpy().tolist() == [[3], [3]]
    x.expand_dims(0)[:] = 0
    assert x.asnumpy().tolist() == [[3], [3]]


def test_reshape_like_replaces_some_axes():
    x, like = nd.zeros((30, 7)), nd.zeros((15, 2, 4))
    have = nd.reshape_like(x, like, lhs_begin=0, lhs_end=1, rhs_begin=0, rhs_end=2)
    assert have.shape == (15, 2, 7)
    with pytest.raises(ShapeError, match="Cannot reshape lhs"):
        nd.reshape_like(x, like)


def test_squeeze():
    x = nd.zeros((1, 2, 1))
    assert nd.squeeze(x).shape == (2,) and nd.squeeze(x, axis=-1).shape == (1, 2)
    assert nd.squeeze(nd.zeros((1, 1))).shape == (1,)
    with pytest.raises(ShapeError, match=r"cannot squeeze axis 1 of shape \(1, 2, 1\)"):
        nd.squeeze(x, axis=1)


def test_expand_dims_out_of_range():
    with pytest.raises(ShapeError, match="axis 3 is out of bounds"):
        nd.expand_dims(nd.zeros((2, 2)), axis=3)


@pytest.mark.parametrize(
    "attributes, shape",
    [
        ({"target_shape": (2, 0)}, (2, 12)),
        ({"target_shape": (0, 12), "keep_highest": True}, (2, 12)),
        ({"target_shape": (2, 0), "shape": (4, 6)}, (4, 6)),
    ],
)
def test_target_shape_is_the_old_way(attributes, shape):
    assert nd.reshape(nd.ones((2, 3, 4)), **attributes).shape == shape


def test_identity_like_wants_equal_shapes():
    with pytest.raises(ShapeError, match=r"'lhs' has shape \(2,\) and 'rhs' \(3,\)"):
        nd._internal._identity_with_attr_like_rhs(nd.ones(2), nd.ones(3))
