"""Calls of an operator by its name alone, as hostile calls contain them.

Inference supplies the shapes of the other inputs, so that a call reaches the loops of any operator.
Imported by the worker processes only.
"""

import numpy as np
from provisions import ALLOWED, A

import opforge
from opforge import autograd, gluon, nd, sym


def alone(name, attributes, shapes, dtype="float32"):
    """Call an operator on arrays of these shapes."""
    return getattr(nd, name)(*[A(shape, dtype) for shape in shapes], **attributes)


def fitted(name, attributes, count, shape, dtype="float32", changed=None, train=False):
    """Call an operator whose first input has `shape`; the shapes of the others are inferred.

    Parameters
    ----------
    name : str
    attributes : dict
    count : int
        Number of named inputs; those that the operator adds follow them.
    shape : tuple of int
    dtype : str
    changed : tuple of int and shape, optional
        An input, and the shape that replaces the inferred one.
    train : bool
        Whether the call is recorded and gradients are computed.
    """
    symbol = _symbol(name, attributes, count)
    known, _, states = symbol.infer_shape_partial(v0=shape)
    shapes = [found or shape for found in [*(known or [()] * count), *(states or [])]]
    if changed is not None:
        shapes[changed[0] % len(shapes)] = changed[1]
    arrays = [A(one, dtype) for one in shapes]
    if not train:
        return getattr(nd, name)(*arrays, **attributes)
    return _train(getattr(nd, name), arrays, attributes)


def bound(name, attributes, count, shape, train):
    """Bind the operator's graph to a shape and run it, including backward if `train`."""
    executor = _symbol(name, attributes, count).simple_bind(opforge.cpu(), v0=shape)
    results = executor.forward(is_train=train)
    if train:
        executor.backward([nd.ones(result.shape, dtype=result.dtype) for result in results])
    return [*results, *filter(None.__ne__, executor.grad_arrays)]


class Written(gluon.HybridBlock):
    """A block that computes a function."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def hybrid_forward(self, F, *arrays):
        return _flat(self.function(F, *arrays))


def both_ways(function, arrays, train=False):
    """Call `function(F, *arrays)` as a graph; compare with Python's result, if there is one."""
    try:
        want = _run(Written(function), arrays, train)
    except ALLOWED:
        want = []
    block = Written(function)
    block.hybridize()
    have = _run(block, arrays, train)
    if [x.shape for x in have] != [x.shape for x in want]:
        return have
    for x, y in zip(have, want, strict=True):
        if not np.allclose(x.asnumpy(), y.asnumpy(), 1e-2, 1e-3, equal_nan=True):
            raise AssertionError(f"in a graph {x.asnumpy().tolist()}, else {y.asnumpy().tolist()}")
    return have


def _run(block, arrays, train):
    """Return results, and copies of the gradients."""
    if not train:
        return block(*arrays)
    return [x.copy() for x in _train(block, arrays, {}) if x is not None]


def _flat(results):
    """Return the arrays or symbols in nested lists."""
    if isinstance(results, (list, tuple)):
        return [item for part in results for item in _flat(part)]
    if not isinstance(results, (nd.NDArray, sym.Symbol)):
        raise TypeError(f"{results!r} is not an array")
    return [results]


def _symbol(name, attributes, count):
    return getattr(sym, name)(*[sym.var(f"v{at}") for at in range(count)], **attributes)


def _train(operator, arrays, attributes):
    for array in arrays:
        array.attach_grad()
    with autograd.record():
        results = operator(*arrays, **attributes)
    results = results if isinstance(results, (list, tuple)) else [results]
    autograd.backward(results)
    return [*results, *[array.grad for array in arrays]]
