"""The arrays of a parameter on one and on several contexts."""

import pytest

import opforge as mx
from opforge import gluon, nd
from opforge.gluon.copies import contexts_of

TWO = [mx.cpu(0), mx.cpu(1)]


def made(**kwargs):
    ctx = kwargs.pop("ctx", None)
    param = gluon.Parameter("w", **kwargs)
    param.initialize(ctx=ctx)
    return param


def test_several_contexts_keep_equal_copies():
    param = made(shape=(2,), ctx=TWO)
    first, second = param.list_data()
    assert (first.context, second.context) == tuple(TWO)
    assert (first.asnumpy() == second.asnumpy()).all()
    assert param.data(mx.cpu(1)) is second
    assert param.data() is first
    with mx.cpu(1):
        assert param.data() is second
    assert [g.context for g in param.list_grad()] == TWO
    param.set_data(nd.array([7, 8]))
    assert param.data(mx.cpu(1)).asnumpy().tolist() == [7, 8]
    with pytest.raises(RuntimeError, match=r"not initialized on context cpu\(2\)"):
        param.data(mx.cpu(2))


def test_wrong_context():
    with pytest.raises(RuntimeError, match=r"only initialized on \[cpu\(0\)\]"):
        made(shape=(2,)).data(mx.cpu(1))


def test_contexts_as_a_list():
    assert contexts_of(None) == [mx.cpu(0)]
    assert contexts_of(mx.cpu(3)) == [mx.cpu(3)]
    assert contexts_of(TWO) == TWO
