"""A classification network of GluonCV: its results, its gradients, and its results after a step.

The first to run it in a folder draws the parameters, the second reads them. GluonCV's packages are
stand-ins in which its modules are found: their own import detection, pictures and record files.
"""

import importlib
import os
import sys
import types

import numpy as np

#: What a network of ImageNet takes from GluonCV's table of it.
NO_CLASSES = {"synset": [], "classes": [], "classes_long": []}


def run(mx, request, folder):
    """Write what is seen in each of the ways asked for to WAY.npz; return parameters' names."""
    stand_in(request["root"])
    module = importlib.import_module("gluoncv.model_zoo." + request["module"])
    size, start = request["size"], os.path.join(folder, "start.params")
    x = mx.nd.array(np.random.RandomState(0).rand(2, 3, size, size))
    names = []
    for way in request["ways"]:
        net = getattr(module, request["builder"])(*request["arguments"])
        names.append(list(net.collect_params()))
        net.apply(lambda block: keep_all(mx, block))
        if not os.path.exists(start):
            draw(mx, net, x, start)
        net.load_parameters(start)
        net.hybridize(way == "hybridized")
        np.savez(os.path.join(folder, way + ".npz"), **seen(mx, net, x))
    return names[0]


def stand_in(root):
    """Let gluoncv's modules be imported without what its packages import."""
    for name in ("gluoncv", "gluoncv.model_zoo", "gluoncv.nn", "gluoncv.data"):
        package = sys.modules[name] = types.ModuleType(name)
        package.__path__ = [os.path.join(root, *name.split(".")[1:])]
    layers = importlib.import_module("gluoncv.nn.block")
    vars(sys.modules["gluoncv.nn"]).update({name: getattr(layers, name) for name in layers.__all__})
    sys.modules["gluoncv.data"].ImageNet1kAttr = lambda: types.SimpleNamespace(**NO_CLASSES)


def keep_all(mx, block):
    """Let Dropout keep all: each framework would draw masks of its own."""
    if isinstance(block, mx.gluon.nn.Dropout):
        block._rate = 0


def draw(mx, net, x, start):
    mx.random.seed(1)
    net.initialize(mx.init.Xavier())
    net(x)
    net.save_parameters(start)


def seen(mx, net, x):
    """Return arrays by name: results, then loss and gradients of a step, and results after it.

    The step is of float64: batch norms over two pictures blow up what is rounded.
    """
    found = {f"result {at}": y for at, y in enumerate(outputs(net(x)))}
    net.cast("float64")
    x, label = x.astype("float64"), mx.nd.array([3, 7])
    x.attach_grad()  # MXNet's batch norms update their moving averages when they get a gradient
    loss_of = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 2**-10})
    with mx.autograd.record():
        loss = sum(loss_of(y, label) for y in outputs(net(x)))
    loss.backward()
    found.update({"loss": loss, "gradient of the pictures": x.grad})
    parameters = net._collect_params_with_prefix().items()
    found.update({"gradient of " + k: p.grad() for k, p in parameters if p.grad_req != "null"})
    trainer.step(2)
    found.update({f"after {at}": y for at, y in enumerate(outputs(net(x)))})
    return {key: value.asnumpy() for key, value in found.items()}


def outputs(result):
    """Return what a network gives as a list; some have auxiliary outputs."""
    return list(result) if isinstance(result, (list, tuple)) else [result]
