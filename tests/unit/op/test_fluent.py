"""Fluent methods call the operator of their name."""

import numpy as np
import pytest

from opforge import nd
from opforge.base.errors import OperatorNotFoundError
from opforge.op.fluent import FLUENT


@pytest.mark.parametrize("name", FLUENT)
def test_methods_exist_and_say_what_they_call(name):
    method = getattr(nd.NDArray, name)
    assert method.__name__ == name and f"`{name}`" in method.__doc__


def test_methods_pass_arguments_on():
    x = nd.array([[1.0, 4.0], [9.0, 16.0]])
    np.testing.assert_allclose(x.sqrt().asnumpy(), [[1, 2], [3, 4]])
    assert x.sum(axis=1, keepdims=True).shape == (2, 1)
    assert x.clip(2, 10).asnumpy().tolist() == [[2, 4], [9, 10]]
    assert x.max().asscalar() == 16
    assert [part.shape for part in x.split(num_outputs=2, axis=0)] == [(1, 2), (1, 2)]


def test_a_missing_plugin_is_named(monkeypatch):
    from opforge.op import registry

    monkeypatch.setattr(registry, "_resolver", None)
    monkeypatch.delitem(vars(nd), "space_to_depth", raising=False)
    with pytest.raises(OperatorNotFoundError, match="space_to_depth"):
        nd.zeros((1, 1, 2, 2)).space_to_depth(2)
