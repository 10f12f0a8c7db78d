"""Calls with random sizes and attributes: results, extreme boxes and memory use.

``--stress 125`` makes 10,000 calls of each operator.
"""

from pathlib import Path

import numpy as np
import pytest
from opforge_detection.checks import OPERATOR_CHECKS

from opforge import autograd, nd
from opforge.base.errors import OpforgeError

PLAIN = "plain"
KINDS = ("inverted", "huge", np.nan, np.inf, -np.inf)
#: Lengths 0 to 39, which leave every possible remainder for vectors of any width.
LENGTHS = 40
#: More than the memory pool retains for arrays of these sizes.
GROWTH = 32 << 20


def boxes(rng, kind, *shape):
    """Return corners of boxes; for most kinds, a tenth of the coordinates or boxes is abnormal."""
    begin = rng.uniform(0, 1, (*shape, 2))
    made = np.concatenate([begin, begin + rng.uniform(0.05, 0.6, (*shape, 2))], -1)
    some = rng.random(made.shape) < 0.1
    if kind == "inverted":
        return np.where(some[..., :1], made[..., [2, 3, 0, 1]], made)
    if kind == "huge":
        return made * 10.0 ** rng.integers(-30, 30, (*shape, 1))
    return made if kind == PLAIN else np.where(some, kind, made)


def count(rng, least=0):
    return int(rng.integers(least, 40))


def one_of(rng, *values):
    return values[rng.integers(len(values))]


def flag(rng):
    return bool(rng.integers(2))


def iou(rng, kind, size):
    return [boxes(rng, kind, count(rng)), boxes(rng, kind, 2, size)], {
        "format": one_of(rng, "corner", "center")
    }


def nms(rng, kind, size):
    shape = int(rng.integers(3)), size
    heads = np.stack(
        [
            rng.integers(-1, 4, shape),
            rng.permutation(np.arange(1.0, 1 + np.prod(shape))).reshape(shape),
        ],
        -1,
    )
    return [np.concatenate([heads, boxes(rng, kind, *shape)], -1)], {
        "overlap_thresh": float(rng.uniform(0, 0.9)),
        "topk": int(rng.integers(-1, 40)),
        "id_index": int(rng.integers(-1, 1)),
        "force_suppress": flag(rng),
        "in_format": one_of(rng, "corner", "center"),
        "out_format": one_of(rng, "corner", "center"),
    }


def matching(rng, kind, size):
    shape = int(rng.integers(1, 4)), count(rng, 1), max(size, 1)
    scores = rng.permutation(np.arange(np.prod(shape))).reshape(shape) / np.prod(shape)
    return [scores], {
        "threshold": float(rng.random()),
        "is_ascend": flag(rng),
        "topk": int(rng.integers(-1, 20)),
    }


def encode(rng, kind, size):
    batch, n, m = int(rng.integers(1, 4)), size, count(rng, 1)
    samples, matches = rng.integers(-1, 2, (batch, n)), rng.integers(0, m, (batch, n))
    corners = boxes(rng, kind, batch, n), boxes(rng, kind, batch, m)
    return [samples, matches, *corners, rng.normal(size=4), rng.uniform(0.1, 1, 4)], {}


def decode(rng, kind, size):
    batch, n = int(rng.integers(4)), size
    return [rng.normal(size=(batch, n, 4)), boxes(rng, kind, 1, n)], {
        "format": one_of(rng, "corner", "center"),
        "clip": one_of(rng, -1.0, 0.5),
    }


def prior(rng, kind, size):
    sizes, ratios = rng.uniform(0.1, 1, rng.integers(1, 4)), rng.uniform(0.3, 3, rng.integers(1, 4))
    return [np.zeros((1, 1, *rng.integers(1, 12, 2)))], {
        "sizes": tuple(map(float, sizes)),
        "ratios": tuple(map(float, ratios)),
        "clip": flag(rng),
    }


def target(rng, kind, size):
    batch, n, labels = int(rng.integers(1, 4)), max(size, 1), int(rng.integers(1, 9))
    label = np.concatenate(
        [rng.integers(0, 3, (batch, labels, 1)), boxes(rng, kind, batch, labels)], -1
    )
    label[:, rng.integers(1, labels + 1) :] = -1
    return [boxes(rng, PLAIN, 1, n), label, rng.normal(size=(batch, 4, n))], {
        "overlap_threshold": float(rng.uniform(0.1, 0.9)),
        "negative_mining_ratio": one_of(rng, -1.0, 0.5, 3.0),
        "negative_mining_thresh": float(rng.uniform(0.1, 0.9)),
    }


def detection(rng, kind, size):
    batch, n = int(rng.integers(1, 4)), max(size, 1)
    scores = rng.dirichlet(np.ones(int(rng.integers(2, 6))), (batch, n)).transpose(0, 2, 1)
    return [scores, rng.normal(size=(batch, 4 * n)), boxes(rng, kind, 1, n)], {
        "clip": flag(rng),
        "force_suppress": flag(rng),
        "nms_threshold": float(rng.uniform(0, 0.9)),
        "nms_topk": int(rng.integers(-1, 30)),
    }


def proposal(rng, kind, size, batch=1):
    height, anchors = map(int, rng.integers(1, 4, 2))
    width = max(size, 1)
    shape = batch, 2 * anchors, height, width
    scores = rng.permutation(np.arange(np.prod(shape))).reshape(shape) / np.prod(shape)
    info = np.tile([16.0 * height, 16.0 * width, 1.0], (batch, 1))
    offsets = rng.normal(size=(batch, 4 * anchors, height, width)) * (0.3 if kind == PLAIN else 1e9)
    return [scores, offsets, info], {
        "scales": tuple(map(float, rng.uniform(0.5, 3, anchors))),
        "ratios": (0.7,),
        "rpn_pre_nms_top_n": count(rng),
        "rpn_post_nms_top_n": count(rng, 1),
        "threshold": float(rng.uniform(0.1, 0.9)),
        "rpn_min_size": int(rng.integers(20)),
    }


def proposals(rng, kind, size):
    return proposal(rng, kind, size, int(rng.integers(1, 4)))


def regions(rng, kind, channels):
    """Return two images, and boxes at twice their scale, some of them without an image."""
    corners = boxes(rng, kind, count(rng)) * 20 - 2
    heads = rng.integers(-1, 2, (len(corners), 1))
    shape = 2, channels, *map(int, rng.integers(1, 12, 2))
    return [rng.standard_normal(shape), np.concatenate([heads, corners], 1)]


def pooled(rng):
    return {"spatial_scale": 0.5, "pooled_size": tuple(map(int, rng.integers(1, 5, 2)))}


def pooling(rng, kind, size):
    return regions(rng, kind, max(size, 1)), pooled(rng)


def align(rng, kind, size):
    return regions(rng, kind, max(size, 1)), {
        **pooled(rng),
        "sample_ratio": int(rng.integers(-1, 4)) or 1,
        "aligned": flag(rng),
    }


def rotated(rng, kind, size):
    images, rois = regions(rng, kind, max(size, 1))
    turned = np.concatenate([rois, rng.uniform(-180, 180, (len(rois), 1))], 1)
    return [images, turned], {**pooled(rng), "sampling_ratio": int(rng.integers(-1, 4)) or 1}


def parts(rng, size):
    group = int(rng.integers(1, 4))
    return {
        "spatial_scale": 0.5,
        "output_dim": max(size // 2, 1),
        "pooled_size": int(rng.integers(1, 5)),
        "group_size": group,
    }


def part_pooling(rng, kind, size):
    sizes = parts(rng, size)
    return regions(rng, kind, sizes["output_dim"] * sizes["group_size"] ** 2), sizes


def deformed_pooling(rng, kind, size):
    sizes = {
        **parts(rng, size),
        "part_size": int(rng.integers(1, 4)),
        "sample_per_part": 2,
        "trans_std": 0.1,
    }
    given = regions(rng, kind, sizes["output_dim"] * sizes["group_size"] ** 2)
    offsets = rng.uniform(-1, 1, (len(given[1]), 2, sizes["part_size"], sizes["part_size"]))
    return [*given, offsets], sizes


def correlation(rng, kind, size):
    shape = 2, max(size, 1), *map(int, rng.integers(4, 12, 2))
    return [rng.standard_normal(shape) for _ in range(2)], {
        "kernel_size": one_of(rng, 1, 3),
        "max_displacement": int(rng.integers(1, 4)),
        "stride1": int(rng.integers(1, 3)),
        "stride2": int(rng.integers(1, 3)),
        "pad_size": 4,
        "is_multiply": flag(rng),
    }


DRAWS = {
    "_contrib_box_iou": iou,
    "_contrib_box_nms": nms,
    "_contrib_bipartite_matching": matching,
    "_contrib_box_encode": encode,
    "_contrib_box_decode": decode,
    "_contrib_MultiBoxPrior": prior,
    "_contrib_MultiBoxTarget": target,
    "_contrib_MultiBoxDetection": detection,
    "_contrib_Proposal": proposal,
    "_contrib_MultiProposal": proposals,
    "ROIPooling": pooling,
    "_contrib_ROIAlign": align,
    "_contrib_RROIAlign": rotated,
    "_contrib_PSROIPooling": part_pooling,
    "_contrib_DeformablePSROIPooling": deformed_pooling,
    "Correlation": correlation,
}


def call(name, inputs, attributes):
    """Run forward and backward and return the outputs."""
    arrays = [nd.array(value, dtype="float64") for value in inputs]
    for array in arrays:
        array.attach_grad()
    with autograd.record():
        outputs = getattr(nd, name)(*arrays, **attributes)
    outputs = outputs if isinstance(outputs, list) else [outputs]
    autograd.backward(outputs)
    results = [output.asnumpy() for output in outputs]
    for array in arrays:
        array.grad.wait_to_read()
    return results


def compare(name, results, inputs, attributes):
    expected = OPERATOR_CHECKS[name]["reference"](*inputs, **attributes)
    expected = expected if isinstance(expected, (list, tuple)) else [expected]
    for result, reference in zip(results, expected, strict=False):
        np.testing.assert_allclose(result, reference, rtol=1e-6, atol=1e-6, err_msg=f"{attributes}")


def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def test_every_operator_is_covered():
    assert DRAWS.keys() | {"_contrib_box_non_maximum_suppression"} >= OPERATOR_CHECKS.keys()


def draw(name, number):
    """Return the kind of boxes, the inputs and the attributes of a call; every other is plain."""
    kind = KINDS[number // 2 % len(KINDS)] if number % 2 else PLAIN
    return kind, *DRAWS[name](np.random.default_rng(number), kind, number // 2 % LENGTHS)


@pytest.mark.parametrize("name", DRAWS)
def test_varied_calls(name, stress):
    calls, refused, middle = 2 * LENGTHS * stress, 0, 0
    call(name, *draw(name, 2)[1:])
    for number in range(calls):
        if number == calls // 2:
            middle = resident()
        kind, inputs, attributes = draw(name, number)
        try:
            results = call(name, inputs, attributes)
        except OpforgeError:  # for example empty boxes or too few negative anchors
            refused += 1
            continue
        if kind == PLAIN and number < 1000:
            compare(name, results, inputs, attributes)
    assert refused < calls / 2
    assert stress == 1 or resident() - middle < GROWTH
