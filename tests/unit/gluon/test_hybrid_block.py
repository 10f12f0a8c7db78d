import numpy as np
import pytest

import opforge as mx
from opforge import autograd, gluon, init, nd
from opforge.gluon import nn


def test_parameters_arrive_by_attribute_name(dense):
    layer = dense(2, in_units=3, init="ones")
    layer.initialize()
    assert layer(nd.ones((1, 3))).asnumpy().tolist() == [[3, 3]]
    with pytest.raises(NotImplementedError, match="must define hybrid_forward"):
        gluon.HybridBlock()(nd.ones((1,)))


def test_shapes_are_inferred_at_the_first_call(dense):
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(dense(4), dense(2))
    net.initialize(init.Xavier())
    assert net[0].weight.shape == (4, 0)
    with pytest.raises(gluon.DeferredInitializationError):
        net[0].weight.data()
    assert net(nd.ones((5, 3))).shape == (5, 2)
    assert [p.shape for p in net.collect_params().values()] == [(4, 3), (4,), (2, 4), (2,)]
    with pytest.raises(mx.MXNetError):
        net(nd.ones((5, 7)))


def test_deferred_parameters_get_gradients_at_once(dense):
    layer = dense(1, init="ones")
    layer.initialize()
    with autograd.record():
        loss = layer(nd.array([[1, 2]])).sum()
    loss.backward()
    assert layer.weight.grad().asnumpy().tolist() == [[1, 2]]
    assert layer.bias.grad().asnumpy().tolist() == [1]


def test_deferred_on_another_context(dense):
    layer = dense(1, init="ones")
    layer.initialize(ctx=mx.cpu(1))
    out = layer(nd.ones((1, 2), ctx=mx.cpu(1)))
    assert out.context == mx.cpu(1)
    assert layer.weight.list_ctx() == [mx.cpu(1)]


def test_each_context_uses_its_copy(dense):
    layer = dense(1, in_units=1, init="ones")
    contexts = [mx.cpu(0), mx.cpu(1)]
    layer.initialize(ctx=contexts)
    layer.weight.data(mx.cpu(1))[:] = 5
    assert [layer(nd.ones((1, 1), ctx=c)).asscalar() for c in contexts] == [1, 5]


def test_hybrid_forward_runs_in_the_inputs_context():
    seen = []

    class Watch(gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            seen.append((F, mx.current_context()))
            return x

    Watch()(nd.ones((1,), ctx=mx.cpu(1)))
    assert seen == [(nd, mx.cpu(1))]
    assert mx.current_context() == mx.cpu(0)


def test_nested_and_further_inputs():
    class Add(gluon.HybridBlock):
        def hybrid_forward(self, F, pair, z=None):
            total = pair[0] + pair[1]
            return total if z is None else total + z

    x = nd.ones((1,))
    assert Add()([x, x]).asscalar() == 2
    assert Add()([x, x], x).asscalar() == 3
    with pytest.raises(ValueError, match="requires NDArray inputs, but got list"):
        Add()([1, 2])


def test_infer_shape_of_ones_own():
    class Own(gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.w = self.params.get("w", shape=(0,), init="ones", allow_deferred_init=True)

        def infer_shape(self, x):
            self.w.shape = x.shape

        def hybrid_forward(self, F, x, w):
            return x * w.reshape((-1,))

    block = Own()
    block.initialize()
    assert block(nd.array([1, 2])).asnumpy().tolist() == [1, 2]


@pytest.mark.parametrize(
    "use", [lambda F, x, w: w * 2, lambda F, x, w: w.reshape((1,)), lambda F, x, w: F.square(w)]
)
def test_shapes_that_cannot_be_inferred(use):
    class Early(gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.w = self.params.get("w", shape=(0, 3), allow_deferred_init=True)

        def hybrid_forward(self, F, x, w):
            return use(F, x, w)

    block = Early()
    block.initialize()
    with pytest.raises(ValueError, match=r"cannot (be inferred|infer)"):
        block(nd.ones((1,)))


def test_errors_of_the_author_stay_as_they_are(dense):
    layer = dense(2)
    layer.initialize()
    with pytest.raises(TypeError, match="hybrid_forward"):
        layer(nd.ones((1, 3)), nd.ones((1,)), nd.ones((1,)), nd.ones((1,)))


def test_custom_operators_complete_parameters():
    class Dot(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            self.assign(out_data[0], req[0], nd.dot(in_data[0], in_data[1]))

    @mx.operator.register("test_gluon_dot")
    class DotProp(mx.operator.CustomOpProp):
        def list_arguments(self):
            return ["data", "weight"]

        def infer_shape(self, in_shape):
            (rows, inner), (_, columns) = in_shape
            return [[rows, inner], [inner, columns]], [[rows, columns]], []

        def create_operator(self, ctx, in_shapes, in_dtypes):
            return Dot()

    class Layer(gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.w = self.params.get("w", shape=(0, 2), init="ones", allow_deferred_init=True)

        def hybrid_forward(self, F, x, w):
            return F.Custom(x, w, op_type="test_gluon_dot")

    layer = Layer()
    layer.initialize()
    assert layer(nd.ones((1, 3))).asnumpy().tolist() == [[3, 3]]
    assert layer.w.shape == (3, 2)


def test_shape_is_readable_inside():
    class Seed(gluon.HybridBlock):
        def __init__(self, units, **kwargs):
            super().__init__(**kwargs)
            self.weights = self.params.get(
                "weights", shape=(units, 0), init="ones", allow_deferred_init=True
            )

        def hybrid_forward(self, F, x, weights):
            return F.FullyConnected(x, weights, num_hidden=self.weights.shape[0], no_bias=True)

    block = Seed(2)
    block.initialize()
    assert block(nd.ones((1, 3))).asnumpy().tolist() == [[3, 3]]


def test_children_must_be_hybrid(scale):
    net = nn.HybridSequential()
    with pytest.raises(ValueError, match="Children of HybridBlock must also be HybridBlock"):
        net.add(scale())


def test_hybridize_recurses_and_keeps_the_numbers(dense):
    net = nn.HybridSequential()
    net.add(dense(4), dense(2))
    net.initialize()
    x = nd.array(np.random.rand(3, 5))
    before = net(x).asnumpy()
    net.hybridize(static_alloc=True)
    assert net[1]._active
    assert net[1]._flags == {"static_alloc": True}
    assert (net(x).asnumpy() == before).all()
    net.hybridize(False)
    assert not net[0]._active


def test_uninitialised(dense):
    with pytest.raises(RuntimeError, match="has not been initialized"):
        dense(2, in_units=3)(nd.ones((1, 3)))


def test_hooks_run(dense):
    layer = dense(2)
    layer.initialize()
    seen = []
    layer.register_forward_hook(lambda b, x, y: seen.append(y.shape))
    layer(nd.ones((4, 3)))
    assert seen == [(4, 2)]


def test_recast_and_reinitialised_parameters_are_seen(dense):
    layer = dense(1, init="ones")
    layer.initialize()
    assert layer(nd.ones((1, 2))).asscalar() == 2
    layer.weight.set_data(nd.zeros((1, 2)))
    assert layer(nd.ones((1, 2))).asscalar() == 0
    layer.cast("float64")
    assert layer(nd.ones((1, 2), dtype="float64")).dtype is np.float64


def test_infer_shape_of_ones_own_is_asked_while_tracing():
    class Weighted(gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            self.weight = self.params.get("weight", shape=(0,), allow_deferred_init=True)

        def infer_shape(self, x):
            self.weight.shape = (x.shape[1],)

        def hybrid_forward(self, F, x, weight):
            return F.broadcast_mul(x, F.expand_dims(weight * 2, axis=0))

    block = Weighted()
    block.initialize(init="ones")
    block.hybridize()
    assert block(nd.ones((2, 3))).asnumpy().tolist() == [[2.0] * 3] * 2


class Typed(gluon.HybridBlock):
    def __init__(self, dtype=None, **kwargs):
        super().__init__(**kwargs)
        self.weight = self.params.get("weight", shape=(2,), dtype=dtype)

    def hybrid_forward(self, F, x, weight):
        return F.broadcast_add(x, weight)


def test_infer_type_follows_the_inputs():
    block = Typed(dtype="float32")
    with pytest.raises(mx.MXNetError, match="float32"):
        block.infer_type(nd.ones((1, 2), dtype="float64"))
    block.infer_type(nd.ones((1, 2)))
    assert np.dtype(block.weight.dtype) == np.float32


@pytest.mark.plugins
def test_an_array_of_numpys_is_not_printed():
    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.HybridLambda("relu"))
    with pytest.raises(ValueError, match=r"got ndarray of shape \(2, 3\); pass nd\.array\(x\)$"):
        net(np.ones((2, 3)))
