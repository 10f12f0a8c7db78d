"""Index keys become plans and NumPy keys."""

import numpy as np
import pytest

from opforge import nd
from opforge.ndarray._indexing import (
    advanced_key,
    expanded,
    is_advanced,
    linear_indices,
    plan_basic,
)

SHAPE = (3, 4, 5)
WHOLE = slice(None)
KEYS = [
    0,
    -1,
    (1, 2),
    (1, 2, 3),
    slice(1, 3),
    slice(None, None, -1),
    slice(5, 1),
    (slice(0, 2), slice(1, 4, 2)),
    (Ellipsis, 0),
    (0, Ellipsis, slice(2, 4)),
    None,
    (None, 1, None, slice(0, 1)),
    (slice(2, 0, -1), 3, slice(None, None, 3)),
    (1, slice(0, 2)),
    (slice(1, 2), slice(1, 3)),
    Ellipsis,
    np.int64(2),
]


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_plan_names_the_elements_that_numpy_names(key):
    whole = np.arange(60).reshape(SHAPE)
    plan = plan_basic(key, SHAPE)
    want = whole[key]
    part = tuple(slice(b, e, s) for b, e, s in zip(plan.begin, plan.end, plan.step, strict=True))
    assert plan.shape == (want.shape or (1,))
    assert whole[part].shape == plan.length
    np.testing.assert_array_equal(whole[part].ravel(), want.ravel())


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_offset_where_the_elements_lie_side_by_side(key):
    flat = np.arange(60)
    want = flat.reshape(SHAPE)[key].ravel()
    plan = plan_basic(key, SHAPE)
    adjacent = want.size == 0 or (want == np.arange(want[0], want[0] + want.size)).all()
    assert (plan.offset >= 0) == bool(adjacent)
    if plan.offset >= 0:
        np.testing.assert_array_equal(flat[plan.offset : plan.offset + want.size], want)


@pytest.mark.parametrize(
    ("key", "error", "words"),
    [
        (3, IndexError, "index 3 is out of bounds for axis 0 with size 3"),
        ((0, -5), IndexError, "index -5 is out of bounds for axis 1 with size 4"),
        ((0, 0, 0, 0), IndexError, r"too many indices \(4\) for array with 3 dimensions"),
        ((Ellipsis, Ellipsis), IndexError, "single ellipsis"),
        (slice(None, None, 0), ValueError, "slice step cannot be zero"),
        (1.5, ValueError, "does not support slicing with key 1.5"),
        ("name", ValueError, "does not support slicing"),
    ],
)
def test_errors(key, error, words):
    with pytest.raises(error, match=words):
        plan_basic(key, SHAPE)


def test_expanded_fills_up():
    assert expanded((Ellipsis, 1), 3) == [WHOLE, WHOLE, 1]
    assert expanded((None, 1), 2) == [None, 1, WHOLE]


def test_is_advanced():
    assert is_advanced([0]) and is_advanced((0, nd.array([1]))) and is_advanced(np.array([1]))
    assert not is_advanced((0, slice(1), None, Ellipsis))


def test_a_single_truth_value_is_an_index():
    assert plan_basic(True, SHAPE).shape == (4, 5)
    (rows, *_) = advanced_key(([0, 1], True), SHAPE)[1:]
    assert rows == 1
    assert advanced_key((nd.array([1.0, 0.0]), True), SHAPE)[0].dtype == np.int64
    with pytest.raises(IndexError, match="cannot be an index"):
        advanced_key((np.array(["a"]),), SHAPE)


@pytest.mark.parametrize("kind", [list, np.array, lambda mask: nd.array(mask, dtype="bool")])
@pytest.mark.parametrize("axes", [(0,), (1,), (2,), (0, 1), (1, 2), (0, 1, 2)], ids=str)
def test_masks_become_positions(kind, axes):
    mask = np.random.default_rng(3).random([SHAPE[axis] for axis in axes]) > 0.5
    given = mask.tolist() if kind is list else kind(mask)
    key = (*[WHOLE] * axes[0], given)
    whole = np.arange(60).reshape(SHAPE)
    found = advanced_key(key, SHAPE)
    np.testing.assert_array_equal(whole[found], whole[(*key[:-1], mask)])
    assert all(item.dtype == np.int64 for item in found if not isinstance(item, slice))


def test_masks_beside_other_items():
    whole, mask = np.arange(60).reshape(SHAPE), np.array([True, False, True])
    columns = np.array([True, False, True, False, False])
    for key in (
        (mask, 1),
        (mask, ..., columns),
        (None, mask),
        (..., columns),
        ([0, 2], ..., columns),
    ):
        np.testing.assert_array_equal(whole[advanced_key(key, SHAPE)], whole[key])


@pytest.mark.parametrize(
    "key", [[True, False], (WHOLE, np.ones((4, 4), bool)), np.ones((3, 4, 5, 1), bool)]
)
def test_the_shape_of_a_mask_is_that_of_its_axes(key):
    with pytest.raises(IndexError, match=r"boolean index of shape .*array of shape \(3, 4, 5\)"):
        advanced_key(key, SHAPE)


@pytest.mark.parametrize(
    "key",
    [
        ([0, 2],),
        ([0, 2], [1, 3]),
        (WHOLE, [0, 3]),
        ([[0], [2]], [1, 3]),
        (0, WHOLE, [4, 0]),
        ([1], None, [2]),
        ([0, 1], slice(1, 3), [2, 4]),
        ([],),
    ],
    ids=str,
)
def test_linear_indices_match_numpy(key):
    whole = np.arange(60).reshape(SHAPE)
    plain = tuple(np.array(k, dtype=int) if isinstance(k, list) else k for k in key)
    np.testing.assert_array_equal(linear_indices(advanced_key(key, SHAPE), SHAPE), whole[plain])


def test_linear_indices_check_bounds():
    with pytest.raises(IndexError, match="index 3 is out of bounds for axis 0 with size 3"):
        linear_indices(advanced_key([3], SHAPE), SHAPE)
