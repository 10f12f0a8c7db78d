import numpy as np
import pytest

import opforge as mx
from opforge.module.executor_group import DataParallelExecutorGroup

DEVICES = [mx.cpu(0), mx.cpu(1), mx.cpu(2)]


def test_copies_stay_equal(make_module):
    module = make_module(context=DEVICES)
    batch = mx.io.DataBatch([mx.nd.random.normal(shape=(4, 2))], [mx.nd.arange(4) % 3])
    module.init_optimizer(optimizer="adam")
    for _ in range(3):
        module.forward_backward(batch)
        module.update()
    for copies in module._exec_group.param_arrays:
        for copy in copies[1:]:
            np.testing.assert_array_equal(copy.asnumpy(), copies[0].asnumpy())
    module.set_params({"fc_bias": mx.nd.ones((3,))}, {}, allow_missing=True)
    assert [a.asnumpy().tolist() for a in module._exec_group.param_arrays[1]] == [[1, 1, 1]] * 3


def test_parameters_of_a_group_are_means():
    net = mx.sym.broadcast_mul(mx.sym.var("data"), mx.sym.var("w", shape=(1, 1)))
    group = DataParallelExecutorGroup(
        net, DEVICES[:2], None, [("data", (2, 1))], None, ["w"], True, False
    )
    for value, copy in zip((1, 3), group.param_arrays[0], strict=True):
        copy[:] = value
    target = mx.nd.zeros((1, 1))
    group.get_params({"w": target}, {})
    assert target.asnumpy().tolist() == [[2]]


def test_states_are_each_devices_own():
    net = mx.sym.var("data") + mx.sym.var("state")
    module = mx.mod.Module(net, label_names=None, state_names=["state"], context=DEVICES[:2])
    module.bind([("data", (3, 2))], for_training=False)
    module.init_params()
    module.set_states(value=1)
    module.forward(mx.io.DataBatch([mx.nd.ones((3, 2))]))
    module.set_states(states=module.get_outputs(merge_multi_context=False))
    assert [a.asnumpy().max() for a in module.get_states(merge_multi_context=False)[0]] == [2, 2]


def test_one_of_states_and_value_is_set(make_module):
    with pytest.raises(AssertionError, match="exactly one of states and value"):
        make_module(context=DEVICES).set_states()
