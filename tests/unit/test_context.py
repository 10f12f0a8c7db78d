"""MXNet's module of devices."""

import pytest

import opforge as mx
from opforge import context
from opforge.base import context as base


@pytest.mark.parametrize("name", context.__all__)
def test_names_are_those_of_the_base_layer(name):
    assert getattr(context, name) is getattr(base, name)


def test_a_device_for_a_block():
    assert mx.context.current_context() == mx.cpu()
    with mx.Context("cpu", 1):
        assert context.current_context() == mx.cpu(1)
        assert mx.nd.zeros((1,)).context == mx.cpu(1)
    assert mx.nd.zeros((1,)).context == mx.cpu(0)


def test_there_are_no_gpus():
    assert mx.num_gpus() == 0
    with pytest.raises(mx.MXNetError, match="GPU support is disabled"):
        mx.nd.zeros((1,), ctx=mx.gpu())
