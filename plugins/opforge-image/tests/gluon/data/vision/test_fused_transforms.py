"""Chains of transforms in one pass: equal to the transforms one after the other, bit for bit."""

import copy
import pickle

import numpy as np
import pytest
from opforge_image.gluon.data.vision._fused_transforms import FusedTransforms

from opforge import autograd, nd
from opforge.base.errors import ShapeError
from opforge.gluon.data.vision import transforms

MEAN, STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


def chain(cut=True, flip=True, normalize=True, scalar=False):
    parts = [
        cut and transforms.CenterCrop((5, 4)),
        flip and transforms.RandomFlipLeftRight(),
        transforms.ToTensor(),
        normalize and transforms.Normalize(*((0.5, 0.25) if scalar else (MEAN, STD))),
    ]
    return [part for part in parts if part]


def one_by_one(parts, x):
    for part in parts:
        x = part(x)
    return x


def image(height=9, width=8, channels=3):
    values = np.random.default_rng(1).integers(0, 256, (height, width, channels))
    return nd.array(values, dtype="uint8")


def expect_equal(parts, x, together=None):
    together = together or transforms.Compose(parts)
    for seed in range(6):  # mirrored and not
        np.random.seed(seed)
        wanted = one_by_one(parts, x)
        drawn = np.random.random()
        np.random.seed(seed)
        got = together(x)
        assert np.random.random() == drawn
        assert (got.shape, got.dtype, got.context) == (wanted.shape, wanted.dtype, wanted.context)
        np.testing.assert_array_equal(got.asnumpy(), wanted.asnumpy())


def passes_of(together):
    return [type(step).__name__ for step in together._steps]


@pytest.mark.parametrize("cut", [False, True])
@pytest.mark.parametrize("flip", [False, True])
@pytest.mark.parametrize("normalize", [False, True])
def test_the_usual_chains_are_one_pass(cut, flip, normalize):
    parts = chain(cut, flip, normalize)
    assert passes_of(transforms.Compose(parts)) == ["FusedTransforms"]
    expect_equal(parts, image())


def test_all_bytes_in_every_channel():
    x = nd.array(np.arange(256).repeat(3).reshape(16, 16, 3), dtype="uint8")
    expect_equal(chain(cut=False), x)


@pytest.mark.parametrize("channels", [1, 2, 4])
def test_other_numbers_of_channels_share_a_chain(channels):
    parts = chain(scalar=True)
    together = transforms.Compose(parts)
    expect_equal(parts, image(), together)
    expect_equal(parts, image(channels=channels), together)


def test_transforms_around_the_fused_pass_are_kept():
    parts = [
        transforms.RandomCrop(6),
        transforms.RandomFlipTopBottom(),
        *chain(),
        transforms.Normalize(0.1, 2.0),
        transforms.Cast("float64"),
    ]
    together = transforms.Compose(parts)
    wanted = ["RandomCrop", "RandomFlipTopBottom", "FusedTransforms", "Cast"]
    assert passes_of(together) == wanted
    expect_equal(parts, image(), together)


def test_other_orders_run_as_they_are():
    parts = [transforms.RandomFlipLeftRight(), transforms.CenterCrop(4), transforms.ToTensor()]
    together = transforms.Compose(parts)
    assert passes_of(together) == ["RandomFlipLeftRight", "FusedTransforms"]
    expect_equal(parts, image(), together)
    without = [transforms.CenterCrop(4), transforms.Cast()]
    assert transforms.Compose(without)._steps == without


@pytest.mark.parametrize(
    "x", [image().astype("float32"), image().reshape((1, 9, 8, 3)), image().astype("int32")]
)
def test_other_types_and_batches_take_the_transforms_themselves(x):
    expect_equal([transforms.ToTensor()], x)


def test_numpy_arrays_are_converted():
    x = image()
    result = transforms.Compose([transforms.ToTensor()])(x.asnumpy())
    expected = one_by_one([transforms.ToTensor()], x)
    np.testing.assert_array_equal(result.asnumpy(), expected.asnumpy())


def test_overrides_of_subclasses_are_kept():
    class Doubled(transforms.ToTensor):
        def forward(self, x):
            return super().forward(x) * 2

    assert not any(
        isinstance(step, FusedTransforms) for step in transforms.Compose([Doubled()])._steps
    )
    expect_equal([Doubled()], image())


def test_hooks_of_transforms_are_called():
    seen = []
    parts = chain()
    together = transforms.Compose(parts)
    handle = parts[2].register_forward_hook(lambda block, x, y: seen.append(y.shape))
    together(image())
    assert seen == [(3, 4, 5)]
    handle.detach()
    together(image())
    assert len(seen) == 1


def test_gradients_flow_through_a_recorded_chain():
    x = nd.ones((4, 4, 3))
    x.attach_grad()
    with autograd.record():
        y = transforms.Compose(chain(cut=False, flip=False, scalar=True))(x)
    y.backward()
    np.testing.assert_allclose(x.grad.asnumpy(), 1 / 255 / 0.25, rtol=1e-6)


def test_errors_name_the_image():
    together = transforms.Compose([transforms.ToTensor(), transforms.Normalize(MEAN, STD)])
    with pytest.raises(ShapeError, match=r"normalize: mean .*shape is \(1, 9, 8\)"):
        together(image(channels=1))


@pytest.mark.parametrize("how", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_chains_are_copied(how):
    parts = chain()
    together = transforms.Compose(parts)
    together(image())
    expect_equal(parts, image(), how(together))
