"""Ranks with the same seed start with the same parameters and drop different elements."""

import numpy as np

_DRAW = """
from opforge import checkpoint

def masks(hybridize):
    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.Dropout(0.5))
    net.hybridize(hybridize)
    with autograd.record():
        return net(nd.ones(64)).asnumpy()

def executor():
    dropped = mx.sym.Dropout(mx.sym.var("x"), p=0.5).bind(mx.cpu(), {"x": nd.ones(64)})
    return dropped.forward(is_train=True)[0].asnumpy()

def noise():
    with autograd.train_mode():
        return nd.random.normal(shape=64).asnumpy()

def later():
    drawn = []
    with autograd.train_mode():
        array = nd.zeros(64)
        mx.engine.push(lambda: drawn.append(nd.random.uniform(shape=64).asnumpy()), write=[array])
        array.wait_to_read()
    return drawn[0]

def drawn():
    mx.random.seed(7)
    net = gluon.nn.Dense(5)  # initialized in the first pass
    net.initialize(mx.init.Normal(1))
    with autograd.record():
        net(nd.ones((1, 4)))
    common = [net.weight.data().asnumpy(), nd.random.uniform(shape=8).asnumpy()]
    own = [masks(False), masks(True), executor(), noise(), later()]
    common.append(nd.random.uniform(shape=8).asnumpy())
    return common, own

mpi.init()
common, own = drawn()
again = drawn()
state = checkpoint.get_random_state()
followed = masks(True)
checkpoint.set_random_state(state)
say(common=common, own=own, again=again, followed=[followed, masks(True)])
"""


def test_masks_differ_between_ranks_but_initial_values_do_not(ranks):
    [alone] = ranks(1, _DRAW).said
    for count in (2, 3):
        said = ranks(count, _DRAW).said
        assert all(one["common"] == alone["common"] for one in said)
        assert said[0]["own"] == alone["own"]  # the first rank has the numbers of one process
        for draws in zip(*(one["own"] for one in said), strict=True):
            assert len({tuple(numbers) for numbers in draws}) == count
        for one in said:
            assert one["again"] == [one["common"], one["own"]]  # the seed repeats them
            np.testing.assert_array_equal(*one["followed"])  # and a checkpoint restores them
