"""Deformable convolutions and their layers against NumPy, and rejected arguments."""

import numpy as np
import pytest
from opforge_convolution.references import convolution, deformed

from opforge import autograd, gluon, nd
from opforge.testing import check_gradients

TOLERANCES = {"float16": 2e-2, "float32": 2e-5, "float64": 1e-11}
OPERATORS = {
    False: nd.contrib.DeformableConvolution,
    True: nd.contrib.ModulatedDeformableConvolution,
}


def arrays(modulated, groups=1, moved=1, n=2):
    """Return the inputs, with offsets between pixels, some of them outside the image."""
    rng = np.random.default_rng(0)
    offset = rng.integers(-3, 4, (n, moved * 12, 5, 4)) + rng.uniform(
        0.2, 0.8, (n, moved * 12, 5, 4)
    )
    mask = [rng.uniform(0, 1, (n, moved * 6, 5, 4))] if modulated else []
    weight = rng.standard_normal((4, 4 // groups, 3, 2))
    return [
        rng.standard_normal((n, 4, 5, 4)), offset, *mask, weight, rng.standard_normal(4),
    ]  # fmt: skip


def size(groups=1, moved=1):
    return {
        "kernel": (3, 2),
        "num_filter": 4,
        "num_group": groups,
        "num_deformable_group": moved,
        "pad": (1, 1),
        "dilate": (1, 2),
    }


@pytest.mark.parametrize("modulated", [False, True])
@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("moved", [1, 2, 4])
def test_values_and_gradients(modulated, groups, moved):
    given, attributes = arrays(modulated, groups, moved), size(groups, moved)
    fields = given[:-2] if modulated else [*given[:-2], None]
    wanted = deformed(*fields, *given[-2:], **attributes)
    for dtype, tolerance in TOLERANCES.items():
        out = OPERATORS[modulated](*[nd.array(x, dtype=dtype) for x in given], **attributes)
        assert out.dtype == np.dtype(dtype)
        if dtype != "float16":  # whose offsets are rounded
            scale = np.abs(wanted).max()
            np.testing.assert_allclose(out.asnumpy(), wanted, rtol=0, atol=tolerance * scale)
    check_gradients(lambda *x: OPERATORS[modulated](*x, **attributes), given)


@pytest.mark.parametrize("modulated", [False, True])
def test_float16_is_computed_in_float32(modulated):
    given = [nd.array(x, dtype="float16") for x in arrays(modulated)]
    wide = [x.astype("float32") for x in given]
    results = []
    for inputs in (given, wide):
        for x in inputs:
            x.attach_grad()
        with autograd.record():
            out = OPERATORS[modulated](*inputs, **size())
        out.backward()
        results.append([out, *[x.grad for x in inputs]])
    for half, whole in zip(*results, strict=True):
        np.testing.assert_array_equal(half.asnumpy(), whole.astype("float16").asnumpy())


def test_zero_offsets_give_a_convolution():
    data, offset, weight, bias = arrays(False)
    window = {key: size()[key] for key in ("kernel", "num_filter", "pad", "dilate")}
    given = [nd.array(x, dtype="float64") for x in (data, 0 * offset, weight, bias)]
    out = nd.contrib.DeformableConvolution(*given, **window)
    np.testing.assert_allclose(out.asnumpy(), convolution(data, weight, bias, **window), rtol=1e-9)


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf, 1e30, -1e30])
@pytest.mark.parametrize("modulated", [False, True])
def test_offsets_far_outside(modulated, odd):
    data, offset, *others = arrays(modulated)
    offset[:] = odd
    given = [nd.array(x) for x in (data, offset, *others)]
    for x in given:
        x.attach_grad()
    with autograd.record():
        out = OPERATORS[modulated](*given, **size())
    out.backward()
    assert np.isfinite(out.asnumpy()).all()
    assert not given[0].grad.asnumpy().any() and not given[1].grad.asnumpy().any()


@pytest.mark.parametrize("modulated", [False, True])
def test_mixed_offsets(modulated):
    given = arrays(modulated)
    rng = np.random.default_rng(1)
    odd = rng.choice([np.nan, np.inf, -np.inf, 1e30, -1e30, 2.0**62, -1.0, 5.0], given[1].shape)
    given[1] = np.where(rng.random(odd.shape) < 0.3, odd, given[1])
    fields = given[:-2] if modulated else [*given[:-2], None]
    wanted = deformed(*fields, *given[-2:], **size())
    out = OPERATORS[modulated](*[nd.array(x, dtype="float64") for x in given], **size())
    np.testing.assert_allclose(out.asnumpy(), wanted, rtol=0, atol=1e-11 * np.abs(wanted).max())


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_any_number_of_channels_and_positions(dtype):
    """Cover all remainders of vectors, and blocks of positions with a shorter last one."""
    for channels in range(1, 36):
        rng = np.random.default_rng(channels)
        lengths = (11, channels + 9)
        offset = rng.uniform(-2, 2, (1, 8, *lengths))
        data, weight, other = (
            rng.standard_normal(shape)
            for shape in ((1, channels, *lengths), (3, channels, 2, 2), (3, channels, 2, 2))
        )
        attributes = {"kernel": (2, 2), "num_filter": 3, "pad": (1, 1), "dilate": (2, 2)}
        x = [nd.array(value, dtype=dtype) for value in (data, offset, weight)]
        x[2].attach_grad()
        with autograd.record():
            out = nd.contrib.DeformableConvolution(*x, no_bias=True, **attributes)
        head = rng.standard_normal(out.shape)
        out.backward(nd.array(head, dtype=dtype))
        wanted = deformed(data, offset, None, weight, **attributes)
        atol = TOLERANCES[dtype] * np.abs(wanted).max()
        np.testing.assert_allclose(out.asnumpy(), wanted, rtol=0, atol=atol)
        # The result is linear in the weight.
        along = (x[2].grad.asnumpy() * other).sum()
        slope = (head * deformed(data, offset, None, other, **attributes)).sum()
        assert abs(along - slope) <= 100 * atol, channels


def test_large_filters_with_minimal_blocks():
    rows = np.arange(29.0)[:, None] + np.arange(40.0)
    data = nd.broadcast_to(nd.array(rows).reshape((1, 1, 29, 40)), shape=(1, 4000, 29, 40))
    offset, weight = nd.zeros((1, 18, 27, 38)), nd.ones((1, 4000, 3, 3))
    out = nd.contrib.DeformableConvolution(
        data, offset, weight, kernel=(3, 3), num_filter=1, no_bias=True
    )
    # The mean of nine positions is the one in the middle.
    np.testing.assert_allclose(out.asnumpy()[0, 0], 36000 * rows[1:-1, 1:-1], rtol=1e-5)


def test_empty_batch():
    given = [nd.array(x) for x in arrays(True, n=0)]
    assert OPERATORS[True](*given, **size()).shape == (0, 4, 5, 4)


@pytest.mark.parametrize(
    ("attributes", "words"),
    [
        ({"num_deformable_group": 3}, "data has 4 channels; expected a multiple of num_deform"),
        ({"num_deformable_group": 2}, r"offset.*Provided = .2,12,5,4., inferred shape=.2,24,5,4"),
        ({"kernel": (3,)}, r"kernel has 1 numbers; expected 2: \(h, w\)"),
        ({"kernel": (9, 2)}, "does not fit data of 5 with pad 1"),
    ],
)
def test_invalid_arguments_raise(attributes, words):
    given = [nd.array(x) for x in arrays(False)]
    with pytest.raises(ValueError, match=words) as caught:
        nd.contrib.DeformableConvolution(*given, **{**size(), **attributes})
    assert "DeformableConvolution" in str(caught.value)


@pytest.mark.parametrize("name", ["DeformableConvolution", "ModulatedDeformableConvolution"])
def test_layers_are_initially_convolutions(name):
    layer = getattr(gluon.contrib.cnn, name)(
        6, 3, padding=1, groups=2, num_deformable_group=2, activation="relu"
    )
    assert repr(layer) == (
        f"{name}(None -> 6, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1), groups=2, "
        "Activation(relu))"
    )
    layer.initialize()
    layer.hybridize()
    x = nd.array(np.random.default_rng(0).standard_normal((2, 4, 5, 4)))
    out = layer(x)
    window = {"kernel": (3, 3), "num_filter": 6, "num_group": 2, "pad": (1, 1)}
    weight = layer.deformable_conv_weight.data()
    plain = nd.relu(nd.Convolution(x, weight, no_bias=True, **window))
    np.testing.assert_allclose(out.asnumpy(), plain.asnumpy(), rtol=1e-4, atol=1e-5)
    each = 36 if name.startswith("Def") else 54
    assert layer.offset_weight.shape == (each, 2, 3, 3) and layer.offset_bias.shape == (each,)
