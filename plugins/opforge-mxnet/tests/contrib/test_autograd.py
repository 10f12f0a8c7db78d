"""MXNet's first autograd: sections, and functions that give gradients."""

import pytest

from opforge import autograd as new
from opforge import nd
from opforge.contrib import autograd


def test_a_section_switches_recording_and_training():
    with autograd.train_section():
        assert new.is_recording() and new.is_training()
        with autograd.test_section():
            assert not new.is_recording() and not new.is_training()
        assert new.is_recording() and new.is_training()
    assert not new.is_recording() and not new.is_training()


def test_set_is_training_gives_the_state_before():
    assert autograd.set_is_training(True) is False
    assert autograd.set_is_training(False) is True
    assert not new.is_training()


def test_backward_of_marked_variables():
    x = nd.array([1.0, 2.0])
    gradient = nd.zeros(2)
    autograd.mark_variables([x], [gradient])
    with autograd.train_section():
        y = x * x
    autograd.backward([y], [nd.array([1.0, 10.0])])
    assert gradient.asnumpy().tolist() == [2, 40]


@pytest.mark.parametrize(
    ("argnum", "expected"), [(None, [[5], [2]]), (0, [[5]]), ([1], [[2]]), ([1, 0], [[2], [5]])]
)
def test_grad_of_chosen_arguments(argnum, expected):
    x, y = nd.array([2.0]), nd.array([5.0])
    gradients, loss = autograd.grad_and_loss(lambda a, b: a * b, argnum)(x, y)
    assert [g.asnumpy().tolist() for g in gradients] == expected
    assert loss.asscalar() == 10
    only = autograd.grad(lambda a, b: a * b, argnum)(x, y)
    assert [g.asnumpy().tolist() for g in only] == expected


def test_invalid_arguments_are_rejected():
    with pytest.raises(AssertionError, match="NDArray"):
        autograd.grad(lambda x: x)(3)
    with pytest.raises(AssertionError, match="list or tuple"):
        autograd.backward(nd.ones(1))
