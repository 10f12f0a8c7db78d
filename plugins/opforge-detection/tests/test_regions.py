"""Tests of pooled regions: extreme boxes, few and many boxes, threads and errors."""

import numpy as np
import pytest
from opforge_detection import region_references as references

from opforge import autograd, engine, nd
from opforge.base.errors import AttributeValueError, DTypeError, OperatorError, ShapeError

RNG = np.random.default_rng(0)
PARTS = {"output_dim": 10, "pooled_size": 2, "group_size": 2, "spatial_scale": 0.5}
SIZE = {"pooled_size": (2, 3), "spatial_scale": 0.5}
CALLS = {
    "ROIPooling": SIZE,
    "ROIAlign": SIZE,
    "RROIAlign": SIZE,
    "PSROIPooling": PARTS,
    "DeformablePSROIPooling": {**PARTS, "no_trans": True, "sample_per_part": 2},
}


def boxes(n, images=2):
    begin = RNG.uniform(-4, 16, (n, 2))
    return np.concatenate(
        [RNG.integers(0, images, (n, 1)), begin, begin + RNG.uniform(1, 16, (n, 2))], 1
    )


def head(shape):
    """Return gradients for a result."""
    return np.cos(np.arange(np.prod(shape))).reshape(shape)


def operator(name):
    """Return the operator named `name`."""
    return getattr(nd, name) if name == "ROIPooling" else getattr(nd.contrib, name)


def run(name, data, rois, dtype="float32", **attributes):
    """Return the result and the gradients of images and boxes."""
    if name == "RROIAlign":
        rois = np.concatenate([rois, rois[:, 1:2]], 1)
    arrays = [nd.array(x, dtype=dtype) for x in (data, rois)]
    for x in arrays:
        x.attach_grad()
    with autograd.record():
        out = operator(name)(*arrays, **{**CALLS[name], **attributes})
    out.backward(nd.array(head(out.shape), dtype=dtype))
    return [out.asnumpy(), *[x.grad.asnumpy() for x in arrays]]


@pytest.mark.parametrize("name", CALLS)
def test_single_boxes_match_all_boxes(name):
    # Many boxes read copies with channels innermost, few the images themselves.
    data, rois = RNG.standard_normal((2, 80, 9, 11)), boxes(40)
    out, grad, _ = run(name, data, rois, "float64")
    single = [run(name, data, rois[at : at + 1], "float64")[0] for at in range(40)]
    np.testing.assert_allclose(out, np.concatenate(single), 1e-12, 1e-13)
    # Results are sums of pixels.
    np.testing.assert_allclose((grad * data).sum(), (out * head(out.shape)).sum())


@pytest.fixture
def restored_threads():
    """Restore the number of threads after the test."""
    before = engine.get_num_threads()
    yield
    engine.set_num_threads(before)


@pytest.mark.usefixtures("restored_threads")
@pytest.mark.parametrize("name", CALLS)
def test_results_do_not_depend_on_threads(name):
    data, rois = RNG.standard_normal((2, 80, 9, 11)), boxes(60)
    results = []
    for threads in (1, 2, 3):
        engine.set_num_threads(threads)
        results.append(run(name, data, rois))
    for other in results[1:]:
        for first, second in zip(results[0], other, strict=True):
            np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf, 3e38, -3e38, 1e20, -1e20])
@pytest.mark.parametrize("at", [1, 2, 3, 4, slice(1, 5), slice(3, 5)])
def test_boxes_with_extreme_coordinates(name, odd, at):
    data, rois = np.ones((2, 40, 4, 5)), boxes(3)
    rois[1, at] = odd
    out, grad, rois_grad = run(name, data, rois)
    assert np.isfinite(out).all() and np.isfinite(grad).all() and not rois_grad.any()
    assert (abs(out) < 1 + 1e-5).all()


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("image", [-1, -0.5, -7, -1e30, np.nan, -np.inf])
def test_boxes_without_image_yield_zeros(name, image):
    data, rois = np.ones((1, 40, 4, 5)), boxes(2, 1)
    rois[:] = [0, 0, 0, 8, 8]
    rois[1, 0] = image
    out, _, _ = run(name, data, rois)
    assert out[0].any()
    assert out[1].any() == (image == -0.5)  # truncated to 0, as in MXNet


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("image", [2, 1e30, np.inf])
def test_boxes_on_missing_images(name, image):
    rois = boxes(3)
    rois[2, 0] = image
    if name == "ROIPooling":  # accepted as in MXNet
        assert not run(name, np.ones((2, 40, 4, 5)), rois)[0][2].any()
        return
    with pytest.raises(OperatorError, match=r"rois\[2\] is on image .* data has 2"):
        run(name, np.ones((2, 40, 4, 5)), rois)


@pytest.mark.parametrize("corners", [(3, 3, 3, 5), (5, 1, 4, 9), (1, 1, 2, np.nan)])
def test_aligned_boxes_must_have_a_size(corners):
    with pytest.raises(OperatorError, match="expected a positive width and height"):
        run("ROIAlign", np.ones((1, 2, 4, 5)), np.array([[0, *corners]]), aligned=True)


def test_inverted_and_empty_boxes_are_one_pixel():
    data, rois = RNG.standard_normal((1, 2, 5, 6)), np.array([[0, 6, 6, 2, 1], [0, 4, 4, 4, 4.0]])
    out, _, _ = run("ROIAlign", data, rois, "float64")
    np.testing.assert_allclose(out, references.roi_align(data, rois, **SIZE))


@pytest.mark.parametrize("shape", [(0, 40, 4, 5), (2, 40, 0, 5), (2, 40, 4, 0)])
@pytest.mark.parametrize("name", CALLS)
def test_images_without_pixels(name, shape):
    out, grad, _ = run(name, np.ones(shape), boxes(3))
    assert len(out) == 3 and not out.any() and grad.shape == shape


@pytest.mark.parametrize("name", CALLS)
def test_no_boxes(name):
    out, grad, _ = run(name, np.ones((2, 40, 4, 5)), boxes(0))
    assert out.shape[0] == 0 and not grad.any()


@pytest.mark.parametrize(
    ("name", "shapes", "attributes", "message"),
    [
        ("ROIAlign", [(2, 3, 4), (1, 5)], {}, r"data has shape \(2, 3, 4\); expected \(n, ch"),
        ("ROIAlign", [(1, 3, 4, 4), (1, 4)], {}, r"rois has shape \(1, 4\); expected \(boxes, 5\)"),
        ("ROIAlign", [(1, 3, 4, 4), (5,)], {}, "rois has shape"),
        ("RROIAlign", [(1, 3, 4, 4), (1, 5)], {}, r"expected \(boxes, 6\)"),
        ("ROIAlign", [(1, 3, 4, 4), (1, 5)], {"pooled_size": (2,)}, "expected two numbers"),
        (
            *("ROIAlign", [(1, 8, 4, 4), (1, 5)], {"position_sensitive": True}),
            "8 channels; expected a multiple of 6",
        ),
        ("PSROIPooling", [(1, 39, 4, 4), (1, 5)], {}, "39 channels; expected 40"),
        (
            *("DeformablePSROIPooling", [(1, 40, 4, 4), (1, 5), (1, 6, 2, 2)]),
            *({"no_trans": False}, "trans has shape .*classes dividing output_dim=10"),
        ),
        (
            *("DeformablePSROIPooling", [(1, 40, 4, 4), (3, 5), (2, 2, 2, 2)]),
            *({"no_trans": False}, r"trans has shape .* expected \(3, 2"),
        ),
    ],
)
def test_invalid_shapes_are_rejected(name, shapes, attributes, message):
    with pytest.raises(ShapeError, match=message):
        operator(name)(*map(nd.ones, shapes), **{**CALLS[name], **attributes})


def test_invalid_types_and_attributes_are_rejected():
    data, rois = nd.ones((1, 2, 4, 4)), nd.ones((1, 5))
    with pytest.raises(DTypeError, match="float32; expected float64"):
        nd.contrib.ROIAlign(data.astype("float64"), rois, **SIZE)
    with pytest.raises(DTypeError, match="int32"):
        nd.contrib.ROIAlign(data.astype("int32"), rois.astype("int32"), **SIZE)
    with pytest.raises(AttributeValueError, match="pooled_size"):
        nd.contrib.ROIAlign(data, rois, pooled_size=(0, 2), spatial_scale=1)
    with pytest.raises(AttributeValueError, match="spatial_scale"):
        nd.contrib.ROIAlign(data, rois, pooled_size=(1, 2), spatial_scale=1.5)


def test_maximum_of_nan_and_infinity():
    values = np.array([np.nan, 1, np.nan, 2, -np.inf, -3, -np.inf, -np.inf], "float32")
    box = np.array([[0, 0, 0, 7, 0]], "float32")
    x = nd.array(values.reshape(1, 1, 1, 8))
    x.attach_grad()
    with autograd.record():
        y = nd.ROIPooling(x, nd.array(box), pooled_size=(1, 4), spatial_scale=1)
    y.backward()
    assert y.asnumpy().ravel().tolist() == [1, 2, -3, np.finfo("float32").min]  # as in MXNet
    assert x.grad.asnumpy().ravel().tolist() == [0, 1, 0, 1, 0, 1, 0, 0]
