"""Tests of anchors, targets, detections and proposals: several threads and errors."""

import numpy as np
import pytest
from opforge_detection import multibox_references as multibox
from opforge_detection import proposal_references
from opforge_detection.checks import boxes as made_boxes

from opforge import nd
from opforge.base.errors import AttributeValueError, OpforgeError, ShapeError


@pytest.mark.parametrize("batch", [1, 5])
def test_targets_of_many_anchors(batch):
    rng = np.random.default_rng(2)
    anchors, scores = made_boxes(rng, 1, 1500), rng.normal(size=(batch, 4, 1500))
    label = np.concatenate([rng.integers(0, 3, (batch, 6, 1)), made_boxes(rng, batch, 6)], -1)
    label[0, 4:] = -1
    inputs = anchors, label, scores
    for attributes in ({}, {"negative_mining_ratio": 3.0, "overlap_threshold": 0.4}):
        result = nd.contrib.MultiBoxTarget(
            *(nd.array(x, dtype="float64") for x in inputs), **attributes
        )
        for one, other in zip(result, multibox.target(*inputs, **attributes), strict=True):
            np.testing.assert_allclose(one.asnumpy(), other, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("batch", [1, 5])
def test_detections_of_many_anchors(batch):
    rng = np.random.default_rng(3)
    scores = rng.dirichlet(np.ones(4), (batch, 700)).swapaxes(1, 2)
    inputs = scores, rng.normal(size=(batch, 2800)), made_boxes(rng, 1, 700)
    for attributes in ({}, {"nms_topk": 300}, {"force_suppress": True, "nms_threshold": 0.2}):
        result = nd.contrib.MultiBoxDetection(
            *(nd.array(x, dtype="float64") for x in inputs), **attributes
        )
        expected = multibox.detection(*inputs, **attributes)
        np.testing.assert_allclose(result.asnumpy(), expected, rtol=1e-9, atol=1e-9)


def test_proposals_of_a_large_map():
    rng = np.random.default_rng(4)
    scores, moves = rng.uniform(0, 1, (1, 6, 20, 20)), rng.normal(size=(1, 12, 20, 20)) * 0.2
    inputs = scores, moves, np.array([[320.0, 310.0, 1.0]])
    attributes = {"scales": (2.0,), "rpn_post_nms_top_n": 200, "rpn_min_size": 4}
    result = nd.contrib.Proposal(*(nd.array(x, dtype="float64") for x in inputs), **attributes)
    expected = proposal_references.proposal(*inputs, **attributes)
    np.testing.assert_allclose(result.asnumpy(), expected, rtol=1e-9, atol=1e-9)


def test_class_minus_one_with_a_box_is_rejected():
    label = nd.array([[[-1, 0, 0, 1, 1]]])
    with pytest.raises(OpforgeError, match="'label' has class -1 with a box in image 0"):
        nd.contrib.MultiBoxTarget(nd.ones((1, 3, 4)), label, nd.ones((1, 2, 3)))


def test_too_few_negative_anchors_are_rejected():
    box = nd.array([[[0, 0, 1, 1], [0, 0, 1, 0.9]]])
    label = nd.array([[[0, 0, 0, 1, 1]]])
    with pytest.raises(OpforgeError, match="1 more negative anchors than image 0 has"):
        nd.contrib.MultiBoxTarget(
            box, label, nd.ones((1, 2, 2)), overlap_threshold=0.95, negative_mining_ratio=1
        )


def test_labels_and_scores_of_wrong_shape_are_rejected():
    with pytest.raises(ShapeError, match=r"label has shape \(1, 2, 4\)"):
        nd.contrib.MultiBoxTarget(nd.ones((1, 3, 4)), nd.ones((1, 2, 4)), nd.ones((1, 2, 3)))
    with pytest.raises(ShapeError, match=r"cls_pred has shape .* expected \(1, classes, 3\)"):
        nd.contrib.MultiBoxTarget(nd.ones((1, 3, 4)), nd.ones((1, 2, 5)), nd.ones((1, 2, 4)))
    with pytest.raises(ShapeError, match=r"loc_pred has shape .* expected \(1, 12\)"):
        nd.contrib.MultiBoxDetection(nd.ones((1, 2, 3)), nd.ones((1, 9)), nd.ones((1, 3, 4)))


def test_image_larger_than_its_map_is_rejected():
    scores, moves = nd.ones((1, 2, 2, 2)), nd.zeros((1, 4, 2, 2))
    sizes = {"scales": (2,), "ratios": (1,)}
    with pytest.raises(OpforgeError, match="an image of 48 by 32; expected at most 32 by 32"):
        nd.contrib.Proposal(scores, moves, nd.array([[48, 32, 1]]), **sizes)
    with pytest.raises(AttributeValueError, match="2 images; expected one; use MultiProposal"):
        nd.contrib.Proposal(nd.ones((2, 2, 2, 2)), moves, nd.array([[32, 32, 1]]), **sizes)


@pytest.mark.parametrize("attributes", [{"sizes": ()}, {"ratios": ()}, {"steps": (0.1,)}])
def test_anchors_without_sizes_are_rejected(attributes):
    with pytest.raises(AttributeValueError, match=next(iter(attributes))):
        nd.contrib.MultiBoxPrior(nd.zeros((1, 1, 2, 2)), **attributes)
