"""nn.MultiHeadAttention, as a whole and position by position."""

import numpy as np
import pytest
from opforge_attention.checks import attention as reference

from opforge import autograd, gluon, init, nd
from opforge.base.errors import ShapeError


def made(**arguments):
    layer = gluon.nn.MultiHeadAttention(12, num_heads=3, **arguments)
    layer.initialize(init.Normal(0.5))
    return layer


def by_hand(layer, query, key, value, *options, **attributes):
    """Return what the layer's definition says, in float64."""
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
def test_inputs_that_are_left_out(hybridized, use_bias):
    rng = np.random.default_rng(0)
    x, memory, content = (rng.standard_normal((2, n, w)) for n, w in ((4, 5), (6, 7), (6, 9)))
    for given in ((x,), (x, memory), (x, memory, content)):
        layer = made(use_bias=use_bias)
        if hybridized:
            layer.hybridize()
        got = layer(*map(nd.array, given)).asnumpy()
        key = given[min(1, len(given) - 1)]
        wanted = by_hand(layer, given[0], key, given[-1])
        np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("hybridized", [False, True])
def test_masks_and_lengths(hybridized):
    rng = np.random.default_rng(1)
    x = rng.standard_normal((2, 4, 5))
    mask, counts = rng.random((2, 1, 4, 4)) > 0.3, np.array([3, 4], "int32")
    layer = made(causal=True)
    if hybridized:
        layer.hybridize()
    arrays = [nd.array(x), None, None, nd.array(mask, dtype=bool), nd.array(counts, dtype="int32")]
    wanted = by_hand(
        layer := initialised(layer, x),
        *(x, x, x, mask.astype("uint8"), counts),
        causal=True,
        use_mask=True,
        use_length=True,
    )
    np.testing.assert_allclose(layer(*arrays).asnumpy(), wanted, rtol=1e-4, atol=1e-4)
    arrays[3] = None
    wanted = by_hand(layer, x, x, x, counts, causal=True, use_length=True)
    np.testing.assert_allclose(layer(*arrays).asnumpy(), wanted, rtol=1e-4, atol=1e-4)


def initialised(layer, x):
    layer(nd.array(x))
    return layer


def test_it_learns():
    layer = made(dropout=0.1)
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
def test_steps_are_what_a_causal_layer_gives_at_once(sizes):
    layer = made(causal=True)
    x = nd.array(np.random.default_rng(3).standard_normal((2, 7, 12)))
    wanted = layer(x).asnumpy()
    cache = layer.begin_cache(batch_size=2, capacity=2)
    ends = np.cumsum(sizes)
    parts = [
        layer.step(x[:, end - n : end], cache).asnumpy() for n, end in zip(sizes, ends, strict=True)
    ]
    np.testing.assert_allclose(np.concatenate(parts, 1), wanted, rtol=1e-5, atol=1e-5)
    assert cache.length == 7


def test_a_cache_refuses_another_batch():
    layer = initialised(made(), np.zeros((1, 1, 12)))
    with pytest.raises(ShapeError, match="batch of 3, expected 2"):
        layer.step(nd.zeros((3, 1, 12)), layer.begin_cache(2))


@pytest.mark.parametrize(("units", "heads"), [(10, 3), (0, 1), (8, 0), (-4, 2)])
def test_sizes_that_make_no_heads_are_refused(units, heads):
    with pytest.raises(ValueError, match="MultiHeadAttention: units is"):
        gluon.nn.MultiHeadAttention(units, heads)


def test_it_prints_its_sizes():
    assert repr(made(causal=True)) == "MultiHeadAttention(12, 3 heads, causal)"
