"""Bodies of loops and branches, run as a graph and with Python's own loop on arrays."""

import numpy as np

from opforge import autograd, nd, sym
from opforge.base.nesting import flatten
from opforge.ndarray import NDArray
from opforge.symbol import Symbol


def values(*shapes, seed=0, dtype="float64"):
    """Return arrays of numbers between -1 and 1, each with a gradient."""
    random = np.random.RandomState(seed)
    made = [nd.array(random.uniform(-1, 1, shape), dtype=dtype) for shape in shapes]
    for array in made:
        array.attach_grad()
    return made


def in_a_row(value, kind):
    found = []
    flatten(value, kind, found)
    return found


def compare(function, arrays, train=True, rtol=1e-12):
    """Compare outputs and gradients of ``function(F, *inputs)`` as a graph and on arrays."""
    names = [f"x{at}" for at in range(len(arrays))]
    outputs = in_a_row(function(sym, *map(sym.var, names)), Symbol)
    graph = sym.Group(outputs)
    grads = {name: nd.zeros_like(array) for name, array in zip(names, arrays, strict=True)}
    read = [name for name in names if name in graph.list_arguments()]
    given = dict(zip(names, arrays, strict=True))
    executor = graph.bind(None, {n: given[n].detach() for n in read}, {n: grads[n] for n in read})
    have = executor.forward(is_train=train)
    with autograd.record(train):
        want = in_a_row(function(nd, *arrays), NDArray)
    for one, other in zip(have, want, strict=True):
        np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), rtol, 1e-12)
    heads = [nd.array(np.cos(np.arange(o.size)).reshape(o.shape), dtype=o.dtype) for o in want]
    autograd.backward(want, heads, train_mode=train)
    for _ in range(2):  # a gradient may be requested twice
        executor.backward(heads, is_train=train)
        for name in read:
            expected = given[name].grad.asnumpy()
            np.testing.assert_allclose(grads[name].asnumpy(), expected, rtol, 1e-12)
    return executor
