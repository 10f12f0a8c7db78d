"""Winograd's convolution: its errors, its borders, and the setting that forbids it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opforge import autograd, nd

SETTING = "OPFORGE_CONVOLUTION_WINOGRAD"


def convolve(data, weight, pad, dtype, spread=lambda head: head):
    """Return the result of 3x3 filters and the gradients of data and weight."""
    x, w = nd.array(data, dtype=dtype), nd.array(weight, dtype=dtype)
    x.attach_grad()
    w.attach_grad()
    with autograd.record():
        y = nd.Convolution(
            x,
            w,
            no_bias=True,
            kernel=(3, 3),
            pad=(pad, pad),
            num_filter=len(weight),
            num_group=data.shape[1] // weight.shape[1],
        )
    head = np.random.default_rng(1).standard_normal(y.shape).astype("float32")
    y.backward(nd.array(spread(head), dtype=dtype))
    return y.asnumpy(), x.grad.asnumpy(), w.grad.asnumpy()


def error(data, weight, pad):
    """Return the largest error relative to the mean of the sums of magnitudes that are added up.

    Not to each result's own: four by four results share their errors, also those that are 0.
    """
    got = convolve(data, weight, pad, "float32")
    exact = convolve(data, weight, pad, "float64")
    sizes = convolve(abs(data), abs(weight), pad, "float64", abs)
    assert [x.shape for x in got] == [x.shape for x in exact]
    return max(
        float(abs(x - y).max() / size.mean()) for x, y, size in zip(got, exact, sizes, strict=True)
    )


def numbers(shape, filters, groups=1):
    rng, weight = np.random.default_rng(0), (filters, shape[1] // groups, 3, 3)
    return [rng.standard_normal(s).astype("float32") for s in (shape, weight)]


# The README's table has such errors. Those of the plain sum are 4e-7.
@pytest.mark.parametrize(
    ("shape", "filters", "groups"),
    [
        ((2, 16, 24, 24), 16, 1),
        ((1, 64, 28, 28), 64, 1),
        ((2, 192, 14, 14), 96, 1),
        ((2, 24, 14, 14), 96, 1),
        ((19, 48, 4, 7), 150, 1),  # several images in a block, parts of filters
        ((3, 64, 16, 17), 40, 2),
        ((1, 24, 9, 140), 24, 1),  # rows longer than a block
    ],
)
def test_errors_are_bounded(shape, filters, groups, monkeypatch):
    monkeypatch.delenv(SETTING, raising=False)
    assert error(*numbers(shape, filters, groups), 1) < 1.5e-6


def test_a_setting_forbids_it(monkeypatch):
    # Plans are kept by shape: zeros in the data in place of a pad make another plan of these sums.
    data, weight = numbers((1, 32, 40, 40), 32)
    padded = np.pad(data, ((0, 0), (0, 0), (1, 1), (1, 1)))
    monkeypatch.delenv(SETTING, raising=False)
    usual, _, usual_gradient = convolve(data, weight, 1, "float32")
    monkeypatch.setenv(SETTING, "0")
    forbidden, _, forbidden_gradient = convolve(padded, weight, 0, "float32")
    assert (usual != forbidden).any()
    assert (usual_gradient != forbidden_gradient).any()
    assert error(np.pad(padded, ((0, 0), (0, 0), (1, 1), (1, 1))), weight, 0) < 6e-7


@settings(max_examples=25, deadline=None)
@given(
    images=st.integers(1, 5),
    channels=st.integers(8, 24),
    filters=st.integers(8, 40),
    height=st.integers(3, 24),
    width=st.integers(3, 60),
    pad=st.integers(0, 4),
)
def test_borders_of_any_sizes(images, channels, filters, height, width, pad):
    # Results that see mostly the pad make the mean small: errors of 2e-6 were seen.
    assert error(*numbers((images, channels, height, width), filters), pad) < 1e-5


@settings(max_examples=25, deadline=None)
@given(
    images=st.integers(1, 4),
    channels=st.integers(8, 24),
    filters=st.integers(70, 100),
    height=st.integers(3, 14),
    width=st.integers(3, 14),
    groups=st.integers(1, 3),
)
def test_small_pictures_with_many_filters(images, channels, filters, height, width, groups):
    shape = (images, groups * channels, height, width)
    assert error(*numbers(shape, groups * filters, groups), 1) < 4e-6


def test_numbers_that_are_not_finite_stay_so():
    data, weight = numbers((1, 16, 32, 32), 16)
    data[0, 3, 5, 6] = np.nan
    assert np.isnan(convolve(data, weight, 1, "float32")[0][0, :, 4:7, 5:8]).all()
