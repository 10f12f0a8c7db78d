"""Modules of PyTorch as Gluon blocks."""

import numpy as np
import pytest
import torch

from opforge import autograd, gluon, nd
from opforge.gluon import nn
from opforge.torch import TorchError, as_block


def network():
    torch.manual_seed(0)
    return torch.nn.Sequential(
        torch.nn.Conv2d(2, 4, 3),
        torch.nn.BatchNorm2d(4),
        torch.nn.ReLU(),
        torch.nn.Flatten(),
        torch.nn.Linear(64, 3),
    )


def images(count=5):
    return np.random.default_rng(0).standard_normal((count, 2, 6, 6)).astype("float32")


def test_gradients_are_those_of_the_module():
    module, x = network(), images()
    block, peer = as_block(module), network()
    array = nd.array(x)
    array.attach_grad()
    with autograd.record():
        loss = (block(array) ** 2).sum()
    loss.backward()
    tensor = torch.from_numpy(x.copy()).requires_grad_()
    peer(tensor).pow(2).sum().backward()
    np.testing.assert_allclose(array.grad.asnumpy(), tensor.grad.numpy(), rtol=1e-4, atol=1e-5)
    for name, parameter in peer.named_parameters():
        found = block._collect_params_with_prefix()[name].grad().asnumpy()
        np.testing.assert_allclose(found, parameter.grad.numpy(), rtol=1e-3, atol=1e-4)
    torch.testing.assert_close(module.state_dict(), peer.state_dict())
    assert block.collect_params()[f"{block.prefix}1.num_batches_tracked"].data().asscalar() == 1


def test_a_trainer_trains_a_part_of_a_network(tmp_path):
    net = gluon.nn.Sequential()
    net.add(as_block(network()), nn.Dense(3, in_units=3))
    net[1].initialize()
    x, labels = nd.array(images(16)), nd.arange(16) % 3
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.05})
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
    losses = []
    for _ in range(30):
        with autograd.record():
            loss = loss_of(net(x), labels).mean()
        loss.backward()
        trainer.step(1)
        losses.append(loss.asscalar())
    assert losses[-1] < 0.1 * losses[0]
    want = net(x).asnumpy()
    net.save_parameters(str(tmp_path / "net.params"))
    other = gluon.nn.Sequential()
    other.add(as_block(network()), nn.Dense(3, in_units=3))
    other.load_parameters(str(tmp_path / "net.params"))
    np.testing.assert_allclose(other(x).asnumpy(), want, rtol=1e-5, atol=1e-6)


def test_memory_is_shared_both_ways():
    module = torch.nn.Linear(3, 2)
    block = as_block(module, prefix="linear_")
    assert list(block.collect_params()) == ["linear_weight", "linear_bias"]
    module.weight.data.fill_(2)
    assert block.collect_params()["linear_weight"].data().asnumpy().tolist() == [[2] * 3] * 2
    block.collect_params()["linear_bias"].set_data(nd.array([1, 2]))
    assert module.bias.tolist() == [1, 2]
    assert block(nd.ones((1, 3))).asnumpy().tolist() == [[7, 8]]


def test_modes_are_those_of_autograd():
    block = as_block(torch.nn.Dropout(0.5))
    x = nd.ones((100, 100))
    assert block(x).asnumpy().min() == 1
    with autograd.record():
        assert (block(x).asnumpy() == 0).mean() > 0.4
    with autograd.record(train_mode=False):
        assert block(x).asnumpy().min() == 1


class Several(torch.nn.Module):
    """Two inputs, several outputs, a frozen and an unused parameter."""

    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.tensor(2.0))
        self.fixed = torch.nn.Parameter(torch.ones(3), requires_grad=False)
        self.unused = torch.nn.Parameter(torch.ones(3))

    def forward(self, x, index):
        return (x * self.scale * self.fixed)[index], x.argmax()


def test_several_inputs_and_outputs():
    block = as_block(Several())
    x, index = nd.array([1, 5, 2]), nd.array([2, 2, 0], dtype="int64")
    x.attach_grad()
    with autograd.record():
        taken, best = block(x, index)
        loss = taken.sum()
    loss.backward()
    assert taken.asnumpy().tolist() == [4, 4, 2] and best.asscalar() == 1
    assert x.grad.asnumpy().tolist() == [2, 0, 4]
    found = {n.removeprefix(block.prefix): p for n, p in block.collect_params().items()}
    assert found["scale"].grad().asnumpy().tolist() == [5]
    assert found["unused"].grad().asnumpy().tolist() == [0, 0, 0]
    assert found["fixed"].grad_req == "null"


def test_a_module_on_another_device_is_an_error():
    with pytest.raises(TorchError, match="on meta, and opforge computes on the CPU"):
        as_block(torch.nn.Linear(2, 2, device="meta"))
