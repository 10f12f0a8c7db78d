"""The factor of a loss, step after step."""

import numpy as np
import pytest

from opforge import autograd, gluon, nd
from opforge.contrib.amp import LossScaler


def parameter():
    w = gluon.Parameter("w", shape=(2,), init="ones")
    w.initialize()
    with autograd.record():
        loss = w.data() * 2
    loss.backward()
    return w


def test_many_good_steps_double_it_up_to_a_bound():
    scaler, w = LossScaler(), parameter()
    seen = set()
    for _ in range(9 * 2000):
        assert not scaler.has_overflow([w])
        seen.add(scaler.loss_scale)
    assert seen == {2.0**power for power in range(16, 25)}


@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan])
def test_overflow_halves_the_scale_and_restarts_the_count(bad):
    scaler, w = LossScaler(), parameter()
    for _ in range(1999):
        scaler.has_overflow([w])
    good = w.grad().copy()
    w.grad()[:] = nd.array([1.0, bad])
    assert scaler.has_overflow([w])
    assert scaler.loss_scale == 2.0**15
    w.grad()[:] = good
    assert not scaler.has_overflow([w])
    assert scaler.loss_scale == 2.0**15


def test_parameters_without_a_gradient_do_not_count():
    frozen = gluon.Parameter("f", shape=(2,), init="ones", grad_req="null")
    frozen.initialize()
    assert not LossScaler().has_overflow([parameter(), frozen])
