"""Gluon blocks as modules of PyTorch."""

import copy
import io

import numpy as np
import pytest
import torch

from opforge import autograd, gluon, nd
from opforge.gluon import nn
from opforge.torch import TorchError, as_module


def network():
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3, in_channels=2), nn.BatchNorm(in_channels=4), nn.Activation("relu"))
    net.add(nn.Dense(3, in_units=64))
    net.initialize("normal")
    return net


def images(count=5):
    return np.random.default_rng(0).standard_normal((count, 2, 6, 6)).astype("float32")


@pytest.mark.parametrize("hybrid", [False, True])
def test_gradients_are_those_of_the_block(hybrid):
    net, x = network(), images()
    if hybrid:
        net.hybridize()
    module = as_module(net)
    tensor = torch.from_numpy(x.copy()).requires_grad_()
    module(tensor).pow(2).sum().backward()
    array = nd.array(x)
    array.attach_grad()
    with autograd.record():
        loss = (net(array) ** 2).sum()
    loss.backward()
    np.testing.assert_allclose(tensor.grad.numpy(), array.grad.asnumpy(), rtol=1e-4, atol=1e-5)
    parameters = dict(module.named_parameters())
    assert sorted(parameters) == ["0.bias", "0.weight", "1.beta", "1.gamma", "3.bias", "3.weight"]
    for name, parameter in net._collect_params_with_prefix().items():
        if name in parameters:
            found, want = parameters[name].grad.numpy(), parameter.grad().asnumpy()
            np.testing.assert_allclose(found, want, rtol=1e-3, atol=1e-4)
    assert sorted(dict(module.named_buffers())) == ["1.running_mean", "1.running_var"]


@pytest.mark.parametrize("hybrid", [False, True])
def test_torch_trains_a_block(hybrid):
    net, x = network(), torch.from_numpy(images(16))
    if hybrid:
        net.hybridize()
    module = as_module(net)
    labels = torch.arange(16) % 3
    optimizer = torch.optim.Adam(module.parameters(), lr=0.05)
    losses = []
    for _ in range(30):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(module(x), labels)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.1 * losses[0]
    assert module.get_buffer("1.running_mean").abs().sum() > 0
    module.eval()
    want = net(nd.array(x.numpy())).asnumpy()
    np.testing.assert_allclose(module(x).detach().numpy(), want, rtol=1e-5, atol=1e-6)
    with torch.no_grad():
        assert not module(x).requires_grad


def test_training_is_that_of_torch():
    """The same steps with the same layers of PyTorch give the same weights."""
    net = nn.HybridSequential()
    net.add(nn.Dense(4, activation="tanh", in_units=3), nn.Dense(2, in_units=4))
    net.initialize("normal")
    peer = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2))
    module = as_module(net)
    for theirs, ours in zip(peer.parameters(), module.parameters(), strict=True):
        theirs.data.copy_(ours.data)
    x = torch.randn(8, 3, generator=torch.Generator().manual_seed(0))
    for model in (peer, module):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=0.01)
        for _ in range(5):
            optimizer.zero_grad()
            model(x).pow(2).mean().backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
    for theirs, ours in zip(peer.parameters(), module.parameters(), strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-6)


def test_memory_is_shared_both_ways(tmp_path):
    net = nn.Dense(2, in_units=3)
    net.initialize()
    module = as_module(net)
    module.weight.data.fill_(2)
    assert net.weight.data().asnumpy().tolist() == [[2] * 3] * 2
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1})
    with autograd.record():
        loss = net(nd.ones((1, 3))).sum()
    loss.backward()
    trainer.step(1)
    assert module.weight.tolist() == [[1] * 3] * 2
    net.save_parameters(str(tmp_path / "net.params"))
    module.load_state_dict({"weight": torch.zeros(2, 3), "bias": torch.ones(2)})
    assert net(nd.ones((1, 3))).asnumpy().tolist() == [[1, 1]]
    net.load_parameters(str(tmp_path / "net.params"))
    assert module(torch.ones(1, 3)).tolist() == [[2, 2]]
    assert module.weight.tolist() == [[1] * 3] * 2


def test_a_part_of_a_network():
    net = nn.Dense(4, in_units=3)
    net.initialize()
    model = torch.nn.Sequential(torch.nn.Linear(2, 3), as_module(net), torch.nn.Linear(4, 1))
    model(torch.ones(5, 2)).sum().backward()
    assert all(p.grad is not None for p in model.parameters())
    assert sum(p.grad.abs().sum() for p in model[0].parameters()) > 0


class Several(gluon.HybridBlock):
    """Two inputs, two outputs, one of them of integers."""

    def __init__(self):
        super().__init__()
        self.scale = self.params.get("scale", shape=(3,), init="ones")
        self.fixed = self.params.get("fixed", shape=(3,), init="ones", grad_req="null")

    def hybrid_forward(self, F, x, index, scale, fixed):
        return F.take(x * scale * fixed, index), F.argmax(x, axis=0).astype("int32")


def test_several_inputs_and_outputs():
    net = Several()
    net.initialize()
    module = as_module(net)
    x = torch.tensor([1.0, 5, 2], requires_grad=True)
    taken, best = module(x, torch.tensor([2, 2, 0]))
    assert taken.tolist() == [2, 2, 1] and best.tolist() == [1]
    assert not best.requires_grad
    taken.sum().backward()
    assert x.grad.tolist() == [1, 0, 2] and module.scale.grad.tolist() == [1, 0, 4]
    assert module.fixed.grad is None and not module.fixed.requires_grad
    assert x.grad.dtype is torch.float32


def test_shared_parameters_are_registered_once():
    first = nn.Dense(3, in_units=3)
    net = nn.HybridSequential()
    net.add(first, nn.Dense(3, in_units=3, params=first.params))
    net.initialize()
    module = as_module(net)
    assert len(list(module.parameters())) == 2
    assert module.get_parameter("0.weight") is module.get_parameter("1.weight")
    module(torch.ones(1, 3)).sum().backward()
    assert module.get_parameter("0.weight").grad.shape == (3, 3)


def test_copies_have_parameters_of_their_own():
    net = network()
    module = as_module(net).eval()
    x = torch.from_numpy(images())
    file = io.BytesIO()
    torch.save(module, file)
    file.seek(0)
    for other in (copy.deepcopy(module), torch.load(file, weights_only=False)):
        assert not other.training
        torch.testing.assert_close(other(x), module(x))
        other.get_parameter("0.weight").data.zero_()
        assert net[0].weight.data().asnumpy().any()


def test_a_change_between_forward_and_backward_is_noticed():
    net = nn.Dense(2, in_units=3)
    net.initialize()
    module = as_module(net)
    loss = module(torch.ones(1, 3)).sum()
    with torch.no_grad():
        module.weight.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_sharing_that_would_end_is_an_error():
    net = nn.Dense(2)
    net.initialize()
    with pytest.raises(TorchError, match="call the block once"):
        as_module(net)
    net(nd.ones((1, 3)))
    module = as_module(net)
    assert module.float() is module and module.cpu() is module
    with pytest.raises(TorchError, match=r"cast the block before as_module\(\)"):
        module.half()
    assert module.weight.dtype is torch.float32
    with pytest.raises(TorchError, match=r"a tensor is on meta.*tensor.cpu\(\)"):
        module(torch.ones(1, 3, device="meta"))

    class Nested(gluon.Block):
        """Returns nested lists."""

        def forward(self, x):
            return [x, [x]]

    with pytest.raises(TorchError, match="nested lists"):
        as_module(Nested())(torch.ones(1))


def test_half_precision():
    net = nn.Dense(2, in_units=3)
    net.initialize()
    net.cast("float16")
    module = as_module(net)
    x = torch.ones(1, 3, dtype=torch.float16, requires_grad=True)
    found = module(x)
    found.sum().backward()
    assert found.dtype is x.grad.dtype is module.weight.grad.dtype is torch.float16
