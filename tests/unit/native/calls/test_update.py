"""Optimizer steps: values against float64, types, shared memory, errors."""

import numpy as np
import pytest

from opforge import nd
from opforge.base.errors import DTypeError, OpforgeError, ShapeError
from opforge.native import calls
from opforge.native.calls.update import update_weights
from opforge.native.threads import parallel

STATES = {
    ("sgd", 0): {},
    ("sgd", 1): {"a": 0.9},
    ("nag", 1): {"a": 0.9},
    ("adam", 2): {"a": 0.9, "b": 0.99, "epsilon": 1e-3},
    ("rmsprop", 1): {"a": 0.9, "epsilon": 1e-3},
    ("rmsprop", 3): {"a": 0.9, "b": 0.8, "epsilon": 1e-3, "limit": 1.2},
    ("adagrad", 1): {"epsilon": 1e-3},
    ("adadelta", 2): {"a": 0.9, "epsilon": 1e-3},
}
LR, WD, RESCALE, CLIP = 0.1, 0.05, 0.5, 0.7


def reference(rule, w, g, s, a=0.0, b=0.0, epsilon=0.0, limit=np.inf):
    """Return the new weight and states in float64."""
    if rule in {"adam", "rmsprop"}:
        g = np.clip(g * RESCALE + WD * w, -CLIP, CLIP)
    else:
        g = np.clip(g * RESCALE, -CLIP, CLIP)
    if rule == "sgd":
        m = (a * s[0] if s else 0) - LR * (g + WD * w)
        return w + m, [m][: len(s)]
    if rule == "nag":
        m = a * s[0] - LR * (g + WD * w)
        moved = w + a * m - LR * (g + WD * w)
        return moved, [a * s[0] - LR * (g + WD * moved)]
    if rule == "adam":
        m, v = a * s[0] + (1 - a) * g, b * s[1] + (1 - b) * g * g
        return w - LR * m / (np.sqrt(v) + epsilon), [m, v]
    if rule == "adagrad":
        h = s[0] + g * g
        return w - LR * (g / np.sqrt(h + epsilon) + WD * w), [h]
    n = a * s[0] + (1 - a) * g * g
    if rule == "adadelta":
        step = np.sqrt(s[1] + epsilon) / np.sqrt(n + epsilon) * g
        return w - step - WD * w, [n, a * s[1] + (1 - a) * step * step]
    if len(s) == 1:
        return w - LR * g / np.sqrt(n + epsilon), [n]
    mean = a * s[1] + (1 - a) * g
    delta = b * s[2] - LR * g / np.sqrt(n - mean * mean + epsilon)
    return np.clip(w + delta, -limit, limit), [n, mean, delta]


def operands(shape, count, dtype, seed=0):
    rng = np.random.default_rng(seed)
    arrays = [rng.normal(size=shape).astype(dtype) for _ in range(2)]
    # In most rules the first state is a mean of squares and exceeds the square of the second one.
    states = [rng.uniform(1, 2, shape), rng.uniform(0, 0.3, shape), rng.uniform(0, 1, shape)]
    return [*arrays, *(s.astype(dtype) for s in states[:count])]


def close(got, want, dtype):
    room = {"float64": 1e-12, "float32": 3e-6, "float16": 3e-3}[dtype]
    np.testing.assert_allclose(got.asnumpy().astype(np.float64), want, rtol=room, atol=room)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize(("rule", "count"), STATES)
def test_every_rule(rule, count, dtype):
    rest = STATES[rule, count]
    for shape in [(3, 5), (1031,), (0, 4)]:
        w, g, *s = operands(shape, count, dtype)
        arrays = [nd.array(x, dtype=dtype) for x in (w, g, *s)]
        weight, grad, *states = arrays
        update_weights(rule, [weight], [grad], [tuple(states)], [LR], [WD], RESCALE, CLIP, **rest)
        wide = [x.astype(np.float64) for x in (w, g, *s)]
        want, want_states = reference(rule, wide[0], wide[1], wide[2:], **rest)
        close(weight, want, dtype)
        for got, expected in zip(states, want_states, strict=True):
            close(got, expected, dtype)
        assert (grad.asnumpy() == g).all()


@pytest.mark.parametrize(("rule", "count"), STATES)
def test_threads_do_not_change_a_bit(rule, count):
    results = []
    before = parallel.get_num_threads()
    for threads in (1, 3):
        parallel.set_num_threads(threads)
        w, g, *s = map(nd.array, operands((70_001,), count, "float32"))
        update_weights(rule, [w], [g], [tuple(s)], [LR], [WD], **STATES[rule, count])
        results.append([x.asnumpy() for x in (w, *s)])
    parallel.set_num_threads(before)
    for one, other in zip(*results, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.fixture(params=[1, 2, 3])
def threads(request):
    """Return the number of threads that a kernel may use."""
    before = parallel.set_num_threads(request.param)
    yield request.param
    parallel.set_num_threads(before)


def step_of(sizes, dtypes, count=2):
    """Return the arguments of `update_weights` for Adam and weights of these sizes."""
    arrays = [
        [nd.array(x, dtype=dtype) for x in operands((n,), count, "float32", seed)]
        for seed, (n, dtype) in enumerate(zip(sizes, dtypes, strict=True))
    ]
    weights, grads = [a[0] for a in arrays], [a[1] for a in arrays]
    states = [tuple(a[2:]) for a in arrays]
    rates = [0.1 * (i + 1) for i in range(len(sizes))]
    return [weights, grads, states, rates, [WD] * len(sizes)]


def values_of(step):
    weights, _, states, *_ = step
    return [x.asnumpy() for x in (*weights, *(s for pair in states for s in pair))]


@pytest.mark.parametrize(
    ("sizes", "dtypes"),
    [
        ((1, 40_000, 0, 3, 20_011, 0), ("float32",)),
        ((0, 0, 70_001), ("float32",)),
        ((999,) * 60, ("float32", "float16", "float64")),
        ((5, 7), ("float32",)),
    ],
)
def test_joint_update_equals_separate_updates(sizes, dtypes, threads):
    dtypes = (dtypes * len(sizes))[: len(sizes)]
    joint, single = step_of(sizes, dtypes), step_of(sizes, dtypes)
    rest = STATES["adam", 2]
    update_weights("adam", *joint, **rest)
    for one in zip(*single, strict=True):
        update_weights("adam", *([item] for item in one), **rest)
    for got, want in zip(values_of(joint), values_of(single), strict=True):
        np.testing.assert_array_equal(got, want)


def test_float16_weights_with_float32_copies(threads):
    masters = [nd.full((n,), 1.0) for n in (50_000, 9, 700)]
    rounded = [nd.zeros(m.shape, dtype="float16") for m in masters]
    grads = [nd.ones(m.shape, dtype="float16") for m in masters]
    rates = [0.1, 0.2, 0.3]
    update_weights("sgd", masters, grads, [None] * 3, rates, [0.0] * 3, rounded=rounded)
    for master, low, rate in zip(masters, rounded, rates, strict=True):
        assert (master.asnumpy() == np.float32(1) - np.float32(rate)).all()
        assert (low.asnumpy() == master.asnumpy().astype(np.float16)).all()


def _twice(base):
    return [base, base], [nd.ones(base.shape), nd.ones(base.shape)], [None, None]


def _next_is_the_gradient(base):
    return [base, nd.zeros(base.shape)], [nd.ones(base.shape), base], [None, None]


def _next_is_the_momentum(base):
    zeros = nd.zeros(base.shape)
    return [base, zeros], [nd.ones(base.shape), nd.ones(base.shape)], [zeros * 0, base]


def _overlapping_views(base):
    n = base.shape[0]
    return (
        [base[: n - 1], base[1:]],
        [nd.ones((n - 1,)), nd.ones((n - 1,))],
        [None, None],
    )


@pytest.mark.parametrize(
    "sharing", [_twice, _next_is_the_gradient, _next_is_the_momentum, _overlapping_views]
)
def test_steps_that_share_memory_run_in_order(sharing):
    results = []
    for threads in (1, 3):
        before = parallel.set_num_threads(threads)
        try:
            base = nd.arange(60_000)
            step = sharing(base)
            update_weights("sgd", *step, [0.5, 0.25], [0.1, 0.2], a=0.9)
            results.append([x.asnumpy() for x in step[0]])
        finally:
            parallel.set_num_threads(before)
    for one, other in zip(*results, strict=True):
        np.testing.assert_array_equal(one, other)


def test_float16_weights_follow_a_float32_copy():
    w, g, m = operands((900,), 1, "float32")
    master, grad, mom = nd.array(w), nd.array(g, dtype="float16"), nd.array(m)
    rounded = nd.zeros(w.shape, dtype="float16")
    update_weights("sgd", [master], [grad], [mom], [LR], [0.0], a=0.9, rounded=[rounded])
    want = w + (0.9 * m - LR * g.astype(np.float16).astype(np.float32))
    np.testing.assert_allclose(master.asnumpy(), want, rtol=1e-5, atol=1e-6)
    assert (rounded.asnumpy() == master.asnumpy().astype(np.float16)).all()


def test_each_weight_has_its_rate():
    weights = [nd.ones((n,)) for n in (1, 40_000, 3)]
    grads = [nd.ones(w.shape) for w in weights]
    update_weights("sgd", weights, grads, [None] * 3, [0.5, 0.25, 0.0], [0.0, 1.0, 1.0])
    assert [w.asnumpy().max() for w in weights] == [0.5, 0.5, 1.0]
    assert [w.asnumpy().min() for w in weights] == [0.5, 0.5, 1.0]


def test_infinite_weights_without_decay_are_kept():
    w = nd.array([np.inf, np.nan, 1.0])
    update_weights("sgd", [w], [nd.array([1.0, 1.0, np.nan])], [None], [0.5], [0.0], clip=1.0)
    np.testing.assert_array_equal(w.asnumpy(), [np.inf, np.nan, np.nan])


def test_result_elsewhere_and_in_the_gradient():
    w, g, out = nd.ones((3,)), nd.ones((3,)), nd.zeros((3,))
    update_weights("sgd", [w], [g], [None], [0.5], [0.0], outs=[out])
    assert (w.asnumpy() == 1).all()
    assert (out.asnumpy() == 0.5).all()
    calls.update_weights("sgd", [w], [g], [None], [0.5], [0.0], outs=[g])
    assert (g.asnumpy() == 0.5).all()


def test_errors_change_nothing():
    w, g, m = nd.ones((2, 3)), nd.ones((2, 3)), nd.ones((2, 3))

    def step(rule="sgd", weight=w, grad=g, state=m, **rest):
        update_weights(rule, [w, weight], [g, grad], [None, state], [1.0] * 2, [0.0] * 2, **rest)

    with pytest.raises(OpforgeError, match=r"rule 'sgd' got 2 states.*expected one of \[0, 1\]"):
        step(state=(m, g))
    with pytest.raises(OpforgeError, match=r"available rules: \['adadelta', 'adagrad'"):
        step(rule="sdg")
    with pytest.raises(ShapeError, match=r"'grad' has shape \(3,\), expected \(2, 3\)"):
        step(grad=nd.ones((3,)))
    with pytest.raises(ShapeError, match=r"'state' has shape \(3, 2\)"):
        step(state=nd.ones((3, 2)))
    with pytest.raises(DTypeError, match="'grad' has dtype float64, expected float32"):
        step(grad=nd.ones((2, 3), dtype="float64"))
    with pytest.raises(DTypeError, match="'weight' has dtype int32"):
        step(weight=nd.ones((2, 3), dtype="int32"))
    with pytest.raises(OpforgeError, match="'state' shares memory with 'weight'"):
        step(state=w)
    with pytest.raises(TypeError, match="'grad' is NoneType, expected an NDArray"):
        step(grad=None)
    with pytest.raises(TypeError, match="'state' is float"):
        step(state=(1.0,))
    with pytest.raises(ShapeError, match="got 2 weights and lists of"):
        step(outs=[w])
    assert (w.asnumpy() == 1).all()
    assert (m.asnumpy() == 1).all()


def test_shifted_memory_is_rejected():
    base = nd.zeros((5, 2))
    with pytest.raises(OpforgeError, match="'grad' shares memory with 'out'"):
        update_weights("sgd", [base[0:4]], [base[1:5]], [None], [1.0], [0.0])
