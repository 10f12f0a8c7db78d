"""Every update operator against a float64 reference, in each element type and form."""

import numpy as np
import pytest

from opforge import cpu, nd, sym
from opforge.base.errors import AttributeValueError, DTypeError, MXNetError, ShapeError

from . import references

SCALE = {"rescale_grad": 0.5, "clip_gradient": 0.6}
ALL = {"lr": 0.1, "wd": 0.05, **SCALE}
MOMENTUM = {"momentum": 0.8}
FTML = {"lr": 0.1, "wd": 0.05, "t": 3, "rescale_grad": 0.5, "clip_grad": 0.6}
LAMB = {"wd": 0.1, "t": 4, **SCALE}

#: Operator of one weight, reference, number of states, and settings to try.
ROWS = [
    ("sgd_update", references.sgd, 0, [{"lr": 0.1}, ALL]),
    ("sgd_mom_update", references.sgd_mom, 1, [{"lr": 0.1}, {**ALL, **MOMENTUM}]),
    ("nag_mom_update", references.nag_mom, 1, [{"lr": 0.1}, {**ALL, **MOMENTUM}]),
    ("signsgd_update", references.signsgd, 0, [{"lr": 0.1}, ALL]),
    ("signum_update", references.signum, 1, [{"lr": 0.1}, {**ALL, **MOMENTUM, "wd_lh": 0.1}]),
    ("adam_update", references.adam, 2, [{"lr": 0.1}, {**ALL, "beta1": 0.5, "epsilon": 1e-3}]),
    ("ftml_update", references.ftml, 3, [{"lr": 0.1, "t": 1}, {**FTML, "epsilon": 1e-2}]),
    ("ftrl_update", references.ftrl, 2, [{"lr": 0.1}, {**ALL, "lamda1": 0.5, "beta": 2.0}]),
    ("rmsprop_update", references.rmsprop, 1, [{"lr": 0.1}, {**ALL, "clip_weights": 0.9}]),
    (
        "rmspropalex_update",
        references.rmspropalex,
        3,
        [{"lr": 0.1, "epsilon": 1e-2}, {**ALL, "epsilon": 1e-2, "clip_weights": 0.9}],
    ),
    ("_sparse_adagrad_update", references.adagrad, 1, [{"lr": 0.1}, {**ALL, "epsilon": 1e-2}]),
    (
        "lamb_update_phase1",
        references.lamb_direction,
        2,
        [{"t": 1, "wd": 0.0}, LAMB, {**LAMB, "bias_correction": False}],
    ),
]
#: Operators with a float32 copy of a 16-bit weight.
MIXED = ["sgd_update", "sgd_mom_update", "nag_mom_update", "lamb_update_phase1"]
TOLERANCE = {"float16": 1e-2, "bfloat16": 6e-2, "float32": 2e-5, "float64": 1e-11}
CASES = [(row, settings) for row in ROWS for settings in row[3]]
IDS = [f"{row[0]}-{row[3].index(settings)}" for row, settings in CASES]


def operator(name):
    return getattr(nd._internal, name)


def arrays_of(shape, n_states, seed=0):
    """Return weight, gradient and positive states, of which a mean square exceeds a mean."""
    rng = np.random.default_rng(seed)
    states = [(np.abs(rng.normal(size=shape)) + 1.0) * 0.3**k for k in range(n_states)]
    return [rng.normal(size=shape), rng.normal(size=shape) * 2, *states]


def close(found, expected, dtype):
    tolerance = TOLERANCE[dtype]
    values = found.asnumpy().astype("float64")
    np.testing.assert_allclose(values, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize(("row", "settings"), CASES, ids=IDS)
def test_results_and_states_are_those_of_the_reference(row, settings, dtype):
    name, reference, n_states, _ = row
    for shape in [(), (1,), (3, 5), (1037,), (0, 2)]:
        arrays = [nd.array(a, dtype=dtype) for a in arrays_of(shape, n_states)]
        inputs = [a.asnumpy().astype("float64") for a in arrays]
        with np.errstate(all="ignore"):
            expected, *states = reference(*inputs, **settings)
        found = operator(name)(*arrays, **settings)
        close(found, expected, dtype)
        for array, state in zip(arrays[2:], states, strict=True):
            close(array, state, dtype)
        np.testing.assert_array_equal(arrays[0].asnumpy(), inputs[0])
        np.testing.assert_array_equal(arrays[1].asnumpy(), inputs[1])


@pytest.mark.parametrize(("row", "settings"), CASES, ids=IDS)
def test_out_may_be_the_weight(row, settings):
    name, reference, n_states, _ = row
    inputs = arrays_of((7, 3), n_states)
    arrays = [nd.array(a, dtype="float64") for a in inputs]
    assert operator(name)(*arrays, out=arrays[0], **settings) is arrays[0]
    close(arrays[0], reference(*inputs, **settings)[0], "float64")


@pytest.mark.parametrize(("row", "settings"), CASES, ids=IDS)
def test_symbols_update_states_too(row, settings):
    name, reference, n_states, _ = row
    values = arrays_of((4, 3), n_states)
    variables = [sym.var(f"x{i}") for i in range(len(values))]
    arrays = [nd.array(a, dtype="float64") for a in values]
    made = getattr(sym._internal, name)(*variables, **settings)
    names = dict(zip((v.name for v in variables), arrays, strict=True))
    bound = made.bind(cpu(), names, grad_req="null")
    expected, *states = reference(*values, **settings)
    close(bound.forward()[0], expected, "float64")
    for array, state in zip(arrays[2:], states, strict=True):
        close(array, state, "float64")


@pytest.mark.parametrize("half", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", MIXED)
def test_copies_are_updated_and_outputs_rounded(name, half):
    _, reference, n_states, settings = next(row for row in ROWS if row[0] == name)
    weight, grad, *states = arrays_of((70, 9), n_states)
    arrays = [nd.array(weight, dtype=half), nd.array(grad, dtype=half)]
    arrays += [nd.array(a) for a in (*states, weight)]
    exact = arrays[1].asnumpy().astype("float64")
    expected, *after = reference(weight, exact, *states, **settings[-1])
    result = operator(f"mp_{name}")(*arrays, **settings[-1])
    if name == "lamb_update_phase1":
        assert result.dtype == np.float32
        close(result, expected, "float32")
        close(arrays[-1], weight, "float32")
    else:
        assert result.dtype == arrays[0].dtype
        close(result, expected, half)
        close(arrays[-1], expected, "float32")
    for array, state in zip(arrays[2:-1], after, strict=True):
        close(array, state, "float32")


SEVERAL = {
    "sgd_update": ("multi_sgd_update", "multi_mp_sgd_update"),
    "sgd_mom_update": ("multi_sgd_mom_update", "multi_mp_sgd_mom_update"),
}
SHAPES = [(3, 4), (5,), (1, 1, 2)]


def several(n_states, with_copies):
    """Return the arrays of several weights, and for each the inputs of the reference."""
    arrays, inputs = [], []
    dtype = "float16" if with_copies else "float32"
    for seed, shape in enumerate(SHAPES):
        weight, grad, *states = arrays_of(shape, n_states, seed)
        group = [nd.array(weight, dtype=dtype), nd.array(grad, dtype=dtype)]
        inputs.append([weight, group[1].asnumpy().astype("float64"), *states])
        group += [nd.array(state) for state in states]
        arrays.append([*group, nd.array(weight)] if with_copies else group)
    return arrays, inputs


@pytest.mark.parametrize("preloaded", [False, True])
@pytest.mark.parametrize("with_copies", [False, True])
@pytest.mark.parametrize("name", SEVERAL)
def test_several_weights_have_own_rates(name, with_copies, preloaded):
    _, reference, n_states, settings = next(row for row in ROWS if row[0] == name)
    settings = {k: v for k, v in settings[-1].items() if k not in ("lr", "wd")}
    rates, decays = [0.1, 0.2, 0.3], [0.0, 0.1, 0.2]
    groups, inputs = several(n_states, with_copies)
    arrays = [array for group in groups for array in group]
    outs = [group[0] for group in groups]
    multi = SEVERAL[name][with_copies]
    if preloaded:
        call, given = operator(f"preloaded_{multi}"), {}
        arrays += [nd.array(rates), nd.array(decays)]
    else:
        call, given = operator(multi), {"lrs": rates, "wds": decays}
    call(*arrays, num_weights=3, out=outs, **given, **settings)
    for group, values, lr, wd in zip(groups, inputs, rates, decays, strict=True):
        expected, *states = reference(*values, lr=lr, wd=wd, **settings)
        close(group[0], expected, "float16" if with_copies else "float32")
        for array, state in zip(group[2 : 2 + n_states], states, strict=True):
            close(array, state, "float32")


@pytest.mark.parametrize("with_copies", [False, True])
@pytest.mark.parametrize("bounds", [{}, {"lower_bound": 5.0}, {"upper_bound": 0.5}])
def test_lamb_of_several_weights(with_copies, bounds):
    groups, inputs = several(2, with_copies)
    rates, decays, counts = [0.1, 0.2, 0.3], [0.0, 0.1, 0.2], [1, 3, 5]
    transposed = [list(column) for column in zip(*groups, strict=True)]
    call = nd.contrib.multi_mp_lamb_update if with_copies else nd.contrib.multi_lamb_update
    given = {"step_count": counts, "lrs": rates, "wds": decays}
    call(*transposed, out=transposed[0], **given, **SCALE, **bounds)
    for group, values, lr, wd, t in zip(groups, inputs, rates, decays, counts, strict=True):
        expected, *_ = references.lamb(*values, lr=lr, wd=wd, t=t, **SCALE, **bounds)
        close(group[0], expected, "float16" if with_copies else "float32")


@pytest.mark.parametrize("with_copies", [False, True])
def test_adamw_of_one_and_several_weights(with_copies):
    groups, inputs = several(2, with_copies)
    rates, decays, etas = [0.1, 0.2, 0.3], [0.0, 0.1, 0.2], [1.0, 0.5, 2.0]
    transposed = [list(column) for column in zip(*groups, strict=True)]
    call = nd.contrib.multi_mp_adamw_update if with_copies else nd.contrib.multi_adamw_update
    call(*transposed, 0.5, rates, decays, etas, out=transposed[0], clip_gradient=0.6)
    single = nd.contrib.mp_adamw_update if with_copies else nd.contrib.adamw_update
    again, _ = several(2, with_copies)
    for group, one, values, lr, wd, eta in zip(
        groups, again, inputs, rates, decays, etas, strict=True
    ):
        expected, *_ = references.adamw(*values, lr=lr, wd=wd, eta=eta, **SCALE)
        dtype = "float16" if with_copies else "float32"
        close(group[0], expected, dtype)
        single(*one, nd.array([0.5]), lr, eta, wd=wd, clip_gradient=0.6, out=one[0])
        close(one[0], expected, dtype)


@pytest.mark.parametrize("factor", [0.0, np.inf, np.nan])
def test_adamw_skips_steps_with_unusable_factors(factor):
    weight, grad, mean, var = (nd.array(a) for a in arrays_of((3,), 2))
    before = [a.asnumpy() for a in (weight, mean, var)]
    nd.contrib.adamw_update(weight, grad, mean, var, factor, lr=0.1, eta=1, wd=0.1, out=weight)
    nd.contrib.multi_adamw_update(
        [weight], [grad], [mean], [var], factor, [0.1], [0.1], [1], out=weight
    )
    for array, values in zip((weight, mean, var), before, strict=True):
        np.testing.assert_array_equal(array.asnumpy(), values)


def test_lars_adapts_rates():
    lrs, weights, grads = [1.0, 2.0, 3.0, 4.0], [4.0, 0.0, 9.0, 1.0], [1.0, 1.0, 0.0, 16.0]
    arrays = [nd.array(a) for a in (lrs, weights, grads, [0.1] * 4)]
    found = nd.multi_lars(*arrays, eta=0.5, eps=0.01, rescale_grad=0.5).asnumpy()
    expected = [1 * 0.5 * 2 / (0.5 + 0.2 + 0.01), 2.0, 3.0, 4 * 0.5 * 1 / (2 + 0.1 + 0.01)]
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_norms_decide_on_the_second_phase():
    weight, g = nd.array([3.0, 4.0]), nd.array([0.0, 2.0])
    for r1, bounds, ratio in [
        (5.0, {}, 2.5),
        (0.0, {}, 1.0),
        (5.0, {"upper_bound": 1.0}, 0.5),
        (5.0, {"lower_bound": 8.0}, 4.0),
    ]:
        found = nd.lamb_update_phase2(weight, g, nd.array([r1]), nd.array([2.0]), lr=0.1, **bounds)
        np.testing.assert_allclose(found.asnumpy(), [3.0, 4.0 - 0.2 * ratio], rtol=1e-6)


def test_rows_share_a_rate():
    weight, grad, history = (nd.array(a) for a in arrays_of((3, 4), 1))
    history = history[:, :1].copy()
    w, g, h = (a.asnumpy().astype("float64") for a in (weight, grad, history))
    total = h + (np.clip(g / 2, -0.6, 0.6) ** 2).mean(1, keepdims=True)
    nd.contrib.group_adagrad_update(weight, grad, history, lr=0.1, out=weight, **SCALE)
    close(history, total, "float32")
    close(weight, w - 0.1 * np.clip(g / 2, -0.6, 0.6) / np.sqrt(total + 1e-5), "float32")


def test_results_may_be_added():
    """Graphs add to an output that several operators fill."""
    weight, grad = nd.array([1.0, 2.0]), nd.array([1.0, 1.0])
    total = nd.sgd_update(weight, grad, lr=0.5) + nd.sgd_update(weight, grad, lr=1.0)
    assert total.asnumpy().tolist() == [0.5, 2.5]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: nd.sgd_update(nd.ones(2), nd.ones(3), lr=1), ShapeError, "'grad' has shape"),
        (
            lambda: nd.ftrl_update(nd.ones(2), nd.ones(2), nd.ones(2), nd.ones(1), lr=1),
            ShapeError,
            r"'n' has shape \(1,\)",
        ),
        (lambda: nd.sgd_update(nd.ones(2, dtype="int32"), nd.ones(2), lr=1), DTypeError, "int32"),
        (lambda: nd.ftml_update(*[nd.ones(1)] * 5, lr=1, t=0), AttributeValueError, "t"),
        (
            lambda: nd.multi_sgd_update(nd.ones(2), nd.ones(2), lrs=(1, 2), wds=(0, 0)),
            AttributeValueError,
            "lrs has 2 elements",
        ),
        (
            lambda: nd.multi_sgd_update(
                nd.ones(2), nd.ones(2), nd.ones(2), lrs=(1,), wds=(0,), num_weights=1
            ),
            AttributeValueError,
            "got 3 arrays, expected 2",
        ),
        (
            lambda: nd.preloaded_multi_sgd_update(
                nd.ones(2), nd.ones(2), nd.ones(2), nd.ones(1), num_weights=1
            ),
            MXNetError,
            "'lrs' has",
        ),
        (
            lambda: nd.lamb_update_phase2(nd.ones(2), nd.ones(2), nd.ones(2), nd.ones(1), lr=1),
            MXNetError,
            "'r1' has shape",
        ),
        (
            lambda: nd.contrib.group_adagrad_update(nd.ones(2), nd.ones(2), nd.ones(2), lr=1),
            ShapeError,
            "expected equal matrices",
        ),
    ],
)
def test_misfits_are_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("stype", ["csr", "row_sparse"])
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_sparse_arrays_change_like_dense_ones(row, stype):
    name, _, n_states, settings = row
    rng = np.random.default_rng(2)
    values = [np.abs(rng.normal(size=(3, 4))) for _ in range(2 + n_states)]
    for array in values:
        array[1] = 0
    results = []
    for kind in (stype, "default"):
        arrays = [nd.array(array).tostype(kind) for array in values]
        getattr(nd, name)(*arrays, **settings[0], out=arrays[0])
        assert {array.stype for array in arrays} == {kind}
        results.append([array.asnumpy() for array in arrays])
    np.testing.assert_array_equal(*results)


def test_sparse_states_of_several_weights_change():
    weights = [nd.ones((2, 3)).tostype("csr"), nd.ones((2, 3))]
    states = [nd.zeros((2, 3), stype="csr"), nd.zeros((2, 3), stype="row_sparse")]
    groups = [(w, nd.ones((2, 3)), state) for w, state in zip(weights, states, strict=True)]
    nd.multi_sgd_mom_update(
        *(array for group in groups for array in group),
        lrs=(0.5, 0.25),
        wds=(0, 0),
        momentum=0.9,
        num_weights=2,
        out=weights,
    )
    assert [w.asnumpy().ravel()[0] for w in weights] == [0.5, 0.75]
    assert [state.asnumpy().ravel()[0] for state in states] == [-0.5, -0.25]
    assert [state.stype for state in states] == ["csr", "row_sparse"]
