import numpy as np
import pytest

from opforge import autograd, cpu, gluon, nd, sym
from opforge.base.errors import ShapeError
from opforge.testing import check_gradients, check_requests

RNG = np.random.default_rng(0)


def reference(x, gamma, beta, axis=1, eps=1e-3, statistics=None):
    axes = tuple(a for a in range(x.ndim) if a != axis % x.ndim)
    shape = [1] * x.ndim
    shape[axis] = -1
    mean, var = statistics or (x.mean(axes), x.var(axes))
    normal = (x - mean.reshape(shape)) / np.sqrt(var.reshape(shape) + eps)
    return normal * gamma.reshape(shape) + beta.reshape(shape)


def case(shape, axis=1):
    channels = shape[axis]
    return [RNG.standard_normal(shape), *RNG.standard_normal((2, channels))]


def states(channels, dtype="float64"):
    return nd.zeros((channels,), dtype=dtype), nd.ones((channels,), dtype=dtype)


def test_data_of_float16_has_statistics_of_float32():
    x = np.float16(RNG.standard_normal((8, 3, 5)) * 400)  # squares leave the range
    gamma, beta = np.float32(RNG.uniform(0.5, 1, (2, 3)))
    arrays = [nd.array(x, dtype="float16"), nd.array(gamma), nd.array(beta)]
    mean, var = states(3, "float32")
    for array in arrays:
        array.attach_grad()
    with autograd.record():
        y = nd.BatchNorm(*arrays, mean, var, fix_gamma=False, momentum=0)
    y.backward(y)
    assert [a.grad.dtype for a in arrays] == [np.float16, np.float32, np.float32]
    assert mean.dtype == np.float32 and y.dtype == np.float16
    want = reference(np.float64(x), gamma, beta)
    np.testing.assert_allclose(y.asnumpy(), want, rtol=2e-3, atol=2e-3)
    np.testing.assert_allclose(var.asnumpy(), np.var(np.float64(x), (0, 2)), rtol=1e-4)
    np.testing.assert_allclose(arrays[2].grad.asnumpy(), want.sum((0, 2)), rtol=1e-2, atol=0.1)


@pytest.mark.parametrize("name", ["BatchNorm", "BatchNorm_v1", "SyncBatchNorm"])
def test_types_of_parameters_for_float16_data(name):
    operator = getattr(sym.contrib if name == "SyncBatchNorm" else sym, name)
    options = {"key": "k"} if name == "SyncBatchNorm" else {}
    graph = operator(sym.var("x"), name="bn", output_mean_var=True, **options)
    inputs, outputs, averages = graph.infer_type(x="float16")
    assert inputs == [np.float16, np.float32, np.float32]
    assert outputs == [np.float16, np.float32, np.float32] and averages == [np.float32] * 2


@pytest.mark.parametrize("active", [False, True])
def test_a_layer_cast_to_float16_keeps_float32_parameters(active):
    layer = gluon.nn.BatchNorm()
    layer.initialize()
    layer.cast("float16")
    layer.hybridize(active)
    with autograd.record():
        y = layer(nd.ones((3, 2), dtype="float16"))
    y.backward()
    assert y.dtype == np.float16
    assert {p.data().dtype for p in layer.collect_params().values()} == {np.float32}
    layer.cast("float64")
    assert {p.data().dtype for p in layer.collect_params().values()} == {np.float64}


@pytest.mark.parametrize(
    ("shape", "axis"), [((4, 3), 1), ((4, 3, 5), 1), ((2, 3, 4, 5), -1), ((6, 2), 0)]
)
def test_training_uses_the_batch(shape, axis):
    x, gamma, beta = case(shape, axis)
    mean, var = states(shape[axis])
    arrays = [nd.array(a, dtype="float64") for a in (x, gamma, beta)]
    with autograd.train_mode():
        y = nd.BatchNorm(*arrays, mean, var, axis=axis, fix_gamma=False)
    np.testing.assert_allclose(y.asnumpy(), reference(x, gamma, beta, axis), rtol=1e-9, atol=1e-12)

    def function(*a):
        with autograd.train_mode():
            return nd.BatchNorm(*a, *states(shape[axis]), axis=axis, fix_gamma=False)

    check_gradients(function, [x, gamma, beta], rtol=1e-4, atol=1e-6)
    check_requests(function, [x, gamma, beta], rtol=1e-9)


@pytest.mark.parametrize("is_train", [False, True])
def test_a_fixed_gamma_is_left_unchanged(is_train):
    """MXNet writes ones into it."""
    gamma = nd.array([5.0])
    with autograd.record(train_mode=is_train):
        y = nd.BatchNorm(nd.array([[1], [3]]), gamma, nd.zeros(1), nd.array([2.0]), nd.ones(1))
    np.testing.assert_allclose(y.asnumpy(), [[-1], [1]], rtol=1e-3)
    assert gamma.asscalar() == 5


@pytest.mark.parametrize("fix_gamma", [False, True])
def test_a_variance_out_of_range(fix_gamma):
    x, head = np.array([1.49e38, 9.0e37, -1.31e38, 3.05e38]), np.array([1.0, -2.0, 3.0, 0.5])
    found = []
    for dtype, unit in (("float32", 1), ("float64", 1e38)):
        arrays = [nd.array(a, dtype=dtype) for a in (x[:, None] / unit, [2.0], [1.0])]
        for array in arrays:
            array.attach_grad()
        with autograd.record():
            y = nd.BatchNorm(*arrays, *states(1, dtype), fix_gamma=fix_gamma, eps=1e-30)
        y.backward(nd.array(head[:, None], dtype=dtype))
        found.append([y.asnumpy(), *(a.grad.asnumpy() for a in arrays[1:])])
    for large, small in zip(*found, strict=True):
        np.testing.assert_allclose(large, small, rtol=1e-5)


def blocked(x, lanes):
    """Block the channels, with the channels of a block on the last axis."""
    parts = x.reshape(x.shape[0], -1, lanes, *x.shape[2:])
    return np.ascontiguousarray(np.moveaxis(parts, 2, -1))


@pytest.mark.parametrize("is_train", [True, False])
@pytest.mark.parametrize("fix_gamma", [True, False])
def test_blocked_data_give_blocked_results(is_train, fix_gamma):
    x, gamma, beta = case((2, 8, 3, 5))
    found = []
    for divide in (lambda a: a, lambda a: blocked(a, 4)):
        data, *parameters = (nd.array(a, dtype="float64") for a in (divide(x), gamma, beta))
        aux = states(8)
        for array in (data, *parameters):
            array.attach_grad()
        with autograd.record(train_mode=is_train):
            y = nd.BatchNorm(data, *parameters, *aux, fix_gamma=fix_gamma, blocked=data.ndim == 5)
        y.backward(nd.array(divide(np.cos(x)), dtype="float64"))
        grads = [array.grad.asnumpy() for array in parameters]
        found.append([y.asnumpy(), data.grad.asnumpy(), *grads, *(a.asnumpy() for a in aux)])
    for at, (plain, divided) in enumerate(zip(*found, strict=True)):
        want = blocked(plain, 4) if at < 2 else plain
        np.testing.assert_allclose(divided, want, rtol=1e-9, atol=1e-12)


def test_the_axis_of_lanes_is_not_a_channel_axis():
    with pytest.raises(ShapeError, match=r"its last axis holds blocked channels, so axis"):
        nd.BatchNorm(nd.ones((2, 2, 4)), *[nd.ones(4)] * 4, axis=-1, blocked=True)


@pytest.mark.parametrize("shows", [False, True])
def test_backward_moves_the_averages_towards_the_batch(shows):
    x, gamma, beta = case((8, 3))
    mean, var = states(3)
    arrays = [nd.array(a, dtype="float64") for a in (x, gamma, beta)]
    arrays[2].attach_grad()
    with autograd.record():
        y = nd.BatchNorm(*arrays, mean, var, momentum=0.75, output_mean_var=shows)
    y = y[0] if shows else y
    assert mean.asnumpy().tolist() == [0, 0, 0]
    y.backward(retain_graph=True)
    np.testing.assert_allclose(mean.asnumpy(), 0.25 * x.mean(0), rtol=1e-12)
    np.testing.assert_allclose(var.asnumpy(), 0.75 + 0.25 * x.var(0), rtol=1e-12)
    y.backward()
    np.testing.assert_allclose(mean.asnumpy(), 0.4375 * x.mean(0), rtol=1e-12)


def test_an_empty_batch_leaves_the_averages_unchanged():
    mean, var = states(2)
    x = nd.zeros((0, 2), dtype="float64")
    gamma, beta = nd.ones((2, 2), dtype="float64")
    for array in (x, gamma, beta):
        array.attach_grad()
    with autograd.record():
        y = nd.BatchNorm(x, gamma, beta, mean, var, fix_gamma=False)
    y.backward()
    assert mean.asnumpy().tolist() == [0, 0] and var.asnumpy().tolist() == [1, 1]
    assert gamma.grad.asnumpy().tolist() == [0, 0] == beta.grad.asnumpy().tolist()


def test_averages_change_only_in_backward_passes_of_training():
    x, gamma, beta = case((8, 3))
    mean, var = states(3)
    arrays = [nd.array(a, dtype="float64") for a in (x, gamma, beta)]
    with autograd.train_mode():
        nd.BatchNorm(*arrays, mean, var)
    with autograd.record():
        nd.BatchNorm(*arrays, mean, var)
    arrays[2].attach_grad()
    with autograd.record(train_mode=False):
        y = nd.BatchNorm(*arrays, mean, var)
    y.backward()
    with autograd.record():
        y = nd.BatchNorm(*arrays, mean, var, use_global_stats=True)
    y.backward()
    assert mean.asnumpy().tolist() == [0, 0, 0] and var.asnumpy().tolist() == [1, 1, 1]


@pytest.mark.parametrize("is_hybrid", [False, True])
def test_forward_passes_in_training_mode_leave_a_network_unchanged(is_hybrid):
    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.BatchNorm(in_channels=2, momentum=0.5), gluon.nn.Dense(1, in_units=2))
    net.initialize()
    net.hybridize(is_hybrid)
    x = nd.array([[1.0, 2.0], [3.0, 6.0]])
    before = net(x).asnumpy()
    with autograd.train_mode():
        net(x)
    np.testing.assert_array_equal(net(x).asnumpy(), before)
    with autograd.record():
        y = net(x)
    y.backward()
    assert net[0].running_mean.data().asnumpy().tolist() == [1, 2]
    assert (net(x).asnumpy() != before).any()


def test_prediction_uses_the_averages_and_leaves_them_unchanged():
    x, gamma, beta = case((4, 3))
    m, v = RNG.standard_normal(3), RNG.random(3) + 0.5
    mean, var = nd.array(m, dtype="float64"), nd.array(v, dtype="float64")
    arrays = [nd.array(a, dtype="float64") for a in (x, gamma, beta)]
    y = nd.BatchNorm(*arrays, mean, var, fix_gamma=False)
    np.testing.assert_allclose(
        y.asnumpy(), reference(x, gamma, beta, statistics=(m, v)), rtol=1e-10, atol=1e-12
    )
    assert mean.asnumpy().tolist() == m.tolist()
    with autograd.train_mode():
        z = nd.BatchNorm(*arrays, mean, var, fix_gamma=False, use_global_stats=True)
    np.testing.assert_allclose(z.asnumpy(), y.asnumpy(), rtol=1e-12)
    assert var.asnumpy().tolist() == v.tolist()


def test_gradient_with_the_averages():
    x, gamma, beta = case((4, 3))
    mean, var = states(3)

    def function(*a):
        return nd.BatchNorm(*a, mean, var, fix_gamma=False, use_global_stats=True)

    check_gradients(function, [x, gamma, beta], rtol=1e-4)


def test_fixed_gamma_counts_as_one_and_gets_no_gradient():
    x, gamma, beta = case((4, 3))
    arrays = [nd.array(a, dtype="float64") for a in (x, gamma, beta)]
    for a in arrays:
        a.attach_grad()
    with autograd.record():
        y = nd.BatchNorm(*arrays, *states(3))
    y.backward()
    np.testing.assert_allclose(y.asnumpy(), reference(x, np.ones(3), beta), rtol=1e-9, atol=1e-12)
    assert arrays[1].grad.asnumpy().tolist() == [0, 0, 0]


def test_wrong_shapes():
    with pytest.raises(ShapeError, match="BatchNorm"):
        nd.BatchNorm(nd.ones((2, 3)), nd.ones((4,)), nd.zeros((3,)), nd.zeros((3,)), nd.ones((3,)))


def test_layer_learns_and_predicts():
    layer = gluon.nn.BatchNorm(momentum=0.5)
    assert repr(layer) == (
        "BatchNorm(axis=1, eps=1e-05, momentum=0.9, fix_gamma=False, use_global_stats=False, "
        "in_channels=None)"
    ).replace("0.9", "0.5")
    layer.initialize()
    x = nd.array([[1.0], [3.0]])
    with autograd.record():
        y = layer(x)
    y.backward()
    np.testing.assert_allclose(y.asnumpy(), [[-1], [1]], rtol=1e-4)
    assert layer.running_mean.data().asnumpy().tolist() == [1]
    assert layer.running_var.data().asnumpy().tolist() == [1]
    assert layer.running_mean.grad_req == "null"
    assert sorted(k.split("_", 1)[1] for k in layer.collect_params()) == [
        "beta",
        "gamma",
        "running_mean",
        "running_var",
    ]


@pytest.mark.parametrize("training", [False, True])
def test_statistics_on_request_are_mean_and_inverse_deviation(training):
    x = RNG.standard_normal((4, 3, 5))
    m, v = (x.mean((0, 2)), x.var((0, 2))) if training else (np.full(3, 0.5), np.full(3, 2.0))
    arrays = [nd.array(a, dtype="float64") for a in (x, np.ones(3), np.zeros(3), m, v)]
    arrays[0].attach_grad()
    with autograd.record(train_mode=training):
        y, mean, inverse = nd.BatchNorm(*arrays, output_mean_var=True, eps=0.25)
        loss = (y**2).sum()
    loss.backward()
    np.testing.assert_allclose(mean.asnumpy(), m, 1e-12)
    np.testing.assert_allclose(inverse.asnumpy(), (v + 0.25) ** -0.5, 1e-12)
    symbol = sym.BatchNorm(sym.var("x"), output_mean_var=True, name="bn")
    assert symbol.list_outputs() == ["bn_output", "bn_mean", "bn_var"]


@pytest.mark.parametrize("axis", [1, -1, 0])
@pytest.mark.parametrize("fix_gamma", [False, True])
@pytest.mark.parametrize(("dtype", "rtol"), [("float32", 1e-6), ("float64", 1e-14)])
def test_a_compiled_prediction_is_a_factor_and_a_shift(axis, fix_gamma, dtype, rtol):
    shape = (4, 3, 5, 6)
    x, gamma, beta = case(shape, axis)
    mean, var = RNG.standard_normal(shape[axis]), RNG.random(shape[axis]) + 0.5
    arrays = [nd.array(a, dtype=dtype) for a in (x, gamma, beta, mean, var)]
    attributes = {"axis": axis, "fix_gamma": fix_gamma, "eps": 1e-3, "output_mean_var": True}
    want = nd.BatchNorm(*arrays, **attributes)
    names = ["x", "gamma", "beta", "mean", "var"]
    symbol = sym.BatchNorm(*map(sym.var, names), **attributes)
    given = dict(zip(names, arrays, strict=True))
    states = {name: given.pop(name) for name in ("mean", "var")}
    run = symbol.bind(cpu(), given, aux_states=states)
    for have, expected in zip(run.forward(), want, strict=True):
        np.testing.assert_allclose(have.asnumpy(), expected.asnumpy(), rtol, 4 * rtol)
    assert [label for label in run.debug_str().split() if "BatchNorm" in label]


def test_a_prediction_follows_its_averages_and_parameters():
    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.Dense(8, in_units=5), gluon.nn.BatchNorm(), gluon.nn.Activation("relu"))
    net.initialize()
    x = nd.array(RNG.standard_normal((16, 5)) * 3 + 1)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    for _ in range(4):
        net.hybridize()
        with autograd.record():
            loss = (net(x) ** 2).mean()
        loss.backward()
        trainer.step(1)
        compiled = net(x).asnumpy()
        net.hybridize(False)
        np.testing.assert_allclose(net(x).asnumpy(), compiled, 1e-5, 1e-6)
