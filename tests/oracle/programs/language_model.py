"""The LSTM of examples/word_language_model.py, read from opforge's files, on windows of text."""

import os

import numpy as np


def run(mx, request, folder):
    net = mx.gluon.SymbolBlock.imports(
        os.path.join(folder, "net-symbol.json"),
        ["data0", "data1", "data2"],
        os.path.join(folder, "net-0000.params"),
    )
    return train(mx, net, np.load(os.path.join(folder, "data.npz")), **request)


def train(mx, net, data, layers, units, rate, epochs):
    """Return the perplexity of each epoch; a batch goes on with the states of the one before."""
    loss_of = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": rate})
    perplexities = []
    for _ in range(epochs):
        states = [mx.nd.zeros((layers, data["x"].shape[1], units)) for _ in range(2)]
        total = 0.0
        for x, y in zip(data["x"], data["y"], strict=True):
            with mx.autograd.record():
                scores, *states = net(mx.nd.array(x), *states)
                loss = loss_of(scores, mx.nd.array(y))
            loss.backward()
            trainer.step(len(x))
            states = [state.detach() for state in states]
            total += float(loss.mean().asscalar())
        perplexities.append(float(np.exp(total / len(data["x"]))))
    return perplexities
