"""Winograd's convolution: errors, borders, and the setting that disables it."""

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
    """Return the largest error relative to the mean sum of the magnitudes of the terms.

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


# The README has a table of these errors. Those of plain sums are 4e-7.
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


def test_a_setting_disables_it(monkeypatch):
    # Plans are cached by shape: explicit zeros give another plan for the same sums.
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
    # Results that cover mostly padding make the mean small: errors of 2e-6 were observed.
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
def test_small_images_with_many_filters(images, channels, filters, height, width, groups):
    shape = (images, groups * channels, height, width)
    assert error(*numbers(shape, groups * filters, groups), 1) < 4e-6


#: Shapes for which Winograd's algorithm is used: panels, deep loop order, groups, remainders.
OUTLIER_SHAPES = [
    ((1, 64, 28, 28), 64, 1),
    ((2, 192, 14, 14), 96, 1),
    ((2, 48, 13, 17), 40, 2),
]
CORNERS_AND_INSIDE = [(0, 0), (0, -1), (-1, 0), (-1, -1), (5, 6), (0, 7), (8, -1)]


def finite_parts(data, weight, head):
    """Return bool arrays of the finite elements of the result and of both gradients."""
    got = convolve(data, weight, 1, "float32", lambda _: head)
    return [np.isfinite(x) for x in got]


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize(("shape", "filters", "groups"), OUTLIER_SHAPES)
def test_nonfinite_elements_affect_only_dependent_results(shape, filters, groups, value):
    for position in CORNERS_AND_INSIDE:
        data, weight = numbers(shape, filters, groups)
        head = np.random.default_rng(1).standard_normal((shape[0], filters, *shape[2:]))
        data[0, 3, position[0], position[1]] = value
        for found, expected in zip(
            finite_parts(data, weight, head),
            finite_parts_directly(data, weight, head),
            strict=True,
        ):
            np.testing.assert_array_equal(found, expected)
        data[0, 3, position[0], position[1]] = 1
        head[0, 5, position[0], position[1]] = value
        for found, expected in zip(
            finite_parts(data, weight, head),
            finite_parts_directly(data, weight, head),
            strict=True,
        ):
            np.testing.assert_array_equal(found, expected)


def finite_parts_directly(data, weight, head):
    """Return `finite_parts` in float64, which never uses Winograd's algorithm."""
    got = convolve(data, weight, 1, "float64", lambda _: head)
    return [np.isfinite(x) for x in got]


def independent(shape, position):
    """Return a bool array of the results that do not depend on an element."""
    unseen = np.ones(shape, bool)
    y, x = (p % n for p, n in zip(position, shape[2:], strict=True))
    unseen[0, :, max(0, y - 1) : y + 2, max(0, x - 1) : x + 2] = False
    return unseen


@pytest.mark.parametrize("value", [1e2, 1e4, 1e6, 1e20, 3e38])
@pytest.mark.parametrize("position", [(0, 0), (9, 11), (-1, -1)])
def test_outliers_do_not_reduce_the_accuracy_of_others(value, position):
    data, weight = numbers((1, 64, 28, 28), 64)
    weight /= np.sqrt(9 * 64)
    head = np.random.default_rng(1).standard_normal((1, 64, 28, 28)).astype("float32")
    usual = [
        abs(x - y).max()
        for x, y in zip(
            convolve(data, weight, 1, "float32", lambda _: head),
            convolve(data, weight, 1, "float64", lambda _: head),
            strict=True,
        )
    ]

    data[0, 3, position[0], position[1]] = value
    y, dx, _ = convolve(data, weight, 1, "float32", lambda _: head)
    exact_y, exact_dx, _ = convolve(data, weight, 1, "float64", lambda _: head)
    unseen = independent(y.shape, position)
    assert abs(y - exact_y)[unseen].max() <= 1.2 * usual[0]
    assert abs(dx - exact_dx).max() <= 1.2 * usual[1]

    data[0, 3, position[0], position[1]] = 1
    head[0, 5, position[0], position[1]] = value
    _, dx, _ = convolve(data, weight, 1, "float32", lambda _: head)
    _, exact_dx, _ = convolve(data, weight, 1, "float64", lambda _: head)
    assert abs(dx - exact_dx)[unseen].max() <= 1.2 * usual[1]


@pytest.mark.parametrize("value", [1e4, 1e6, 1e20])
def test_outliers_at_a_corner_leave_the_other_taps_accurate(value):
    data, weight = numbers((1, 64, 28, 28), 64)
    head = np.random.default_rng(1).standard_normal((1, 64, 28, 28)).astype("float32")
    usual = abs(
        convolve(data, weight, 1, "float32", lambda _: head)[2]
        - convolve(data, weight, 1, "float64", lambda _: head)[2]
    ).max()
    for array, axis in ((data, 1), (head, 0)):
        array[0, 3, 0, 0] = value
        got = convolve(data, weight, 1, "float32", lambda _: head)[2]
        exact = convolve(data, weight, 1, "float64", lambda _: head)[2]
        # The first element is under the taps (1, 1) to (0, 0) of data, (1, 1) to (2, 2) of results.
        unseen = got.take(3, axis)[:, 2] if axis else got.take(3, axis)[:, 0]
        wanted = exact.take(3, axis)[:, 2] if axis else exact.take(3, axis)[:, 0]
        assert abs(unseen - wanted).max() <= 1.2 * usual
        array[0, 3, 0, 0] = 1


@pytest.mark.parametrize("kind", ["normal", "relu", "bytes", "sparse"])
def test_ordinary_data_are_transformed(kind, monkeypatch):
    data, weight = numbers((1, 64, 28, 28), 64)
    rng = np.random.default_rng(3)
    data = {
        "normal": data,
        "relu": np.maximum(data, 0),
        "bytes": rng.integers(0, 256, data.shape).astype("float32"),
        "sparse": np.maximum(data - 1, 0),
    }[kind]
    monkeypatch.delenv(SETTING, raising=False)
    transformed = convolve(data, weight, 1, "float32")[0]
    monkeypatch.setenv(SETTING, "0")  # and another plan, as above
    padded = np.pad(data, ((0, 0), (0, 0), (1, 1), (1, 1)))
    direct = convolve(padded, weight, 0, "float32")[0]
    # Each of the two panels of tiles has separate rounding errors.
    assert (transformed != direct)[..., :16, :].mean() > 0.5
    assert (transformed != direct)[..., 20:, :].mean() > 0.5
