import numpy as np
import pytest

import opforge as mx
from opforge import gluon, nd
from opforge.base.errors import DTypeError, ShapeError
from opforge.gluon import nn
from opforge.gluon.data.vision import transforms


def ramp():
    return nd.array(np.arange(60).reshape(4, 5, 3), dtype="uint8")


def test_to_tensor():
    image = ramp()
    tensor = transforms.ToTensor()(image)
    assert (tensor.shape, tensor.dtype) == ((3, 4, 5), np.float32)
    np.testing.assert_allclose(
        tensor.asnumpy(), image.asnumpy().transpose(2, 0, 1) / 255, rtol=1e-6
    )
    batch = nd.zeros((2, 4, 5, 3), dtype="uint8")
    assert transforms.ToTensor()(batch).shape == (2, 3, 4, 5)
    with pytest.raises(ShapeError, match=r"has shape \(4, 5\)"):
        transforms.ToTensor()(nd.zeros((4, 5)))


def test_normalize():
    x = nd.ones((3, 2, 2))
    assert transforms.Normalize(0.5, 0.25)(x).asnumpy().tolist() == (x * 2).asnumpy().tolist()
    by_channel = transforms.Normalize([0, 1, 2], (1, 2, 4))(x).asnumpy()
    assert by_channel[:, 0, 0].tolist() == [1, 0, -0.25]


def test_cast_and_compose():
    image = ramp()
    both = transforms.Compose([transforms.Cast("float16"), lambda x: x + 1])
    assert both(image).dtype == np.float16
    assert both(image).asnumpy()[0, 0, 0] == 1
    assert both(image, 7)[1] == 7


@pytest.mark.parametrize("wrong", ["flaot32", "complex64", 3.5])
def test_cast_to_a_wrong_type(wrong):
    with pytest.raises(DTypeError, match=r"dtype .* is not supported; expected one of"):
        transforms.Cast(wrong)


def test_center_crop():
    image = ramp()
    cut = transforms.CenterCrop((3, 2))(image)
    np.testing.assert_array_equal(cut.asnumpy(), image.asnumpy()[1:3, 1:4])
    assert transforms.CenterCrop(4)(image).shape == (4, 4, 3)


def test_the_middle_of_a_smaller_image_is_enlarged():
    out = transforms.CenterCrop((6, 8))(ramp())
    assert (out.shape, out.dtype) == ((8, 6, 3), np.uint8)


def test_random_crop():
    image = ramp()
    np.random.seed(0)
    seen = {transforms.RandomCrop(2)(image).asnumpy().tobytes() for _ in range(100)}
    possible = {image.asnumpy()[i : i + 2, j : j + 2].tobytes() for i in range(3) for j in range(4)}
    assert seen == possible
    assert transforms.RandomCrop((9, 8), pad=2)(image).asnumpy().sum() == image.asnumpy().sum()
    with pytest.raises(ShapeError, match="height 4 and width 5"):
        transforms.RandomCrop(6)(image)


@pytest.mark.parametrize(
    ("flip", "axis"), [(transforms.RandomFlipLeftRight, 1), (transforms.RandomFlipTopBottom, 0)]
)
def test_flips(flip, axis):
    image = ramp()
    np.random.seed(0)
    seen = {flip()(image).asnumpy().tobytes() for _ in range(20)}
    plain = image.asnumpy()
    assert seen == {plain.tobytes(), np.flip(plain, axis).tobytes()}


@pytest.mark.parametrize("shape", [(4, 4), (4,), (1, 1, 3, 4, 4)])
@pytest.mark.parametrize("mean", [0.1, (0.1, 0.2, 0.3)])
def test_normalize_takes_images_and_batches_of_them(shape, mean):
    with pytest.raises(ShapeError, match="expected an image"):
        transforms.Normalize(mean, 0.2)(nd.ones(shape))


@pytest.mark.parametrize("mean, std", [((0.1, 0.2, 0.3), 1.0), (0.0, (1.0, 2.0, 3.0))])
@pytest.mark.parametrize("shape", [(1, 4, 4), (2, 5, 4, 4)])
def test_normalize_wants_a_number_for_each_channel(mean, std, shape):
    with pytest.raises(ShapeError, match="has 3 numbers; expected 1 or one for each"):
        transforms.Normalize(mean, std)(nd.ones(shape))


def test_a_chain_runs_in_a_graph_that_is_exported(tmp_path):
    chain = nn.HybridSequential()
    chain.add(
        transforms.Cast("uint8"),
        transforms.ToTensor(),
        transforms.Normalize([0.1, 0.2, 0.3], [1, 2, 3]),
    )
    expected = chain(ramp()).asnumpy()
    chain.hybridize()
    np.testing.assert_allclose(chain(ramp()).asnumpy(), expected, rtol=1e-6)
    chain.export(str(tmp_path / "chain"))
    read = gluon.SymbolBlock.imports(str(tmp_path / "chain-symbol.json"), ["data"])
    np.testing.assert_allclose(read(ramp()).asnumpy(), expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("flip", "axis"),
    [(transforms.RandomFlipLeftRight, 1), (transforms.RandomFlipTopBottom, 0)],
)
def test_flips_draw_for_each_run_of_a_graph(flip, axis):
    image = ramp()
    flipped = nd.flip(image, axis=axis).asnumpy()
    chain = nn.HybridSequential()
    chain.add(flip())
    chain.hybridize()
    found = {bool((chain(image).asnumpy() == flipped).all()) for _ in range(40)}
    assert found == {False, True}


@pytest.mark.parametrize(
    "transform",
    [
        transforms.Cast("float16"),
        transforms.ToTensor(),
        transforms.Normalize(0.5, 2),
        transforms.RandomFlipLeftRight(),
        transforms.RandomFlipTopBottom(),
    ],
    ids=lambda transform: type(transform).__name__,
)
def test_transforms_take_symbols(transform):
    assert isinstance(transform(mx.sym.var("data")), mx.sym.Symbol)
