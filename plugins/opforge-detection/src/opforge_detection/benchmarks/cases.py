"""Benchmark cases for opforge and for MXNet, whose Python imports this file alone."""

from typing import Any

import numpy as np

__all__ = ["CASES"]

#: Of SSD-300: for each map pixels along an axis, size of its anchors and that of the next, ratios.
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
    """Return the corners of all anchors, (1, 8732, 4)."""
    found = [
        mx.nd.contrib.MultiBoxPrior(
            mx.nd.zeros((1, 1, pixels, pixels)),
            sizes=(size / 300, (size * following) ** 0.5 / 300),
            ratios=ratios,
        )
        for pixels, size, following, ratios in _MAPS
    ]
    return mx.nd.concat(*found, dim=1)


def _boxes(random: Any, *shape: int) -> Any:
    """Return corners of boxes of all sizes within (0, 0, 1, 1)."""
    corners = np.sort(random.uniform(0, 1, (2, *shape, 2)), axis=0)
    return np.concatenate(list(corners), -1)


def _of(make: Any, call: Any, trains: bool = False) -> Any:
    """Return what prepares a call on the arrays that `make` gives, with gradients or without."""

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
    numbers = np.zeros((512, 1))
    return random.standard_normal((1, 256, 50, 68)), np.concatenate([numbers, boxes], 1)


def _aligned(mx: Any, images: Any, boxes: Any) -> Any:
    return mx.nd.contrib.ROIAlign(
        images, boxes, pooled_size=(7, 7), spatial_scale=1 / 16, sample_ratio=2
    )


def _pooled(mx: Any, images: Any, boxes: Any) -> Any:
    return mx.nd.ROIPooling(images, boxes, pooled_size=(7, 7), spatial_scale=1 / 16)


def _scored(images: int) -> Any:
    """Return what makes rows (class, score, corners) of each image."""

    def make(random: Any) -> Any:
        kinds = random.integers(0, _CLASSES, (images, _ANCHORS, 1))
        scores = random.uniform(0, 1, (images, _ANCHORS, 1))
        return (np.concatenate([kinds, scores, _boxes(random, images, _ANCHORS)], -1),)

    return make


def _suppressed(topk: int) -> Any:
    def call(mx: Any, rows: Any) -> Any:
        return mx.nd.contrib.box_nms(
            rows, overlap_thresh=0.45, valid_thresh=0.01, topk=topk, id_index=0
        )

    return call


def _labelled(random: Any) -> Any:
    """Return eight boxes of each of 32 images, and the network's scores."""
    kinds = random.integers(0, _CLASSES, (32, 8, 1))
    scores = random.standard_normal((32, 1 + _CLASSES, _ANCHORS))
    return np.concatenate([kinds, _boxes(random, 32, 8)], -1), scores


def _targets(mx: Any, folder: Any) -> Any:
    anchors = _ssd_anchors(mx)
    labels, scores = (mx.nd.array(values) for values in _labelled(np.random.default_rng(0)))
    return lambda: mx.nd.contrib.MultiBoxTarget(
        anchors, labels, scores, negative_mining_ratio=3, negative_mining_thresh=0.5
    )


def _detections(topk: int) -> Any:
    def prepare(mx: Any, folder: Any) -> Any:
        random, anchors = np.random.default_rng(0), _ssd_anchors(mx)
        scores = mx.nd.softmax(
            mx.nd.array(random.normal(0, 2, (32, 1 + _CLASSES, _ANCHORS))), axis=1
        )
        moves = mx.nd.array(random.normal(0, 0.5, (32, 4 * _ANCHORS)))
        return lambda: mx.nd.contrib.MultiBoxDetection(
            scores, moves, anchors, nms_threshold=0.45, nms_topk=topk
        )

    return prepare


def _moved(random: Any) -> Any:
    shapes = (1, 256, 32, 32), (256, 256, 3, 3), (256,)
    data, weight, bias = (random.standard_normal(shape) for shape in shapes)
    return data, random.uniform(-2, 2, (1, 18, 32, 32)), weight / 48, bias


def _deformed(mx: Any, data: Any, offset: Any, weight: Any, bias: Any) -> Any:
    return mx.nd.contrib.DeformableConvolution(
        data, offset, weight, bias, kernel=(3, 3), pad=(1, 1), num_filter=256
    )


def _both_ways(name: str, group: str, make: Any, call: Any) -> dict[str, Any]:
    """Return the case of a call, and that of the call with its gradients."""
    row = {"group": group, "target": 0.5}
    return {
        f"{name}, forward": {**row, "prepare": _of(make, call)},
        f"{name}, both": {**row, "prepare": _of(make, call, trains=True)},
    }


_REGIONS = "512 boxes on 256 channels of 50x68"
_SUPPRESSION = {"group": "boxes of 20 classes, 8,732 an image", "target": 0.5}
_SSD = {"group": "SSD-300, 32 images", "target": 0.5}

CASES = {
    **_both_ways("ROIAlign, 7x7 bins", _REGIONS, _regions, _aligned),
    **_both_ways("ROIPooling, 7x7 bins", _REGIONS, _regions, _pooled),
    "box_nms, 100 images, topk 400": {
        **_SUPPRESSION,
        "prepare": _of(_scored(100), _suppressed(400)),
    },
    # MXNet takes more than a second for each.
    "box_nms, one image, all boxes": {
        **_SUPPRESSION,
        "prepare": _of(_scored(1), _suppressed(-1)),
    },
    "MultiBoxTarget, 8 boxes an image": {**_SSD, "prepare": _targets},
    "MultiBoxDetection, nms_topk 400": {**_SSD, "prepare": _detections(400)},
    "MultiBoxDetection, all boxes": {**_SSD, "prepare": _detections(-1)},
    **_both_ways(
        "DeformableConvolution, 3x3 filters",
        "256 channels of 32x32",  # by opforge-convolution, if that is installed
        _moved,
        _deformed,
    ),
}
