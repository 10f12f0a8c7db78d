"""Fixtures of the Gluon tests: two layers built from core operators."""

import numpy as np
import pytest

from opforge import autograd, gluon, init


class _Dense(gluon.HybridBlock):
    def __init__(self, units, in_units=0, init=None, **kwargs):
        super().__init__(**kwargs)
        self._units = units
        with self.name_scope():
            self.weight = self.params.get(
                "weight", shape=(units, in_units), init=init, allow_deferred_init=True
            )
            self.bias = self.params.get(
                "bias", shape=(units,), init="zeros", allow_deferred_init=True
            )

    def _alias(self):
        return "dense"

    def hybrid_forward(self, F, x, weight, bias):
        return F.FullyConnected(x, weight, bias, num_hidden=self._units)


class Scale(gluon.Block):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.factor = self.params.get("factor", shape=(2,), init="ones")

    def forward(self, x):
        return x * self.factor.data(x.context)


@pytest.fixture
def dense():
    """Return a fully connected hybrid layer class with deferred shapes."""
    return _Dense


@pytest.fixture
def scale():
    """Return a non-hybrid block class: x * factor, factor of shape (2,)."""
    return Scale


@pytest.fixture
def parameter():
    """Return a function that creates an initialized parameter from a name and values."""

    def make(name, values, ctx=None, **kwargs):
        made = gluon.Parameter(name, shape=np.shape(values), init=init.Constant(values), **kwargs)
        made.initialize(ctx=ctx)
        return made

    return make


class Calls(gluon.HybridBlock):
    """Calls a function of the operator namespace; counts the calls."""

    def __init__(self, function):
        super().__init__()
        self._function = function
        self.count = 0

    def hybrid_forward(self, F, *args):
        self.count += 1
        return self._function(F, *args)


@pytest.fixture
def hybrid():
    """Create a hybridized block of a function of ``F`` and arrays; `count` counts its runs."""

    def make(function):
        block = Calls(function)
        block.hybridize()
        return block

    return make


@pytest.fixture
def step():
    """Call a block and differentiate: return the output and the arrays' gradients, in NumPy."""

    def run(block, *arrays, head=None):
        for array in arrays:
            array.attach_grad()
        with autograd.record():
            y = block(*arrays)
        y.backward(head)
        return [y.asnumpy(), *[array.grad.asnumpy() for array in arrays]]

    return run
