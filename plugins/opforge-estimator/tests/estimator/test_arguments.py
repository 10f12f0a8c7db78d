"""Defaults of the arguments of Estimator, and rejected values."""

import pytest

import opforge as mx
from opforge import gluon, init
from opforge.gluon.contrib.estimator import Estimator
from opforge.gluon.contrib.estimator.arguments import context_list


def test_the_context_is_the_current_one():
    assert context_list(None) == [mx.cpu()]
    with mx.cpu(1):
        assert context_list(None) == [mx.cpu(1)]
    assert context_list(mx.cpu(2)) == [mx.cpu(2)]


def test_initializer(line):
    loss, net = gluon.loss.L2Loss(), line()
    net.slope.init = None
    with pytest.warns(UserWarning, match="No trainer"):
        Estimator(net, loss, initializer=init.Constant(7.0))
    assert net.slope.data().asscalar() == 7
    trainer = gluon.Trainer(net.collect_params(), "sgd")
    with pytest.warns(UserWarning, match="already fully initialized"):
        Estimator(net, loss, initializer=init.Zero(), trainer=trainer)
    assert net.slope.data().asscalar() == 7


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"loss": "l2"}, ValueError, "got loss='l2', expected a gluon.loss.Loss"),
        ({"val_loss": len}, ValueError, "got val_loss=.*expected a gluon.loss.Loss"),
        ({"trainer": "sgd"}, ValueError, "got trainer='sgd', expected a gluon.Trainer"),
        ({"train_metrics": "acc"}, ValueError, "metrics must be"),
        ({"val_metrics": [3]}, ValueError, "metrics must be"),
        ({"context": "cpu"}, ValueError, "context='cpu', expected a Context"),
        ({"context": ["cpu"]}, ValueError, "expected a Context"),
        ({"context": [mx.gpu(100)]}, AssertionError, r"gpu\(100\) is not available"),
        ({"batch_processor": object()}, ValueError, r"no fit_batch\(\)"),
    ],
)
def test_invalid_estimator_arguments_raise(line, arguments, error, message):
    net = line()
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), "sgd")
    with pytest.raises(error, match=message):
        Estimator(net, **({"loss": gluon.loss.L2Loss(), "trainer": trainer} | arguments))
