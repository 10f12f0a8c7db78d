import numpy as np
import pytest
from opforge_quantization.graph.folding import fold_batch_norms

import opforge as mx
from opforge import nd, sym


def arrays(symbol, **shapes):
    """Return random parameters of a symbol, variances above 0."""
    (args, _, aux), rng = symbol.infer_shape(**shapes), np.random.default_rng(0)
    known = dict(zip(symbol.list_arguments(), args, strict=True))
    states = dict(zip(symbol.list_auxiliary_states(), aux, strict=True))
    return (
        {n: nd.array(rng.normal(size=s)) for n, s in known.items() if n not in shapes},
        {n: nd.array(rng.uniform(0.5, 2, s)) for n, s in states.items()},
    )


def predict(symbol, args, aux, data):
    return symbol.bind(mx.cpu(), {**args, "data": data}, aux_states=aux).forward()[0].asnumpy()


def operators(symbol):
    return [node.operation.name for node in symbol.nodes() if not node.is_variable]


@pytest.mark.parametrize("shape", [(2, 4, 7), (2, 4, 6, 5), (1, 4, 3, 4, 5)])
@pytest.mark.parametrize("options", [{}, {"no_bias": True}, {"num_group": 2}])
@pytest.mark.parametrize("fix_gamma", [False, True])
def test_predictions_stay(shape, options, fix_gamma):
    kernel = (2,) * (len(shape) - 2)
    x = sym.Convolution(sym.var("data"), kernel=kernel, num_filter=6, name="conv", **options)
    x = sym.relu(sym.BatchNorm(x, fix_gamma=fix_gamma, eps=0.1, name="bn"), name="relu")
    args, aux = arrays(x, data=shape)
    before = {name: array.asnumpy() for name, array in args.items()}
    found, new_args, new_aux = fold_batch_norms(x, args, aux)
    assert operators(found) == ["Convolution", "relu"] and new_aux == {}
    assert sorted(new_args) == ["conv_bias", "conv_weight"]
    assert all((args[name].asnumpy() == array).all() for name, array in before.items())
    data = nd.random.normal(shape=shape)
    wanted = predict(x, args, aux, data)
    np.testing.assert_allclose(
        predict(found, new_args, new_aux, data), wanted, rtol=1e-4, atol=1e-4
    )


def other_use():
    conv = sym.Convolution(sym.var("data"), kernel=(1, 1), num_filter=4, name="conv")
    return sym.BatchNorm(conv, name="bn") + conv


def channels_last():
    conv = sym.Convolution(sym.var("data"), kernel=(1, 1), num_filter=4, layout="NHWC", name="conv")
    return sym.BatchNorm(conv, name="bn")


def without_convolution():
    return sym.BatchNorm(sym.relu(sym.var("data")), name="bn")


@pytest.mark.parametrize("graph", [other_use, channels_last, without_convolution])
def test_others_are_left_unchanged(graph):
    symbol = graph()
    args, aux = arrays(symbol, data=(2, 4, 4, 4))
    found, new_args, new_aux = fold_batch_norms(symbol, args, aux)
    assert operators(found) == operators(symbol)
    assert (sorted(new_args), sorted(new_aux)) == (sorted(args), sorted(aux))


@pytest.mark.parametrize("name", ["conv", "bn", "Convolution", "BatchNorm"])
def test_excluded_nodes_are_left_unchanged(name):
    conv = sym.Convolution(sym.var("data"), kernel=(1, 1), num_filter=4, name="conv")
    symbol = sym.BatchNorm(conv, name="bn")
    args, aux = arrays(symbol, data=(2, 4, 4, 4))
    assert operators(fold_batch_norms(symbol, args, aux, [name])[0]) == operators(symbol)


def test_unknown_parameters():
    conv = sym.Convolution(sym.var("data"), kernel=(1, 1), num_filter=4, name="conv")
    symbol = sym.BatchNorm(conv, name="bn")
    assert operators(fold_batch_norms(symbol, {}, {})[0]) == operators(symbol)
