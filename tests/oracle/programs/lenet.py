"""The network of examples/lenet.py, read from opforge's files and trained on given batches."""

import os

import numpy as np


def run(mx, request, folder):
    net = mx.gluon.SymbolBlock.imports(
        os.path.join(folder, "net-symbol.json"), ["data"], os.path.join(folder, "net-0000.params")
    )
    return train(mx, net, np.load(os.path.join(folder, "data.npz")), **request)


def train(mx, net, data, dtype, optimizer, rates):
    """Return the loss of each batch; each of `rates` is one epoch's learning rate."""
    net.cast(dtype)
    loss_of = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = mx.gluon.Trainer(net.collect_params(), optimizer)
    losses = []
    for rate in rates:
        trainer.set_learning_rate(rate)
        for x, label in zip(data["x"], data["label"], strict=True):
            with mx.autograd.record():
                loss = loss_of(net(mx.nd.array(x, dtype=dtype)), mx.nd.array(label))
            loss.backward()
            trainer.step(len(label))
            losses.append(float(loss.mean().asscalar()))
    return losses
