import numpy as np
import pytest

import opforge as mx
from opforge import sym
from opforge.base.errors import DTypeError, OpforgeError, ShapeError


@pytest.fixture
def net():
    layer = sym.FullyConnected(sym.var("data"), num_hidden=3, name="fc")
    return sym.BatchNorm(layer, name="bn")


@pytest.mark.plugins
def test_shapes_by_name_and_by_position(net):
    expected = (
        [(2, 5), (3, 5), (3,), (3,), (3,)],
        [(2, 3)],
        [(3,), (3,)],
    )
    assert net.infer_shape(data=(2, 5)) == expected
    assert net.infer_shape((2, 5)) == expected
    assert net.infer_shape(data=[2, 5]) == expected


@pytest.mark.plugins
def test_undetermined_shapes_are_none_with_a_warning(net):
    message = (
        r"Cannot decide shape for the following arguments \(0s in shape.*\n\tdata: \(\)\n\tfc_"
    )
    with pytest.warns(UserWarning, match=message):
        assert net.infer_shape() == (None, None, None)
    with pytest.warns(UserWarning, match=r"data: \(0, 5\)"):
        assert net.infer_shape(data=(0, 5)) == (None, None, None)
    with pytest.warns(UserWarning, match=r"Cannot decide type.*\n\tdata: None"):
        assert net.infer_type() == (None, None, None)


@pytest.mark.plugins
def test_partial_inference_returns_known_dimensions(net):
    args, outs, states = net.infer_shape_partial(data=(0, 5))
    assert args == [(0, 5), (3, 5), (3,), (3,), (3,)]
    assert (outs, states) == ([(0, 3)], [(3,), (3,)])
    assert net.infer_shape_partial() == ([()] * 5, [()], [()] * 2)
    assert net.infer_shape_partial(data=(-1, 5))[0][0] == (0, 5)
    assert net.infer_type_partial() == ([None] * 5, [None], [None] * 2)


@pytest.mark.plugins
def test_types(net):
    args, outs, states = net.infer_type(data="float16")
    # Statistics of float16 data are float32, as are all of a batch norm's values per channel.
    assert (args, outs) == ([np.float16] * 3 + [np.float32] * 2, [np.float16])
    assert states == [np.float32] * 2
    assert net.infer_type(np.float64)[1] == [np.float64]
    embedded = sym.Embedding(sym.var("i"), input_dim=3, output_dim=2)
    assert embedded.infer_type(i="int32") == ([np.int32, np.float32], [np.float32], [])


@pytest.mark.plugins
def test_names_and_values_that_do_not_fit(net):
    with pytest.raises(OpforgeError, match="the graph has no argument 'foo'; its arguments are da"):
        net.infer_shape(foo=(2,))
    with pytest.raises(ValueError, match="either by positional or kwargs"):
        net.infer_shape((2, 3), data=(2, 3))
    with pytest.raises(TypeError, match=r"'?data'? is <class 'int'>"):
        net.infer_shape(data=3)
    with pytest.raises(ValueError, match="infer_shape got 6 values for 5 arguments"):
        net.infer_shape(*[(1,)] * 6)
    with pytest.raises(DTypeError):
        net.infer_type(data="strange")


@pytest.mark.plugins
def test_errors_name_the_node_and_both_shapes(net):
    with pytest.raises(ShapeError, match=r"node 'fc' \(FullyConnected\).*\(7, 5\).*\(3, 5\)"):
        net.infer_shape(data=(2, 5), fc_weight=(7, 5))
    total = sym.elemwise_add(sym.var("a"), sym.var("b"), name="total")
    with pytest.raises(ShapeError, match=r"node 'total' \(elemwise_add\).*\(2, 3\).*\(3, 2\)"):
        total.infer_shape(a=(2, 3), b=(3, 2))
    with pytest.raises(DTypeError, match="node 'total'"):
        total.infer_type(a="float32", b="float16")


def test_a_contradiction_is_an_error_also_where_other_shapes_are_open():
    layer = sym.FullyConnected(sym.var("a"), num_hidden=3, name="f")
    both = sym.Group([layer, sym.exp(sym.var("open"))])
    with pytest.raises(ShapeError, match="node 'f'"):
        both.infer_shape(a=(2, 5), f_weight=(3, 4))


def test_two_variables_of_one_name_get_one_shape():
    total = sym.var("x") + sym.exp(sym.var("x"))
    assert total.infer_shape(x=(2, 3))[1] == [(2, 3)]


# -- given shapes, and shapes inferred from others -------------------------------------------------


def test_given_shapes_override_those_of_variables():
    x = sym.var("x", shape=(2, 3))
    assert (x * 2).infer_shape(x=(4, 5)) == ([(4, 5)], [(4, 5)], [])
    assert (x * 2).infer_shape_partial(x=(4, 0))[0] == [(4, 0)]
    fc = sym.FullyConnected(sym.var("x"), weight=sym.var("w", shape=(4, 9)), num_hidden=4)
    assert fc.infer_shape(x=(2, 5), w=(4, 5))[1] == [(2, 4)]
    executor = (x * 2).simple_bind(mx.cpu(), x=(4, 5))
    assert executor.arg_dict["x"].shape == (4, 5)


def test_given_types_override_those_of_variables():
    x, w = sym.var("x"), sym.var("w", dtype="float32")
    fc = sym.FullyConnected(x, w, num_hidden=2, no_bias=True)
    assert fc.infer_type(x="float64", w="float64")[:2] == ([np.float64] * 2, [np.float64])
    executor = fc.simple_bind(mx.cpu(), type_dict={"x": "float64", "w": "float64"}, x=(1, 3))
    assert executor.arg_dict["w"].dtype == np.float64
    assert executor.forward()[0].dtype == np.float64
    executor = fc.bind(mx.cpu(), [mx.nd.ones((2, 3), dtype="float64") for _ in range(2)])
    assert executor.forward()[0].asnumpy().tolist() == [[3, 3]] * 2
    with pytest.raises(DTypeError, match="fullyconnected"):
        fc.infer_type(x="float64")


def test_parts_determine_the_shape_of_the_split_input():
    a = sym.var("a", shape=(0, 10))
    parts = sym.SliceChannel(a, num_outputs=10, axis=1, squeeze_axis=True)
    assert (parts[1] + sym.var("c", shape=(5,))).infer_shape()[0] == [(5, 10), (5,)]
    a = sym.var("a", shape=(0, 15, 0))
    parts = sym.SliceChannel(a, num_outputs=3, axis=1)
    assert (parts[2] + sym.var("c", shape=(3, 5, 2))).infer_shape()[0] == [(3, 15, 2), (3, 5, 2)]


def test_a_slice_of_an_unknown_dimension_is_unknown():
    x = sym.var("x")
    assert sym.slice(x, begin=(0,), end=(2,)).infer_shape_partial(x=(0, 4))[1] == [(0, 4)]
    part = sym.slice(x, begin=(2, 3), end=(None, 10))
    assert part.infer_shape_partial(x=(0, 10))[1] == [(0, 7)]
    part = sym.slice_axis(x, axis=1, begin=0, end=5)
    assert part.infer_shape_partial(x=(10, 0))[1] == [(10, 0)]


@pytest.mark.parametrize(
    "made", [lambda: sym.zeros((0, 0)), lambda: sym.ones([-1, -1]) - 1, lambda: sym.zeros((0, 3))]
)
def test_zeros_and_ones_get_their_shape_from_others(made):
    assert (sym.ones((2, 3)) + made()).infer_shape() == ([], [(2, 3)], [])
    assert (sym.ones((2, 3)) + made()).bind(mx.cpu(), {}).forward()[0].shape == (2, 3)
    total = made() + sym.var("x")
    assert total.infer_shape(x=(2, 3)) == ([(2, 3)], [(2, 3)], [])
    executor = total.simple_bind(mx.cpu(), x=(2, 3))
    executor.arg_dict["x"][:] = 5
    assert executor.forward()[0].asnumpy().tolist() == [[5] * 3] * 2
