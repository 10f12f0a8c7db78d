"""Tests of operators on boxes: ties, many boxes on several threads, gradients and errors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opforge_detection import references
from opforge_detection.checks import boxes as made_boxes

from opforge import autograd, nd, sym
from opforge.base.errors import AttributeValueError, OpforgeError

SCORES = st.floats(-1, 1, width=16) | st.sampled_from([np.nan, np.inf, -np.inf, 0.0, -0.0])


def rows(rng, *shape, classes=5):
    ids = rng.integers(0, classes, (*shape, 1))
    return np.concatenate([ids, rng.uniform(-0.1, 1, (*shape, 1)), made_boxes(rng, *shape)], -1)


@settings(max_examples=100, deadline=None)
@given(st.lists(SCORES, max_size=80), st.sampled_from(["float16", "float32", "float64"]))
def test_sorting_by_score_is_stable(scores, dtype):
    x = np.zeros((len(scores), 6), dtype)
    x[:, 1], x[:, 0] = scores, np.arange(len(scores))
    kept = nd.contrib.box_nms(nd.array(x, dtype=dtype), overlap_thresh=2.0).asnumpy()
    counts = x[x[:, 1] > 0]
    expected = counts[np.argsort(-counts[:, 1], kind="stable")]
    np.testing.assert_array_equal(kept[: len(expected)], expected)
    assert (kept[len(expected) :] == -1).all()


@pytest.mark.parametrize("images", [1, 5])
@pytest.mark.parametrize("attributes", [{}, {"id_index": 0}, {"id_index": 0, "topk": 300}])
def test_many_boxes(images, attributes):
    x = rows(np.random.default_rng(1), images, 700)
    result = nd.contrib.box_nms(nd.array(x, dtype="float64"), overlap_thresh=0.3, **attributes)
    expected = references.box_nms(x, overlap_thresh=0.3, **attributes)
    np.testing.assert_array_equal(result.asnumpy(), expected)


def test_gradients_of_kept_boxes():
    x = nd.array([[[0.2, 0, 0, 1, 1], [0.9, 5, 5, 6, 6], [0.8, 5, 5, 6, 6.1]]])
    x.attach_grad()
    with autograd.record():
        y = nd.contrib.box_nms(x, coord_start=1, score_index=0)
    y.backward(nd.array(np.arange(15).reshape(1, 3, 5)))
    expected = [[5, 6, 7, 8, 9], [0, 1, 2, 3, 4], [0, 0, 0, 0, 0]]
    assert x.grad.asnumpy().tolist() == [expected]


def test_float16_gradients_of_many_boxes():
    x = np.zeros((1, 3000, 5), "float16")
    x[0, :, 0] = np.where(np.arange(3000) == 2999, 1, -1)
    boxes = nd.array(x, dtype="float16")
    boxes.attach_grad()
    with autograd.record():
        y = nd.contrib.box_nms(boxes, coord_start=1, score_index=0)
    y.backward()
    assert np.flatnonzero(boxes.grad.asnumpy()[0, :, 0]).tolist() == [2999]


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"coord_start": 3}, "coord_start is 3; expected 0 to 2"),
        ({"coord_start": -1}, "coord_start is -1"),
        ({"score_index": 6}, "score_index is 6; expected 0 to 5"),
        ({"score_index": 4}, "score_index is 4; expected a column other than the coordinates"),
        ({"id_index": 7}, "id_index is 7"),
        ({"id_index": 1}, "id_index is 1; expected a column other than score_index"),
    ],
)
def test_invalid_columns_are_rejected(attributes, message):
    with pytest.raises(AttributeValueError, match=message):
        nd.contrib.box_nms(nd.zeros((2, 6)), **attributes)


def test_integers_are_rejected():
    with pytest.raises(OpforgeError, match="'lhs' has dtype int32; expected float32"):
        nd.contrib.box_iou(nd.zeros((2, 4), dtype="int32"), nd.zeros((2, 4), dtype="int32"))


@pytest.mark.parametrize("match", [3, -1, np.nan, np.inf, 1e30])
def test_invalid_matches_of_positive_samples_are_rejected(match):
    box, four = nd.ones((1, 2, 4)), nd.ones(4)
    matches = nd.array([[0, match]])
    with pytest.raises(OpforgeError, match=r"'matches' has .* for anchor 1 of image 0"):
        nd.contrib.box_encode(nd.ones((1, 2)), matches, box, nd.ones((1, 3, 4)), four, four)
    negative = nd.array([[-1, 0]])
    targets, _ = nd.contrib.box_encode(negative, matches, box, nd.ones((1, 3, 4)), four, four)
    assert not targets.asnumpy().any()


def test_nan_is_never_matched():
    scores = nd.array([[np.nan, 0.1], [0.3, np.nan]])
    of_rows, of_columns = nd.contrib.bipartite_matching(scores, threshold=0.01)
    assert of_rows.asnumpy().tolist() == [1, 0]
    assert of_columns.asnumpy().tolist() == [1, 0]


def test_symbols_infer_shapes():
    kept = sym.contrib.box_nms(sym.var("x"), name="kept")
    assert kept.list_outputs() == ["kept_output0"]
    assert kept.infer_shape(x=(2, 9, 6))[1] == [(2, 9, 6)]
    encoded = sym.contrib.box_encode(*(sym.var(name) for name in "smarxy"), name="coded")
    shapes, outputs, _ = encoded.infer_shape(s=(2, 5), m=(2, 5), a=(2, 5, 4), r=(2, 3, 4))
    assert shapes[-2:] == [(4,), (4,)] and outputs == [(2, 5, 4), (2, 5, 4)]


@pytest.mark.parametrize(
    ("name", "inputs", "attributes"),
    [
        ("bipartite_matching", 1, {"threshold": 0.1}),
        ("box_encode", 6, {}),
    ],
)
def test_outputs_have_mxnets_names(name, inputs, attributes):
    variables = [sym.var(f"x{at}") for at in range(inputs)]
    made = getattr(sym.contrib, name)(*variables, **attributes, name="z")
    assert made.list_outputs() == ["z_output0", "z_output1"]
