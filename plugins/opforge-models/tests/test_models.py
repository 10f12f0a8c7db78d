"""Tests of the networks; tests/oracle compares their values with MXNet's."""

import hashlib

import pytest

from opforge import autograd, gluon, init, nd, symbol
from opforge.gluon.model_zoo import get_model, vision


def build(name, **kwargs):
    net = vision.get_model(name, classes=10, **kwargs)
    net.initialize(init.Xavier())
    return net


@pytest.mark.parametrize(
    "name", ["mobilenet0.25", "mobilenetv2_0.25", "resnet18_v1", "resnet18_v2"]
)
def test_hybridized_network_matches_eager(name):
    net = build(name)
    x = nd.random.uniform(shape=(2, 3, 32, 32))
    eager = net(x)
    net.hybridize()
    assert eager.shape == (2, 10)
    assert abs(net(x) - eager).max().asscalar() <= 1e-5 * abs(eager).max().asscalar()


@pytest.mark.parametrize(
    ("name", "order"), [("resnet18_v1", (2, 0, 1, 3, 4)), ("resnet50_v1", (0, 1, 2, 3, 4))]
)
def test_arguments_are_in_mxnets_order(name, order):
    found = build(name, prefix="")(symbol.var("data")).list_arguments()
    names = [n for n in found if n.startswith("stage2_conv") and n.endswith("weight")]
    assert names[: len(order)] == [f"stage2_conv{index}_weight" for index in order]


def test_network_learns():
    net = build("resnet18_v1", thumbnail=True)
    net.hybridize()
    x, labels = nd.random.uniform(shape=(4, 3, 16, 16)), nd.arange(4)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01})
    losses = []
    for _ in range(6):
        with autograd.record():
            loss = gluon.loss.SoftmaxCrossEntropyLoss()(net(x), labels).mean()
        loss.backward()
        trainer.step(1)
        losses.append(loss.asscalar())
    assert losses[-1] < 0.5 * losses[0]


def test_models_are_found_by_function_and_file_names():
    assert type(get_model("squeezenet1.1")) is vision.SqueezeNet
    assert type(vision.get_model("MobileNetV2_0.5")) is vision.MobileNetV2
    assert type(vision.inception_v3()) is vision.Inception3
    assert type(vision.get_resnet(2, 34)) is vision.ResNetV2
    with pytest.raises(
        ValueError, match=r"resnet19_v1 is not supported\. Available options"
    ) as info:
        vision.get_model("resnet19_v1")
    options = [line.strip() for line in str(info.value).splitlines() if line.startswith("\t")]
    assert "resnet18_v1" in options
    assert not {"ResNetV1", "BasicBlockV1", "RELU6", "get_resnet"} & set(options)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: vision.get_resnet(3, 18), "Invalid resnet version: 3"),
        (lambda: vision.get_resnet(1, 19), "Invalid number of layers: 19"),
        (lambda: vision.get_vgg(12), r"layers: 12\. Options are \[11, 13, 16, 19\]"),
        (lambda: vision.get_densenet(12), r"layers: 12\. Options are \[121, "),
        (lambda: vision.SqueezeNet("1.2"), "Unsupported SqueezeNet version 1.2"),
        (
            lambda: vision.ResNetV1(vision.BasicBlockV1, [1, 1], [8, 8]),
            "2 stages need 3 entries in channels, got 2",
        ),
    ],
)
def test_invalid_models_are_rejected(call, message):
    with pytest.raises(AssertionError, match=message):
        call()


def test_parameters_of_another_network_are_rejected(tmp_path):
    path = str(tmp_path / "small.params")
    small = build("resnet18_v1", thumbnail=True)
    small(nd.ones((1, 3, 16, 16)))
    small.save_parameters(path)
    others = {
        "'features.1.gamma' is missing in file": build("resnet18_v1"),
        "'features.1.2.body.0.weight' is missing": build("resnet34_v1", thumbnail=True),
        r"expected \(7, 512\) vs saved \(10, 512\)": vision.resnet18_v1(classes=7, thumbnail=True),
    }
    for message, other in others.items():
        with pytest.raises(AssertionError, match=message):
            other.load_parameters(path)


def test_parameters_are_loaded_from_a_file(tmp_path):
    net = build("mobilenet0.25")
    x = nd.random.uniform(shape=(1, 3, 32, 32))
    expected = net(x)
    with pytest.raises(
        FileNotFoundError,
        match=r"put mobilenet0\.25\.params.* or MXNet's mobilenet0\.25-9f83e440\.params",
    ):
        vision.mobilenet0_25(classes=10, pretrained=True, root=tmp_path)
    net.save_parameters(str(tmp_path / "mobilenet0.25.params"))
    loaded = vision.mobilenet0_25(classes=10, pretrained=True, root=tmp_path)
    assert (loaded(x) == expected).min().asscalar() == 1


def test_mxnet_file_is_recognized_by_its_digest(tmp_path):
    net = build("mobilenet0.25")
    net(nd.ones((1, 3, 32, 32)))
    plain = tmp_path / "plain"
    net.save_parameters(str(plain))
    digest = hashlib.sha1(plain.read_bytes()).hexdigest()[:8]
    plain.rename(tmp_path / f"mobilenet0.25-{digest}.params")
    vision.get_model("mobilenet0.25", classes=10, pretrained=True, root=tmp_path)
