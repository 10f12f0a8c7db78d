"""A classification network of GluonCV: its results, its gradients, and its results after a step.

GluonCV's packages are replaced by stubs in which its modules are found: the originals import
detection, images and record files.
"""

import importlib
import os
import sys
import types

import numpy as np

from .ways import each_way, flat, gradients, keep_all, named

#: Entries of GluonCV's table of ImageNet that a network needs.
NO_CLASSES = {"synset": [], "classes": [], "classes_long": []}


def run(mx, request, folder):
    """Write the results of each requested mode to MODE.npz; return parameters' names."""
    stand_in(request["root"])
    module = importlib.import_module("gluoncv.model_zoo." + request["module"])
    size = request["size"]
    x = mx.nd.array(np.random.RandomState(0).rand(2, 3, size, size))

    def build():
        net = getattr(module, request["builder"])(*request["arguments"])
        keep_all(mx, net)
        return [net]

    def draw(net):
        net.initialize(mx.init.Xavier())
        net(x)

    return each_way(mx, request, folder, build, draw, lambda net: seen(mx, net, x))


def stand_in(root):
    """Make gluoncv's modules importable without the imports of its packages."""
    for name in ("gluoncv", "gluoncv.model_zoo", "gluoncv.nn", "gluoncv.data"):
        package = sys.modules[name] = types.ModuleType(name)
        package.__path__ = [os.path.join(root, *name.split(".")[1:])]
    layers = importlib.import_module("gluoncv.nn.block")
    vars(sys.modules["gluoncv.nn"]).update({name: getattr(layers, name) for name in layers.__all__})
    sys.modules["gluoncv.data"].ImageNet1kAttr = lambda: types.SimpleNamespace(**NO_CLASSES)


def seen(mx, net, x):
    """Return arrays by name: results, then loss and gradients of a step, and results after it.

    The step uses float64: batch norms over two images amplify rounding errors.
    """
    found = named("result", net(x))
    net.cast("float64")
    x, label = x.astype("float64"), mx.nd.array([3, 7])
    x.attach_grad()  # MXNet's batch norms update their moving averages when they get a gradient
    loss_of = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 2**-10})
    with mx.autograd.record():
        loss = sum(loss_of(y, label) for y in flat(net(x)))
    loss.backward()
    found.update({"loss": loss, "gradient of the images": x.grad})
    found.update(gradients(net._collect_params_with_prefix()))
    trainer.step(2)
    return {**found, **named("after", net(x))}
