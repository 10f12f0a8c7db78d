"""Benchmark cases for opforge and MXNet; MXNet's Python imports only this file."""

from typing import Any

import numpy as np

__all__ = ["CASES"]

#: Feature maps of SSD-300: pixels along an axis, anchor size of the map and of the next, ratios.
_FEW, _MANY = (1, 2, 0.5), (1, 2, 0.5, 3, 1 / 3)
_MAPS = (
    (38, 30, 60, _FEW),
    (19, 60, 111, _MANY),
    (10, 111, 162, _MANY),
    (5, 162, 213, _MANY),
    (3, 213, 264, _FEW),
    (1, 264, 315, _FEW),
)
_ANCHORS, _CLASSES = 8732, 20


def _ssd_anchors(mx: Any) -> Any:
    """Return the corners of all anchors, shape (1, 8732, 4)."""
    anchors = [
        mx.nd.contrib.MultiBoxPrior(
            mx.nd.zeros((1, 1, pixels, pixels)),
            sizes=(size / 300, (size * next_size) ** 0.5 / 300),
            ratios=ratios,
        )
        for pixels, size, next_size, ratios in _MAPS
    ]
    return mx.nd.concat(*anchors, dim=1)


def _boxes(random: Any, *shape: int) -> Any:
    """Return the corners of random boxes within (0, 0, 1, 1)."""
    corners = np.sort(random.uniform(0, 1, (2, *shape, 2)), axis=0)
    return np.concatenate(list(corners), -1)


def _preparation(make: Any, call: Any, trains: bool = False) -> Any:
    """Return a function that prepares a call on the arrays of `make`, optionally with gradients."""

    def prepare(mx: Any, folder: Any) -> Any:
        arrays = [mx.nd.array(values) for values in make(np.random.default_rng(0))]
        if not trains:
            return lambda: call(mx, *arrays)
        for array in arrays:
            array.attach_grad()

        def run() -> None:
            with mx.autograd.record():
                out = call(mx, *arrays)
            out.backward()

        return run

    return prepare


def _regions(random: Any) -> Any:
    boxes = _boxes(random, 512) * (68 * 16, 50 * 16, 68 * 16, 50 * 16)
    indices = np.zeros((512, 1))
    return random.standard_normal((1, 256, 50, 68)), np.concatenate([indices, boxes], 1)


def _roi_align(mx: Any, images: Any, boxes: Any) -> Any:
    return mx.nd.contrib.ROIAlign(
        images, boxes, pooled_size=(7, 7), spatial_scale=1 / 16, sample_ratio=2
    )


def _roi_pooling(mx: Any, images: Any, boxes: Any) -> Any:
    return mx.nd.ROIPooling(images, boxes, pooled_size=(7, 7), spatial_scale=1 / 16)


def _scored_boxes(images: int) -> Any:
    """Return a function that creates rows (class, score, corners) of each image."""

    def make(random: Any) -> Any:
        kinds = random.integers(0, _CLASSES, (images, _ANCHORS, 1))
        scores = random.uniform(0, 1, (images, _ANCHORS, 1))
        return (np.concatenate([kinds, scores, _boxes(random, images, _ANCHORS)], -1),)

    return make


def _box_nms(topk: int) -> Any:
    def call(mx: Any, rows: Any) -> Any:
        return mx.nd.contrib.box_nms(
            rows, overlap_thresh=0.45, valid_thresh=0.01, topk=topk, id_index=0
        )

    return call


def _labels_and_scores(random: Any) -> Any:
    """Return eight boxes for each of 32 images, and the network's scores."""
    kinds = random.integers(0, _CLASSES, (32, 8, 1))
    scores = random.standard_normal((32, 1 + _CLASSES, _ANCHORS))
    return np.concatenate([kinds, _boxes(random, 32, 8)], -1), scores


def _targets(mx: Any, folder: Any) -> Any:
    anchors = _ssd_anchors(mx)
    labels, scores = (
        mx.nd.array(values) for values in _labels_and_scores(np.random.default_rng(0))
    )
    return lambda: mx.nd.contrib.MultiBoxTarget(
        anchors, labels, scores, negative_mining_ratio=3, negative_mining_thresh=0.5
    )


def _detections(topk: int) -> Any:
    def prepare(mx: Any, folder: Any) -> Any:
        random, anchors = np.random.default_rng(0), _ssd_anchors(mx)
        scores = mx.nd.softmax(
            mx.nd.array(random.normal(0, 2, (32, 1 + _CLASSES, _ANCHORS))), axis=1
        )
        offsets = mx.nd.array(random.normal(0, 0.5, (32, 4 * _ANCHORS)))
        return lambda: mx.nd.contrib.MultiBoxDetection(
            scores, offsets, anchors, nms_threshold=0.45, nms_topk=topk
        )

    return prepare


def _convolution_arrays(random: Any) -> Any:
    shapes = (1, 256, 32, 32), (256, 256, 3, 3), (256,)
    data, weight, bias = (random.standard_normal(shape) for shape in shapes)
    return data, random.uniform(-2, 2, (1, 18, 32, 32)), weight / 48, bias


def _deformable_convolution(mx: Any, data: Any, offset: Any, weight: Any, bias: Any) -> Any:
    return mx.nd.contrib.DeformableConvolution(
        data, offset, weight, bias, kernel=(3, 3), pad=(1, 1), num_filter=256
    )


def _forward_and_both(name: str, group: str, make: Any, call: Any) -> dict[str, Any]:
    """Return the cases of a call without and with its gradients."""
    row = {"group": group, "target": 0.5}
    return {
        f"{name}, forward": {**row, "prepare": _preparation(make, call)},
        f"{name}, both": {**row, "prepare": _preparation(make, call, trains=True)},
    }


_REGIONS = "512 boxes on 256 channels of 50x68"
_SUPPRESSION = {"group": "boxes of 20 classes, 8,732 an image", "target": 0.5}
_SSD = {"group": "SSD-300, 32 images", "target": 0.5}

CASES = {
    **_forward_and_both("ROIAlign, 7x7 bins", _REGIONS, _regions, _roi_align),
    **_forward_and_both("ROIPooling, 7x7 bins", _REGIONS, _regions, _roi_pooling),
    "box_nms, 100 images, topk 400": {
        **_SUPPRESSION,
        "prepare": _preparation(_scored_boxes(100), _box_nms(400)),
    },
    # Each takes MXNet more than a second.
    "box_nms, one image, all boxes": {
        **_SUPPRESSION,
        "prepare": _preparation(_scored_boxes(1), _box_nms(-1)),
    },
    "MultiBoxTarget, 8 boxes an image": {**_SSD, "prepare": _targets},
    "MultiBoxDetection, nms_topk 400": {**_SSD, "prepare": _detections(400)},
    "MultiBoxDetection, all boxes": {**_SSD, "prepare": _detections(-1)},
    **_forward_and_both(
        "DeformableConvolution, 3x3 filters",
        "256 channels of 32x32",  # requires opforge-convolution
        _convolution_arrays,
        _deformable_convolution,
    ),
}
