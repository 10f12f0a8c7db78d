from operator import attrgetter

import numpy as np
import pytest
from opforge_normalization import checks

from opforge import autograd, cpu, gluon, nd, sym
from opforge.base.errors import AttributeValueError
from opforge.testing import check_gradients

RNG = np.random.default_rng(0)
X, GAMMA, BETA = RNG.standard_normal((6, 4, 3)), *RNG.standard_normal((2, 4))
VARIANTS = [
    ("contrib.BatchNormWithReLU", {}),
    ("BatchNorm_v1", {}),
    ("contrib.SyncBatchNorm", {"key": "k", "ndev": 2}),
]
LAYERS = [gluon.nn.BatchNorm, gluon.nn.BatchNormReLU, gluon.contrib.nn.SyncBatchNorm]


def states():
    return nd.zeros((4,), dtype="float64"), nd.ones((4,), dtype="float64")


def activated(name, y):
    return np.maximum(y, 0) if "ReLU" in name else y


@pytest.mark.parametrize(("name", "attributes"), VARIANTS)
def test_training_agrees_with_batch_norm(name, attributes):
    variant = attrgetter(name)(nd)
    arrays = [nd.array(a, dtype="float64") for a in (X, GAMMA, BETA)]
    mean, var = states()
    same = states()
    arrays[2].attach_grad()
    with autograd.record():
        y = variant(*arrays, mean, var, fix_gamma=False, **attributes)
        want = nd.BatchNorm(*arrays, *same, fix_gamma=False)
    autograd.backward([y, want])
    np.testing.assert_allclose(y.asnumpy(), activated(name, want.asnumpy()), 1e-12)
    for have, other in zip((mean, var), same, strict=True):
        assert have.asnumpy().tolist() == other.asnumpy().tolist() != [0, 0, 0, 0]

    def function(*a):
        with autograd.train_mode():
            return variant(*a, *states(), fix_gamma=False, **attributes)

    check_gradients(function, [X, GAMMA, BETA], rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize(("name", "attributes"), VARIANTS)
def test_statistics_on_request(name, attributes, training):
    arrays = [nd.array(a, dtype="float64") for a in (X, GAMMA, BETA)]
    variant = attrgetter(name)(nd)
    m, v = (X.mean((0, 2)), X.var((0, 2))) if training else (np.zeros(4), np.ones(4))
    with autograd.train_mode() if training else autograd.predict_mode():
        y, mean, var = variant(*arrays, *states(), output_mean_var=True, eps=0.5, **attributes)
    want, *_ = checks.batch_norm(X, GAMMA, BETA, m, v, eps=0.5)
    np.testing.assert_allclose(y.asnumpy(), activated(name, want), 1e-12, 1e-14)
    np.testing.assert_allclose(mean.asnumpy(), m, 1e-12, 1e-14)
    reported = (v + 0.5) ** -0.5 if "ReLU" in name else v
    np.testing.assert_allclose(var.asnumpy(), reported, 1e-12)


def test_a_variance_of_zero_does_not_become_negative():
    arrays = [nd.ones((2, 3)), nd.ones((3,)), nd.zeros((3,)), nd.zeros((3,)), nd.ones((3,))]
    with autograd.train_mode():
        var = nd.contrib.SyncBatchNorm(*arrays, key="k", output_mean_var=True)[2].asnumpy()
    assert (var >= 0).all() and (var < 1e-9).all()


def test_the_first_version_has_no_axis():
    arrays = [nd.array(a) for a in (X, GAMMA, BETA)]
    with pytest.raises(AttributeValueError, match="axis"):
        nd.BatchNorm_v1(*arrays, *states(), axis=2)
    symbol = sym.BatchNorm_v1(sym.var("data"), name="bn")
    assert symbol.list_arguments() == ["data", "bn_gamma", "bn_beta"]
    assert symbol.list_auxiliary_states() == ["bn_moving_mean", "bn_moving_var"]
    assert symbol.list_outputs() == ["bn_output"]


def test_a_key_is_required():
    with pytest.raises(AttributeValueError, match="key"):
        nd.contrib.SyncBatchNorm(*[nd.array(a) for a in (X, GAMMA, BETA)], *states())


def test_the_layer():
    layer = gluon.nn.BatchNormReLU(in_channels=4)
    assert repr(layer) == (
        "BatchNormReLU(axis=1, eps=1e-05, momentum=0.9, fix_gamma=False, use_global_stats=False, "
        "in_channels=4)"
    )
    layer.initialize()
    plain = gluon.nn.BatchNorm()
    plain.initialize()
    x = nd.array(X)
    for _ in range(2):
        with autograd.record():
            y, want = layer(x), plain(x)
        autograd.backward([y, want])
        np.testing.assert_allclose(y.asnumpy(), np.maximum(want.asnumpy(), 0))
        layer.hybridize()
    assert (
        layer.running_var.data().asnumpy().tolist() == plain.running_var.data().asnumpy().tolist()
    )


def test_the_synchronized_layer():
    layer = gluon.contrib.nn.SyncBatchNorm(in_channels=4, prefix="sync_")
    assert repr(layer) == (
        "SyncBatchNorm(eps=1e-05, momentum=0.9, fix_gamma=False, use_global_stats=False, ndev=1, "
        "key='sync_', in_channels=4)"
    )
    layer.initialize()
    with autograd.train_mode():
        y = layer(nd.array(X)).asnumpy()
    np.testing.assert_allclose(y.mean((0, 2)), np.zeros(4), atol=1e-5)
    np.testing.assert_allclose(y.var((0, 2)), np.ones(4), 1e-3)


@pytest.mark.parametrize(("name", "attributes"), VARIANTS)
@pytest.mark.parametrize("with_statistics", [False, True])
def test_compiled_predictions(name, attributes, with_statistics):
    attributes = {**attributes, "fix_gamma": False, "output_mean_var": with_statistics}
    arrays = dict(zip(("data", "gamma", "beta"), map(nd.array, (X, GAMMA, BETA)), strict=True))
    aux = {"mean": nd.array([0.5, -1.0, 2.0, 0.0]), "var": nd.array([0.5, 1.0, 2.0, 3.0])}
    symbol = attrgetter(name)(sym)(*map(sym.var, (*arrays, *aux)), **attributes)
    want = attrgetter(name)(nd)(*arrays.values(), *aux.values(), **attributes)
    want = want if isinstance(want, list) else [want]
    for have, expected in zip(
        symbol.bind(cpu(), arrays, aux_states=aux).forward(), want, strict=True
    ):
        np.testing.assert_allclose(have.asnumpy(), expected.asnumpy(), 1e-6, 1e-6)


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_is_frozen_by_its_keyword_arguments(layer):
    """GluonCV's freeze_bn sets use_global_stats there, and its layers pass them on."""
    made = layer(in_channels=1)
    made.initialize()
    made._kwargs["use_global_stats"] = True
    with autograd.record():
        y = made(nd.array([[1.0], [3.0]]))
    np.testing.assert_allclose(y.asnumpy(), [[1], [3]], 1e-4)
    assert made.running_mean.data().asscalar() == 0
