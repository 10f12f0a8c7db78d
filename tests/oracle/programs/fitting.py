"""Module.fit on a small problem, from parameters in a file."""

import os

import networks
import numpy as np
import training


def run(mx, request, folder):
    """Return the losses of the epochs; write a checkpoint at the end."""
    data = dict(np.load(os.path.join(folder, "data.npz")))
    curve, module = training.fit(
        mx, networks.perceptron(mx.sym), request, data, os.path.join(folder, "start.params")
    )
    module.save_checkpoint(os.path.join(folder, "from_mxnet"), request["epochs"])
    outputs = module.predict(mx.io.NDArrayIter(data["x"], data["y"], request["batch_size"]))
    np.save(os.path.join(folder, "outputs.npy"), outputs.asnumpy())
    return curve
