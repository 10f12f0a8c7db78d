"""Single calls of operators: outputs, and gradients for given output gradients."""

import contextlib
import os

import numpy as np


def run(mx, request, folder):
    """Call each operator with the arrays of arrays.npz; results go to results.npz, by number."""
    # MXNet's own kernels if available: oneDNN's reject some calls and round differently.
    os.environ["MXNET_MKLDNN_ENABLED"] = str(int(request["onednn"]))
    given = dict(np.load(os.path.join(folder, "arrays.npz")))
    results = {}
    for number, (name, attributes, smooth) in enumerate(request["calls"]):
        function = mx.nd
        for part in name.split("."):
            function = getattr(function, part)
        keys = [key for key in given if key.startswith(f"{number}:in:")]
        inputs = [mx.nd.array(given[key], dtype=given[key].dtype) for key in keys]
        for at in smooth:
            inputs[at].attach_grad()
        # Some operators cannot be recorded.
        with mx.autograd.record() if smooth else contextlib.nullcontext():
            outputs = function(*inputs, **attributes)
        outputs = outputs if isinstance(outputs, list) else [outputs]
        if smooth:
            heads = [given[f"{number}:head:{at}"] for at in range(len(outputs))]
            heads = [mx.nd.array(head, dtype=head.dtype) for head in heads]
            mx.autograd.backward(outputs, heads)
        for at, output in enumerate(outputs):
            results[f"{number}:out:{at}"] = output.asnumpy()
        for at in smooth:
            results[f"{number}:grad:{at}"] = inputs[at].grad.asnumpy()
    np.savez(os.path.join(folder, "results.npz"), **results)
    return "done"
