"""A network of the model zoo: its parameters, its file, its result, and some training steps."""

import os

import numpy as np


def run(mx, request, folder):
    name, size, steps = request["name"], request["size"], request["steps"]
    mx.random.seed(1)
    net = mx.gluon.model_zoo.vision.get_model(name, classes=10)
    net.initialize(mx.init.Xavier())
    net.hybridize()
    drawn = np.random.RandomState(0)
    x = mx.nd.array(drawn.rand(request["batch"], 3, size, size).astype("float32"))
    np.save(os.path.join(folder, "result.npy"), net(x).asnumpy())
    np.save(os.path.join(folder, "x.npy"), x.asnumpy())
    net.save_parameters(os.path.join(folder, "net.params"))
    net.export(os.path.join(folder, "net"))
    return {"names": list(net.collect_params()), "losses": train(mx, net, x, steps, folder)}


def train(mx, net, x, steps, folder):
    """Return the loss of each step; the gradients of the first are kept in a file.

    In float64, because batch norms over few images amplify rounding errors; MXNet rounds the
    learning rate to float32, in which this one is exact.
    """
    net.cast("float64")
    x = x.astype("float64")
    labels = mx.nd.array(np.arange(len(x)) % 10)
    loss_of = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 2**-10})
    losses = []
    for step in range(steps):
        with mx.autograd.record():
            loss = loss_of(net(x), labels)
        loss.backward()
        if step == 0:
            own = net._collect_params_with_prefix()
            grads = {k: p.grad().asnumpy() for k, p in own.items() if p.grad_req != "null"}
            np.savez(os.path.join(folder, "grads.npz"), **grads)
        trainer.step(len(x))
        losses.append(float(loss.mean().asscalar()))
    return losses
