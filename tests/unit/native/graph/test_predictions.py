"""Compiled graphs count the threads that predict."""

import threading

import pytest

from opforge import autograd, gluon, nd
from opforge.base.errors import OperatorError
from opforge.native.threads import parallel
from opforge.operator import CustomOp, CustomOpProp, register

pytestmark = pytest.mark.keeps_memory  # compiled graphs keep objects of authors
SEEN: list[int] = []


class Counting(CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        SEEN.append(parallel._n_predicting())
        if in_data[0].asnumpy()[0] < 0:
            raise KeyError("negative")
        self.assign(out_data[0], req[0], in_data[0])

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.assign(in_grad[0], req[0], out_grad[0])


@register("counting_predictions")
class CountingProp(CustomOpProp):
    def create_operator(self, ctx, shapes, dtypes):
        return Counting()


class Net(gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        return F.Custom(x * 2, op_type="counting_predictions")


@pytest.fixture
def net():
    SEEN.clear()
    net = Net()
    net.hybridize()
    net(nd.ones(2)).wait_to_read()
    SEEN.clear()
    return net


def test_a_prediction_is_counted_until_it_ends(net):
    net(nd.ones(2)).wait_to_read()
    assert SEEN == [1] and parallel._n_predicting() == 0
    with pytest.raises(OperatorError, match="negative"):
        net(-nd.ones(2)).wait_to_read()
    assert SEEN == [1, 1] and parallel._n_predicting() == 0


def test_training_is_not_counted(net):
    with autograd.record():
        net(nd.ones(2)).wait_to_read()
    with autograd.train_mode():
        net(nd.ones(2)).wait_to_read()
    assert SEEN == [0, 0]


def test_predictions_of_threads_are_counted(net):
    inside = threading.Barrier(2)

    class Waiting(gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            return F.Custom(x, op_type="waiting_predictions")

    class WaitingOp(Counting):
        def forward(self, is_train, req, in_data, out_data, aux):
            inside.wait(10)
            super().forward(is_train, req, in_data, out_data, aux)
            inside.wait(10)

    @register("waiting_predictions")
    class WaitingProp(CustomOpProp):
        def create_operator(self, ctx, shapes, dtypes):
            return WaitingOp()

    block = Waiting()
    block.hybridize()
    threads = [threading.Thread(target=block, args=(nd.ones(2),)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert SEEN == [2, 2] and parallel._n_predicting() == 0
