"""Fluent methods call the operator with their name."""

import os
import subprocess
import sys

import numpy as np
import pytest

from opforge import nd, sym
from opforge.op.calling.fluent import FLUENT


@pytest.mark.parametrize("name", FLUENT)
def test_methods_exist_and_document_their_function(name):
    method = getattr(nd.NDArray, name)
    assert method.__name__ == name and f"`{name}`" in method.__doc__


def test_methods_pass_arguments_on():
    x = nd.array([[1.0, 4.0], [9.0, 16.0]])
    np.testing.assert_allclose(x.sqrt().asnumpy(), [[1, 2], [3, 4]])
    assert x.sum(axis=1, keepdims=True).shape == (2, 1)
    assert x.clip(2, 10).asnumpy().tolist() == [[2, 4], [9, 10]]
    assert x.max().asscalar() == 16
    assert [part.shape for part in x.split(num_outputs=2, axis=0)] == [(1, 2), (1, 2)]


def test_a_missing_plugin_is_named():
    done = subprocess.run(
        [sys.executable, "-c", "from opforge import nd; nd.zeros((1, 2)).softmax()"],
        capture_output=True,
        text=True,
        env={**os.environ, "OPFORGE_PLUGINS": "none"},
        check=False,
    )
    assert done.returncode == 1
    assert "no enabled plugin provides the operator 'softmax'" in done.stderr


@pytest.mark.parametrize(
    "args, named",
    [((1, 0), {}), (((1, 0),), {}), (([1, 0],), {}), ((-1, 0), {}), ((), {})]
    + [((), {"axes": axes}) for axes in ((1, 0), [1, 0], (), None)],
)
def test_transpose_takes_axes_in_every_way(args, named):
    x = nd.array([[1, 2, 3], [4, 5, 6]])
    assert x.transpose(*args, **named).asnumpy().tolist() == [[1, 4], [2, 5], [3, 6]]
    symbol = sym.var("x").transpose(*args, name="t", **named)
    assert symbol.name == "t"
    assert symbol.infer_shape(x=(2, 3))[1] == [(3, 2)]


@pytest.mark.parametrize("x", [nd.ones((2, 3)), sym.var("x")])
def test_transpose_takes_axes_once(x):
    with pytest.raises(TypeError, match="multiple values for argument 'axes'"):
        x.transpose(1, 0, axes=(0, 1))
