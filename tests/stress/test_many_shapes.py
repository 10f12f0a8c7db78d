"""Inputs of thousands of shapes: memory stays constant, and values equal those of imperative calls.

``--stress 50`` runs each kind of program on 10,000 shapes. Memory is measured after half of them,
when caches have reached their bound.
"""

import itertools
import random
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import opforge as mx
from opforge import autograd, gluon, memory_stats, nd
from opforge.gluon import nn

SHAPES = 200
#: Bytes by which a program may grow in the second half of its shapes.
GROWTH = 1 << 20
RESIDENT_GROWTH = 12 << 20

pytestmark = pytest.mark.plugins


@pytest.fixture(autouse=True)
def _small_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPFORGE_GRAPH_LIMIT_MB", "1")


def _resident() -> int:
    """Return the resident bytes of this process."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def _leading_sizes(count: int) -> list[tuple[int, ...]]:
    """Return `count` shapes of three dimensions with few elements, in a mixed order."""
    limit = 1
    while True:
        sizes = range(1, limit + 1)
        found = [
            (a, b, c)
            for a in sizes
            for b in range(1, limit // a + 1)
            for c in range(1, limit // (a * b) + 1)
        ]
        if len(found) >= count:
            random.Random(1).shuffle(found)
            return found[:count]
        limit = 2 * limit


def _report_steps(steps: Iterator[None]) -> Iterator[None]:
    for at, _ in enumerate(steps, 1):
        if at % 1000 == 0:
            live = memory_stats()["live_bytes"]
            print(f"{at} shapes: {live >> 10} KiB live, {_resident() >> 20} MiB resident")
        yield


def _expect_flat(steps: Iterator[None], count: int, largest: Callable[[], object]) -> None:
    """Run `count` steps; the second half of them leaves no more memory than the first.

    `largest` is the call that needs the most memory: it makes the regions as large before as after.
    Resident memory is printed for each thousand; ``pytest -rP`` shows it.
    """
    steps = _report_steps(steps)
    for _ in itertools.islice(steps, count // 2):
        pass
    largest()
    before = memory_stats()["live_bytes"], _resident()
    for _ in steps:
        pass
    largest()
    assert memory_stats()["live_bytes"] - before[0] <= GROWTH
    assert _resident() - before[1] <= RESIDENT_GROWTH


def test_prediction_of_many_shapes(stress: int) -> None:
    net = nn.HybridSequential()
    net.add(*(nn.Dense(1024, flatten=False, in_units=1024) for _ in range(4)))
    net.initialize(mx.init.Normal(0.03))
    net.hybridize()
    shapes = _leading_sizes(SHAPES * stress)
    most = max(shapes, key=np.prod)
    samples = set(random.sample(range(len(shapes)), 20))
    weights = [param.data() for param in net.collect_params(".*weight").values()]

    def steps() -> Iterator[None]:
        for at, shape in enumerate(shapes):
            x = nd.random.uniform(-1, 1, shape=(*shape, 1024))
            y = net(x)
            if at in samples:
                for weight in weights:
                    x = nd.FullyConnected(x, weight, num_hidden=1024, no_bias=True, flatten=False)
                np.testing.assert_allclose(y.asnumpy(), x.asnumpy(), rtol=1e-3, atol=1e-5)
            yield

    _expect_flat(steps(), len(shapes), lambda: net(nd.ones((*most, 1024))))


class _Small(gluon.HybridBlock):
    """A net of several kinds of steps, which reads no sizes."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.first = nn.Dense(6, activation="tanh", flatten=False, in_units=4)
            self.second = nn.Dense(3, flatten=False, in_units=6)

    def hybrid_forward(self, F, x):
        y = self.second(self.first(x))
        return F.softmax(y * F.sigmoid(y) + F.mean(y, axis=-1, keepdims=True))


def _small() -> _Small:
    net = _Small()
    net.initialize(mx.init.Normal(0.5))
    net.hybridize()
    return net


def _twin_of(net: _Small) -> _Small:
    """Return an imperative net with the same parameters."""
    twin = _Small()
    twin.initialize()
    twins = twin.collect_params().values()
    for mine, other in zip(twins, net.collect_params().values(), strict=True):
        mine.set_data(other.data())
    return twin


def _record_call(net: _Small, x: nd.NDArray) -> nd.NDArray:
    x.attach_grad()
    with autograd.record():
        return net(x)


def _gradients(net: _Small, x: nd.NDArray, y: nd.NDArray) -> list[np.ndarray]:
    """Return a recorded result and the gradients of its squares."""
    y.backward(2 * y)
    return [a.asnumpy() for a in (y, x.grad, *(p.grad() for p in net.collect_params().values()))]


def _expect_gradients(net: _Small, x: nd.NDArray, y: nd.NDArray) -> None:
    """Take the gradients of a recorded call; they equal those of the separate operators."""
    found = _gradients(net, x, y)
    twin, copy = _twin_of(net), nd.array(x.asnumpy())
    want = _gradients(twin, copy, _record_call(twin, copy))
    for one, other in zip(found, want, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


def test_training_of_many_shapes(stress: int) -> None:
    net = _small()
    shapes = _leading_sizes(SHAPES * stress)
    most = max(shapes, key=np.prod)
    samples = set(random.sample(range(len(shapes)), 20))

    def step(shape: tuple[int, ...], is_sample: bool = False) -> None:
        x = nd.random.uniform(-1, 1, shape=(*shape, 4))
        y = _record_call(net, x)
        if is_sample:
            _expect_gradients(net, x, y)
        else:
            y.backward()

    def steps() -> Iterator[None]:
        for at, shape in enumerate(shapes):
            step(shape, at in samples)
            yield

    _expect_flat(steps(), len(shapes), lambda: step(most))


@pytest.mark.parametrize("is_hybrid", [False, True])
def test_pictures_of_many_sizes(is_hybrid: bool, stress: int) -> None:
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(4, 3, padding=1, activation="relu"),
        nn.BatchNorm(),
        nn.MaxPool2D(2, ceil_mode=True),
        nn.Conv2D(4, 3, padding=1, groups=4, in_channels=4),
        nn.AvgPool2D(3, strides=1, padding=1),
        nn.Conv2DTranspose(3, 3, strides=2),
    )
    net.initialize(mx.init.Normal(0.3))
    if is_hybrid:
        net.hybridize()
    shapes = _leading_sizes(SHAPES * stress)
    most = max(shapes, key=np.prod)

    def step(shape: tuple[int, ...]) -> None:
        pictures, height, width = shape
        x = nd.random.uniform(-1, 1, shape=(pictures, 2, height + 1, width + 1))
        x.attach_grad()
        with autograd.record():
            y = net(x)
        y.backward()
        assert y.shape == (pictures, 3, *(2 * (n // 2) + 3 for n in (height, width)))
        x.grad.wait_to_read()

    _expect_flat(map(step, shapes), len(shapes), lambda: step(most))


def test_module_of_many_buckets(stress: int) -> None:
    rounds = 2 * stress

    def sym_gen(length):
        data = mx.sym.var("data")
        steps = mx.sym.mean(mx.sym.reshape(data, shape=(-1, length, 4)), axis=1)
        return mx.sym.FullyConnected(steps, num_hidden=3, name="fc"), ("data",), None

    keys = list(range(1, 201))
    module = mx.mod.BucketingModule(sym_gen, default_bucket_key=200)
    module.bind(data_shapes=[("data", (2, 200, 4))], for_training=True)
    module.init_params(mx.init.Normal(0.5))

    def step(key: int) -> None:
        x = np.random.uniform(-1, 1, (2, key, 4)).astype("float32")
        batch = mx.io.DataBatch([nd.array(x)], bucket_key=key, provide_data=[("data", (2, key, 4))])
        module.forward(batch, is_train=True)
        module.backward([nd.ones((2, 3))])
        found = module.get_outputs()[0].asnumpy()
        weight, bias = (module.get_params()[0][f"fc_{n}"].asnumpy() for n in ("weight", "bias"))
        np.testing.assert_allclose(found, x.mean(axis=1) @ weight.T + bias, rtol=1e-4, atol=1e-5)

    def steps() -> Iterator[None]:
        for _ in range(rounds):
            random.shuffle(keys)
            for key in keys:
                step(key)
                yield

    _expect_flat(steps(), rounds * len(keys), lambda: step(200))


def test_executor_reshaped_back_and_forth(stress: int) -> None:
    out = mx.sym.FullyConnected(mx.sym.tanh(mx.sym.var("data")), num_hidden=3, name="fc")
    executor = out.simple_bind(mx.cpu(), data=(64, 4))
    weight = np.random.uniform(-1, 1, (3, 4)).astype("float32")
    executor.arg_dict["fc_weight"][:] = weight

    def step(rows: int) -> None:
        nonlocal executor
        executor = executor.reshape(allow_up_sizing=True, data=(rows, 4))
        x = np.random.uniform(-1, 1, (rows, 4)).astype("float32")
        (y,) = executor.forward(is_train=True, data=nd.array(x))
        executor.backward(nd.ones((rows, 3)))
        np.testing.assert_allclose(y.asnumpy(), np.tanh(x) @ weight.T, rtol=1e-4, atol=1e-5)
        want = np.tanh(x).sum(axis=0, dtype=np.float64)
        found = executor.grad_dict["fc_weight"].asnumpy()
        # Sums of thousands of terms in single precision, which may cancel each other.
        np.testing.assert_allclose(found, np.tile(want, (3, 1)), rtol=1e-4, atol=1e-3)

    def steps() -> Iterator[None]:
        for at in range(SHAPES * stress):
            step(at % 97 + 1 if at % 2 else 10_000 - at % 9_999)
            yield

    _expect_flat(steps(), SHAPES * stress, lambda: step(64))


KINDS = st.sampled_from(["predict", "record", "drop", "backward"])
CALLS = st.lists(st.tuples(KINDS, st.integers(1, 6), st.integers(1, 4)), min_size=1, max_size=25)


@settings(max_examples=15)
@given(calls=CALLS, order=st.randoms(use_true_random=False))
@pytest.mark.parametrize("bound", ["0", "1", "64"])
def test_calls_in_any_order(
    bound: str, calls: list[tuple[str, int, int]], order: random.Random
) -> None:
    """Kept results, and recorded calls whose backward passes run in another order, or never."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPFORGE_GRAPH_LIMIT_MB", bound)
        net = _small()
    kept: list[tuple[nd.NDArray, nd.NDArray]] = []
    waiting: list[tuple[nd.NDArray, nd.NDArray]] = []
    for kind, rows, columns in calls:
        x = nd.random.uniform(-1, 1, shape=(rows, columns, 4))
        if kind == "predict":
            kept.append((x, net(x)))
        elif kind == "backward" and waiting:
            _expect_gradients(net, *waiting.pop(order.randrange(len(waiting))))
        else:
            y = _record_call(net, x)
            if kind == "record":
                waiting.append((x, y))
    order.shuffle(waiting)
    for x, y in waiting:
        _expect_gradients(net, x, y)
    for x, y in kept:
        np.testing.assert_allclose(y.asnumpy(), _twin_of(net)(x).asnumpy(), rtol=1e-4, atol=1e-5)
