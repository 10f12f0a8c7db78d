"""Weights of torchvision's models in the zoo's networks, and the reverse."""

import math

import numpy as np
import pytest
import torch

from opforge import nd
from opforge.torch import TorchError, get_model, load_weights, state_dict

from .torchvision_models import MODELS


def random_model(name):
    """Return a model whose weights and states are all random."""
    with torch.device("meta"):
        model = MODELS[name]()
    model = model.to_empty(device="cpu").eval()
    torch.manual_seed(0)
    for key, tensor in model.state_dict().items():
        kind = key.rpartition(".")[2]
        if kind == "running_var" or (kind == "weight" and tensor.ndim == 1):
            tensor.uniform_(0.5, 1.5)
        elif tensor.ndim == 0:
            tensor.zero_()
        else:
            fan = math.prod(tensor.shape[1:])
            tensor.normal_(std=0.1 if tensor.ndim == 1 else math.sqrt(2 / fan))
    return model


@pytest.mark.parametrize("name", sorted(MODELS))
def test_networks_compute_the_same(name):
    model = random_model(name)
    net = get_model(name)
    load_weights(net, model.state_dict())
    x = np.random.default_rng(0).standard_normal((1, 3, 224, 224)).astype("float32")
    with torch.no_grad():
        want = model(torch.from_numpy(x)).numpy()
    found = net(nd.array(x)).asnumpy()
    np.testing.assert_allclose(found, want, rtol=2e-3, atol=1e-4 * np.abs(want).max())
    again, wanted = state_dict(net), model.state_dict()
    assert again.keys() == wanted.keys()
    for key, tensor in wanted.items():
        assert torch.equal(again[key], tensor), key


def test_a_trained_layer_that_torchvision_leaves_out():
    net = get_model("mobilenet_v2")
    load_weights(net, random_model("mobilenet_v2").state_dict())
    net.features[3].out[0].weight.set_data(nd.ones((32, 32, 1, 1)))
    with pytest.raises(TorchError, match=r"no layer for 'features.3.out.0.weight'.* freeze them"):
        state_dict(net)
