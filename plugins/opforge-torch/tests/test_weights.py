"""torchvision's names and what is needed without PyTorch."""

import importlib.util

import numpy as np
import pytest

import opforge as mx
from opforge import nd
from opforge.gluon import nn
from opforge.gluon.model_zoo import vision
from opforge.torch import TorchError, as_block, as_module, get_model, load_weights, state_dict


def state_of(**kwargs):
    """Return random weights of SqueezeNet 1.1."""
    generator = np.random.default_rng(0)
    state = {}
    fires = {3: (64, 16, 64), 4: (128, 16, 64), 6: (128, 32, 128), 7: (256, 32, 128)}
    fires |= {9: (256, 48, 192), 10: (384, 48, 192), 11: (384, 64, 256), 12: (512, 64, 256)}
    shapes = {"features.0": (64, 3, 3, 3), "classifier.1": (1000, 512, 1, 1)}
    for index, (before, squeeze, expand) in fires.items():
        shapes[f"features.{index}.squeeze"] = (squeeze, before, 1, 1)
        shapes[f"features.{index}.expand1x1"] = (expand, squeeze, 1, 1)
        shapes[f"features.{index}.expand3x3"] = (expand, squeeze, 3, 3)
    for name, shape in shapes.items():
        state[f"{name}.weight"] = generator.standard_normal(shape).astype("float32")
        state[f"{name}.bias"] = generator.standard_normal(shape[0]).astype("float32")
    return state | kwargs


def test_weights_are_found_by_name():
    state = state_of()
    net = get_model("squeezenet1_1")
    load_weights(net, dict(sorted(state.items(), reverse=True)))
    found = net._collect_params_with_prefix()
    for name, key in {
        "features.0.weight": "features.0.weight",
        "features.7.1.1.0.bias": "features.7.expand3x3.bias",
        "output.0.weight": "classifier.1.weight",
    }.items():
        np.testing.assert_array_equal(found[name].data().asnumpy(), state[key])
    assert net(nd.ones((1, 3, 224, 224))).shape == (1, 1000)


def test_names_that_do_not_match():
    state = state_of()
    extra = state | {"aux.weight": np.zeros(1)}
    missing = {name: value for name, value in state.items() if "expand" not in name}
    for given, message in (
        (extra, "1 weights are unknown, the first is 'aux.weight'"),
        (missing, "32 weights are missing, the first is 'features.10.expand1x1.bias'"),
    ):
        with pytest.raises(TorchError, match=f"SqueezeNet: {message}; pass the state_dict"):
            load_weights(get_model("squeezenet1_1"), given)


@pytest.mark.parametrize(
    ("net", "message"),
    [
        (vision.resnet50_v1, "strides in 1x1 convolutions.*get_model"),
        (vision.mobilenet_v2_1_0, "no bias in its last layer.*get_model"),
        (vision.mobilenet1_0, "MobileNet is not in torchvision; expected one of .*'resnet18'"),
        (vision.resnet18_v2, "ResNetV2 is not in torchvision"),
        (lambda: nn.Dense(2), "Dense is not in torchvision"),
    ],
)
def test_networks_that_torchvision_has_not(net, message):
    with pytest.raises(TorchError, match=message):
        load_weights(net(), {})


def test_unknown_names():
    with pytest.raises(TorchError, match=r"no network 'vgg12'; expected one of .*'vgg13'"):
        get_model("vgg12")


def test_every_network_has_names():
    from opforge_torch.weights import _rows
    from opforge_torch.zoo import names

    for name in names():
        rows = _rows(get_model(name))
        keys = [row.key for row in rows if row.key]
        assert len(set(keys)) == len(keys)
        assert len(rows) - len(keys) == (5 if name.startswith("mobilenet") else 0)


@pytest.mark.skipif(
    importlib.util.find_spec("torch") is not None, reason="errors where PyTorch is not installed"
)
@pytest.mark.parametrize("call", [as_module, as_block, state_dict])
def test_torch_is_missing(call):
    with pytest.raises(TorchError, match=rf"torch\.{call.__name__}\(\) needs PyTorch: pip install"):
        call(nn.Dense(2))


def test_the_module_is_found():
    assert mx.torch.get_model is get_model
