"""Weights with timm's names."""

from types import SimpleNamespace

import numpy as np
import pytest
from opforge_torch.timm_names import torchvision_names
from opforge_torch.weights import _array, _rows

from opforge.torch import get_model


@pytest.mark.parametrize(
    ("timm", "torchvision"),
    [
        ("conv_stem.weight", "features.0.0.weight"),
        ("bn1.running_var", "features.0.1.running_var"),
        ("blocks.0.0.conv_dw.weight", "features.1.conv.0.0.weight"),
        ("blocks.0.0.bn2.bias", "features.1.conv.2.bias"),
        ("blocks.2.2.conv_pw.weight", "features.6.conv.0.0.weight"),
        ("blocks.6.0.bn3.weight", "features.17.conv.3.weight"),
        ("bn2.weight", "features.18.1.weight"),
        ("classifier.bias", "classifier.1.bias"),
        ("blocks.7.0.bn3.weight", "blocks.7.0.bn3.weight"),
    ],
)
def test_names_of_mobilenet(timm, torchvision):
    assert torchvision_names(["conv_stem.weight", timm])[timm] == torchvision


def test_other_names_are_kept():
    keys = ["conv1.weight", "layer1.0.bn1.bias", "features.denseblock1.denselayer1.norm1.weight"]
    assert torchvision_names(keys) == dict(zip(keys, keys, strict=True))


def test_all_weights_of_mobilenet_are_named():
    first, others = "conv_dw bn1 conv_pw bn2", "conv_pw bn1 conv_dw bn2 conv_pwl bn3"
    layers = ["conv_stem", "bn1", "conv_head", "bn2"]
    for stage, count in enumerate((1, 2, 3, 4, 3, 3, 1)):
        for block in range(count):
            parts = (others if stage else first).split()
            layers += [f"blocks.{stage}.{block}.{part}" for part in parts]
    kinds = ("weight", "bias", "running_mean", "running_var")
    timm = [
        f"{layer}.{kind}" for layer in layers for kind in (kinds if "bn" in layer else kinds[:1])
    ]
    found = torchvision_names([*timm, "classifier.weight", "classifier.bias"]).values()
    assert set(found) == {row.key for row in _rows(get_model("mobilenetv2_100")) if row.key}


def test_convolutions_of_vgg_are_dense_layers():
    assert torchvision_names(["pre_logits.fc2.bias", "head.fc.weight"]) == {
        "pre_logits.fc2.bias": "classifier.3.bias",
        "head.fc.weight": "classifier.6.weight",
    }
    row = SimpleNamespace(parameter=SimpleNamespace(shape=(4, 18)))
    weight = np.arange(72.0).reshape(4, 2, 3, 3)
    np.testing.assert_array_equal(_array(row, weight), weight.reshape(4, 18))
