"""Outputs of a checkpoint that opforge wrote."""

import os

import numpy as np


def run(mx, request, folder):
    """Return the outputs for the data of the folder."""
    data = dict(np.load(os.path.join(folder, "data.npz")))
    prefix = os.path.join(folder, request["prefix"])
    module = mx.mod.Module.load(prefix, request["epochs"])
    iterator = mx.io.NDArrayIter(data["x"], data["y"], request["batch_size"])
    module.bind(iterator.provide_data, iterator.provide_label, for_training=False)
    return module.predict(iterator).asnumpy().tolist()
