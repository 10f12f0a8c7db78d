"""A network in each execution mode, from the same parameters: its results go to a file.

The first run in a folder draws the parameters, the others read them.
"""

import os

import numpy as np

#: The parameter file.
START = "start.params"


def each_way(mx, request, folder, build, draw, seen):
    """Write the results of each requested mode to MODE.npz; return parameters' names.

    `build` returns a network and other arguments of `draw` and `seen`; `draw` initializes it.
    """
    start = os.path.join(folder, START)
    names = []
    for way in request["ways"]:
        net, *given = build()
        names.append(list(net.collect_params()))
        if not os.path.exists(start):
            mx.random.seed(1)
            draw(net, *given)
            net.save_parameters(start)
        net.load_parameters(start)
        net.hybridize(way == "hybridized")
        arrays = seen(net, *given)
        np.savez(os.path.join(folder, way + ".npz"), **{k: a.asnumpy() for k, a in arrays.items()})
    return names[0]


def keep_all(mx, net):
    """Let Dropout keep all elements, since each framework would draw different masks."""

    def keep(block):
        if isinstance(block, mx.gluon.nn.Dropout):
            block._rate = 0

    net.apply(keep)


def named(name, results):
    """Return the arrays of nested lists by name and number."""
    return {f"{name} {at}": array for at, array in enumerate(flat(results))}


def flat(results):
    """Return the arrays of nested lists."""
    if isinstance(results, (list, tuple)):
        return [array for part in results for array in flat(part)]
    return [] if results is None else [results]


def gradients(parameters):
    """Return the gradients of a network's parameters by name."""
    trained = {name: param for name, param in parameters.items() if param.grad_req != "null"}
    return {"gradient of " + name: param.grad() for name, param in trained.items()}
