"""nn.MultiHeadAttention, on complete sequences and position by position."""

import numpy as np
import pytest
from opforge_attention.checks import attention as reference

from opforge import autograd, gluon, init, nd
from opforge.base.errors import ShapeError


def make_layer(**arguments):
    layer = gluon.nn.MultiHeadAttention(12, num_heads=3, **arguments)
    layer.initialize(init.Normal(0.5))
    return layer


def expected_output(layer, query, key, value, *options, **attributes):
    """Compute the layer's output from its definition, in float64."""
    found = {
        name.removeprefix(layer.prefix): parameter.data().asnumpy().astype("float64")
        for name, parameter in layer.collect_params().items()
    }

    def projected(part, x):
        return x @ found[f"{part}_weight"].T + found.get(f"{part}_bias", 0)

    parts = [projected(n, x) for n, x in (("query", query), ("key", key), ("value", value))]
    return projected("out", reference(*parts, *options, num_heads=3, **attributes))


@pytest.mark.parametrize("hybridized", [False, True])
@pytest.mark.parametrize("use_bias", [False, True])
def test_optional_inputs(hybridized, use_bias):
    rng = np.random.default_rng(0)
    x, memory, content = (rng.standard_normal((2, n, w)) for n, w in ((4, 5), (6, 7), (6, 9)))
    for given in ((x,), (x, memory), (x, memory, content)):
        layer = make_layer(use_bias=use_bias)
        if hybridized:
            layer.hybridize()
        got = layer(*map(nd.array, given)).asnumpy()
        key = given[min(1, len(given) - 1)]
        wanted = expected_output(layer, given[0], key, given[-1])
        np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("hybridized", [False, True])
def test_masks_and_lengths(hybridized):
    rng = np.random.default_rng(1)
    x = rng.standard_normal((2, 4, 5))
    mask, counts = rng.random((2, 1, 4, 4)) > 0.3, np.array([3, 4], "int32")
    layer = make_layer(causal=True)
    if hybridized:
        layer.hybridize()
    arrays = [nd.array(x), None, None, nd.array(mask, dtype=bool), nd.array(counts, dtype="int32")]
    wanted = expected_output(
        layer := initialized(layer, x),
        *(x, x, x, mask.astype("uint8"), counts),
        causal=True,
        use_mask=True,
        use_length=True,
    )
    np.testing.assert_allclose(layer(*arrays).asnumpy(), wanted, rtol=1e-4, atol=1e-4)
    arrays[3] = None
    wanted = expected_output(layer, x, x, x, counts, causal=True, use_length=True)
    np.testing.assert_allclose(layer(*arrays).asnumpy(), wanted, rtol=1e-4, atol=1e-4)


def initialized(layer, x):
    layer(nd.array(x))
    return layer


def test_the_layer_learns():
    layer = make_layer(dropout=0.1)
    trainer = gluon.Trainer(layer.collect_params(), "adam", {"learning_rate": 0.01})
    rng = np.random.default_rng(2)
    x, wanted = (nd.array(rng.standard_normal((4, 5, 12))) for _ in range(2))
    losses = []
    for _ in range(30):
        with autograd.record():
            loss = ((layer(x) - wanted) ** 2).mean()
        loss.backward()
        trainer.step(1)
        losses.append(loss.asscalar())
    assert losses[-1] < 0.8 * losses[0]


@pytest.mark.parametrize("sizes", [[1] * 7, [3, 1, 3], [7]])
def test_steps_agree_with_a_causal_layer(sizes):
    layer = make_layer(causal=True)
    x = nd.array(np.random.default_rng(3).standard_normal((2, 7, 12)))
    wanted = layer(x).asnumpy()
    cache = layer.begin_cache(batch_size=2, capacity=2)
    ends = np.cumsum(sizes)
    parts = [
        layer.step(x[:, end - n : end], cache).asnumpy() for n, end in zip(sizes, ends, strict=True)
    ]
    np.testing.assert_allclose(np.concatenate(parts, 1), wanted, rtol=1e-5, atol=1e-5)
    assert cache.length == 7


def test_the_first_step_infers_the_sizes():
    layer = make_layer(causal=True)
    cache = layer.begin_cache(batch_size=1)
    assert layer.step(nd.ones((1, 2, 5)), cache).shape == (1, 2, 12)
    assert cache.length == 2 and layer.key.weight.shape == (12, 5)


@pytest.mark.parametrize("dtype", ["float16", "float64"])
def test_caches_have_the_type_of_the_layer(dtype):
    layer = initialized(make_layer(causal=True), np.zeros((1, 1, 12)))
    layer.cast(dtype)
    assert layer.begin_cache(1).keys.dtype == np.dtype(dtype)


def test_another_batch_size_than_the_cache_raises():
    layer = initialized(make_layer(), np.zeros((1, 1, 12)))
    with pytest.raises(ShapeError, match="batch of 3; expected 2"):
        layer.step(nd.zeros((3, 1, 12)), layer.begin_cache(2))


@pytest.mark.parametrize(("units", "heads"), [(10, 3), (0, 1), (8, 0), (-4, 2)])
def test_invalid_sizes_raise(units, heads):
    with pytest.raises(ValueError, match="MultiHeadAttention: units is"):
        gluon.nn.MultiHeadAttention(units, heads)


def test_repr():
    assert repr(make_layer(causal=True)) == "MultiHeadAttention(12, 3 heads, causal)"
