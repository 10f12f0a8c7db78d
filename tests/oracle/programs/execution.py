"""Outputs and gradients of saved symbols, from arrays in files."""

import os

import numpy as np


def run(mx, request, folder):
    """Bind each symbol to the arrays of its file and write the results next to it."""
    for name in request["networks"]:
        symbol = mx.sym.load(os.path.join(folder, name + "-symbol.json"))
        given = dict(np.load(os.path.join(folder, name + "-inputs.npz")))
        args = {k: mx.nd.array(given["arg:" + k]) for k in symbol.list_arguments()}
        states = {k: mx.nd.array(given["aux:" + k]) for k in symbol.list_auxiliary_states()}
        grads = {k: mx.nd.zeros(args[k].shape) for k in request["networks"][name]}
        wanted = {k: "write" if k in grads else "null" for k in args}
        executor = symbol.bind(mx.cpu(), args, grads, wanted, states)
        results = {}
        for at, x in enumerate(executor.forward(is_train=False)):
            results[f"predicted:{at}"] = x.asnumpy()
        outputs = executor.forward(is_train=True)
        executor.backward([mx.nd.array(given[f"head:{at}"]) for at in range(len(outputs))])
        for at, x in enumerate(outputs):
            results[f"output:{at}"] = x.asnumpy()
        results.update({"grad:" + k: v.asnumpy() for k, v in grads.items()})
        results.update({"aux:" + k: v.asnumpy() for k, v in executor.aux_dict.items()})
        np.savez(os.path.join(folder, name + "-results.npz"), **results)
    return "done"
