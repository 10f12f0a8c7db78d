import numpy as np
import pytest

import opforge as mx
from opforge import autograd, gluon, nd
from opforge.gluon.utils import split_and_load, split_data


def test_even():
    parts = split_data(nd.arange(6).reshape((6, 1)), 3)
    assert [p.asnumpy().ravel().tolist() for p in parts] == [[0, 1], [2, 3], [4, 5]]
    (whole,) = split_data(nd.arange(3), 1)
    assert whole.shape == (3,)


def test_uneven_parts_and_other_axes():
    parts = split_data(nd.arange(5), 2, even_split=False)
    assert [p.shape for p in parts] == [(3,), (2,)]
    parts = split_data(nd.arange(10).reshape((2, 5)), 2, batch_axis=1, even_split=False)
    assert [p.asnumpy().tolist() for p in parts] == [[[0, 1, 2], [5, 6, 7]], [[3, 4], [8, 9]]]


@pytest.mark.parametrize("axis", [0, 1])
def test_fewer_samples_than_parts_leave_empty_parts(axis):
    shape = (1, 2) if axis else (2, 1)
    parts = split_data(nd.ones(shape), 3, batch_axis=axis, even_split=False)
    assert [p.shape[axis] for p in parts] == [1, 1, 0]


@pytest.mark.plugins
def test_training_with_an_empty_part():
    contexts = [mx.cpu(0), mx.cpu(1)]
    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.Dense(3), gluon.nn.BatchNorm(), gluon.nn.Dense(1))
    net.initialize(ctx=contexts)
    trainer = gluon.Trainer(net.collect_params(), "sgd")
    for active in (False, True):
        net.hybridize(active)
        for count in (1, 4, 1):
            parts = split_and_load(nd.ones((count, 2)), contexts, even_split=False)
            with autograd.record():
                losses = [net(part).sum() for part in parts]
            autograd.backward(losses)
            trainer.step(count)
    for param in net.collect_params().values():
        for copy in param.list_data():
            assert np.isfinite(copy.asnumpy()).all(), param


def test_load():
    parts = split_and_load(np.arange(4), [mx.cpu(0), mx.cpu(1)])
    assert [(p.context, p.asnumpy().tolist()) for p in parts] == [
        (mx.cpu(0), [0, 1]),
        (mx.cpu(1), [2, 3]),
    ]


def test_errors():
    with pytest.raises(ValueError, match="cannot be evenly split into 2 slices"):
        split_data(nd.arange(5), 2)
