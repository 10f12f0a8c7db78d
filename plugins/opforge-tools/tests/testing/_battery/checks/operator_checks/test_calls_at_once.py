import re
import threading

import pytest

from .conftest import Square, SquareOp


class Remembers(Square):
    """Keep in the shared object what belongs to one call."""

    stateless = True

    def create_operator(self, ctx, shapes, dtypes):
        return _Remembers()


class _Remembers(SquareOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        self.data = in_data[0].copy()
        super().forward(is_train, req, in_data, out_data, aux)

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.assign(in_grad[0], req[0], out_grad[0] * self.data * 2)


class Counts(Square):
    """Count the calls that are under way, in a variable that all threads share."""

    inside = 0
    lock = threading.Lock()
    alone = threading.get_ident()
    together = threading.Barrier(3, timeout=60)

    def create_operator(self, ctx, shapes, dtypes):
        return _Counts()


class _Counts(SquareOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        with Counts.lock:
            Counts.inside += 1
        meets_others = threading.get_ident() != Counts.alone
        if meets_others:
            Counts.together.wait()
        inside = Counts.inside
        if meets_others:
            Counts.together.wait()  # all have read it: none gets the count of a call that is alone
        self.assign(out_data[0], req[0], in_data[0] * inside)
        with Counts.lock:
            Counts.inside -= 1


@pytest.mark.keeps_memory
def test_two_calls_before_either_goes_back(outcome):
    assert outcome("calls at once", Square).status == "passed"
    found = outcome("calls at once", Remembers)
    assert found.status == "failed"
    assert "has a different gradient than alone" in found.message


def test_several_threads(outcome):
    found = outcome("calls at once", Counts)
    assert found.status == "failed"
    # Which of its calls meet each other depends on the machine.
    assert re.search("with 3 threads calling it: output (in training )?0 differs", found.message)


def test_random_ones_are_left_alone(outcome):
    samples = [{"inputs": [], "attributes": {"shape": (3,)}}]
    found = outcome("calls at once", "_random_normal", samples=samples)
    assert found.message == "it draws random numbers"
