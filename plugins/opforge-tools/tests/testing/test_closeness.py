"""The comparison of arrays agrees with NumPy's, and its message shows where they differ."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from opforge_tools.testing._closeness import ordinals

from opforge import nd
from opforge.testing import assert_allclose

ODD = st.sampled_from([0.0, -0.0, 1.0, 1.0000001, 1.1, -1.0, 1e30, np.inf, -np.inf, np.nan])


def told(actual, expected, *args, **kwargs):
    with pytest.raises(AssertionError) as caught:
        assert_allclose(actual, expected, *args, **kwargs)
    return str(caught.value).splitlines()


@given(
    hnp.arrays("float64", (2, 3), elements=ODD),
    hnp.arrays("float64", (2, 3), elements=ODD),
    st.sampled_from([0.0, 1e-6, 0.2]),
    st.sampled_from([0.0, 1e-6, 0.2]),
    st.booleans(),
)
def test_it_agrees_with_numpy(a, b, rtol, atol, equal_nan):
    wanted = np.isclose(a, b, rtol, atol, equal_nan).all()
    try:
        assert_allclose(a, b, rtol, atol, equal_nan=equal_nan)
    except AssertionError:
        assert not wanted
    else:
        assert wanted


@pytest.mark.parametrize(
    "dtype, near, far",
    [("float16", 1e-3, 1e-1), ("float32", 5e-6, 1e-4), ("float64", 1e-7, 1e-5)],
)
def test_the_usual_tolerance_is_the_coarser_types(dtype, near, far):
    one = np.ones(3)
    assert_allclose(nd.array(one + near, dtype=dtype), one)
    assert_allclose(one, nd.array(one + near, dtype=dtype))
    assert "3 of 3 elements differ" in told(nd.array(one + far, dtype=dtype), one)[0]


def test_numbers_without_fractions_are_to_be_equal_to_the_last_digit():
    large = np.array([2**60, 7])
    assert_allclose(large, large.copy())
    lines = told(large, large + [1, 0])
    assert lines[0] == "1 of 2 elements differ by more than rtol=0, atol=0"
    assert str(2**60) in lines[2] and str(2**60 + 1) in lines[2]
    assert told(np.array([True, False]), np.array([True, True]))[-1] == "  .!"


def test_other_shapes_are_told():
    assert told(nd.ones((2, 3)), np.ones((3, 2)), where="x") == [
        "shape (2, 3), expected (3, 2) for x"
    ]


def test_table_has_the_first_and_worst_differences():
    a = np.zeros((5, 5), "float32")
    b = a.copy()
    b[1:4, 1:4] = 1
    b[4, 4] = np.nextafter(np.float32(1), np.float32(2))
    b[3, 2] = 50
    lines = told(a, b, 0, 0.5)
    assert lines[0] == "10 of 25 elements differ by more than rtol=0, atol=0.5"
    assert lines[1].split() == ["place", "actual", "expected", "difference", "ulp"]
    assert lines[2].split()[:5] == ["(1,", "1)", "0", "1", "-1"]
    assert lines[9].split()[:4] == ["(3,", "2)", "0", "50"]
    assert lines[10] == "  and 2 more; the table includes the worst"


def test_distances_are_counted_in_numbers_between():
    one = np.float32([1, -1e-45])
    next_ones = np.float32([np.nextafter(np.float32(1), np.float32(2)), 1e-45])
    lines = told(one, next_ones, 0, 0)
    assert [line.split()[-1] for line in lines[2:4]] == ["1", "2"]
    assert told(np.float32([np.nan]), one[:1])[2].split()[-1] == "-"


@given(st.floats(width=32, allow_nan=False), st.floats(width=32, allow_nan=False))
def test_ordinals_are_ordered_like_floats(a, b):
    first, second = ordinals(np.float32([a, b])).tolist()
    assert (first < second) == (a < b) and (first == second) == (a == b)


def test_the_picture_shows_how_much_where():
    b = np.zeros((3, 4))
    b[0, 1], b[1, 2], b[2, 0], b[2, 3] = 0.05, 5, 5000, np.nan
    lines = told(np.zeros((3, 4)), b, 0, 0.01)
    assert lines[-3:] == ["  .-..", "  ..+.", "  #..!"]
    assert told(np.zeros(3), np.array([0, 0, 1.0]))[-1] == "  ..#"
    assert told(np.zeros(()), np.ones(()))[-1] == "  #"


@pytest.mark.parametrize("shape", [(1000, 1000), (100_000,), (3, 5, 7, 11), (100_000, 1)])
def test_the_picture_of_a_large_array_is_small_and_misses_nothing(shape):
    a = np.zeros(shape, "float32")
    b = a.copy()
    b.reshape(-1)[-1] = 1
    lines = told(a, b)
    picture = lines[next(n for n, line in enumerate(lines) if line.startswith("where")) + 1 :]
    assert len(picture) <= 16 and max(map(len, picture)) <= 66
    assert picture[-1][-1] == "#" and "".join(picture).count("#") == 1
    assert "elements per character" in "\n".join(lines)
