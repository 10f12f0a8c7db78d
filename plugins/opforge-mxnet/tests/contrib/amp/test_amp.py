"""Mixed precision: losses are scaled, gradients come back, and steps that overflow are skipped."""

import numpy as np
import pytest

from opforge import autograd, gluon, nd, optimizer
from opforge.contrib import amp


@pytest.fixture(autouse=True)
def initialised(monkeypatch):
    monkeypatch.setattr(amp.amp, "_amp_initialized", True)


def trained(value=1.0, rate=0.5):
    """Return a parameter and a trainer for it that scales."""
    w = gluon.Parameter("w", shape=(2,), init="ones")
    w.initialize()
    w.set_data(nd.full((2,), value))
    trainer = gluon.Trainer([w], "sgd", {"learning_rate": rate})
    amp.init_trainer(trainer)
    return w, trainer


def run_backward(w, trainer, factor=2.0):
    with autograd.record():
        loss = w.data() * factor
        with amp.scale_loss(loss, trainer) as scaled:
            autograd.backward(scaled)


def test_a_step_equals_one_without_scaling():
    w, trainer = trained()
    run_backward(w, trainer)
    assert w.grad().asnumpy().tolist() == [2.0**17] * 2
    trainer.step(2)
    assert w.data().asnumpy().tolist() == [0.5, 0.5]


def test_lists_of_losses_are_scaled():
    _, trainer = trained()
    with amp.scale_loss([nd.ones((1,)), nd.ones((2,))], trainer) as scaled:
        assert [part.sum().asscalar() for part in scaled] == [2.0**16, 2.0**17]


@pytest.mark.parametrize("bad", [np.inf, np.nan])
def test_a_step_that_overflows_is_skipped_and_the_next_scale_is_half(bad):
    w, trainer = trained()
    run_backward(w, trainer, bad)
    trainer.step(1)
    assert w.data().asnumpy().tolist() == [1.0, 1.0]
    with amp.scale_loss(nd.ones((1,)), trainer) as scaled:
        assert scaled.asscalar() == 2.0**15
    run_backward(w, trainer)
    trainer.step(1)
    assert w.data().asnumpy().tolist() == [0.0, 0.0]


def test_gradients_are_divided_at_once():
    w, trainer = trained()
    run_backward(w, trainer)
    amp.unscale(trainer)
    assert w.grad().asnumpy().tolist() == [2.0, 2.0]
    trainer.step(1)
    assert w.data().asnumpy().tolist() == [0.0, 0.0]


def test_gradients_that_vanish_in_float16_survive():
    x = nd.full((1,), 2.0**-20).astype("float16")
    w = gluon.Parameter("w", shape=(1,), init="ones", dtype="float16")
    w.initialize()
    trainer = gluon.Trainer([w], "sgd", {"learning_rate": 1.0, "multi_precision": True})
    amp.init_trainer(trainer)
    for scaled in (False, True):
        with autograd.record():
            loss = (w.data() * x).astype("float32") * 2.0**-10
            if scaled:
                with amp.scale_loss(loss, trainer) as losses:
                    autograd.backward(losses)
            else:
                loss.backward()
        assert bool(w.grad().asscalar()) is scaled


def test_a_trainer_needs_a_switch_and_a_scaler(monkeypatch):
    w = gluon.Parameter("w", shape=(2,), init="ones")
    w.initialize()
    trainer = gluon.Trainer([w], "sgd")
    with pytest.raises(AssertionError, match="init_trainer"), amp.scale_loss(nd.ones(1), trainer):
        pass
    monkeypatch.setattr(amp.amp, "_amp_initialized", False)
    with pytest.raises(AssertionError, match=r"amp\.init"):
        amp.init_trainer(trainer)
    amp.init()
    amp.init_trainer(trainer)


def test_init_trainer_rejects_other_objects():
    with pytest.raises(TypeError, match=r"gluon\.Trainer, got SGD"):
        amp.init_trainer(optimizer.SGD())
    amp.init("bfloat16")
    with pytest.raises(ValueError, match="target_dtype is 'float32', expected 'float16' or 'bf"):
        amp.init("float32")
