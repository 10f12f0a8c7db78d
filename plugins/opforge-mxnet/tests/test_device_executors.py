import numpy as np
import pytest

import opforge as mx
from opforge import nd, sym
from opforge.executor_manager import DataParallelExecutorManager

X = np.arange(12, dtype="float32").reshape(4, 3)
LABELS = np.array([1.0, 0, 2, 1], "float32")


def network(length=3):
    net = sym.sum(sym.var("data"), axis=1, keepdims=True) / length
    net = sym.FullyConnected(net, num_hidden=1, name="fc").reshape((-1,))
    return sym.Group(
        [sym.BlockGrad(net), sym.MakeLoss(sym.square(net - sym.var("label")), name="loss")]
    )


def manage(**settings):
    net = network()
    batches = mx.io.NDArrayIter(X, LABELS, batch_size=4, label_name="label")
    batches.default_bucket_key = 3
    names = net.list_arguments()
    manager = DataParallelExecutorManager(
        *(net, [mx.cpu(0), mx.cpu(1)], batches, names, ["fc_weight", "fc_bias"], []), **settings
    )
    params = {"fc_weight": nd.array([[2]]), "fc_bias": nd.array([1])}
    manager.set_params(params, {})
    return manager, next(batches)


@pytest.mark.parametrize("shares", [None, [3, 1]])
def test_a_batch_is_divided(shares):
    manager, batch = manage(work_load_list=shares)
    manager.load_data_batch(batch)
    manager.forward(is_train=True)
    manager.backward()
    expected = X.mean(axis=1) * 2 + 1
    outputs = [executor.outputs[0].asnumpy() for executor in manager.curr_execgrp.train_execs]
    assert [len(part) for part in outputs] == ([2, 2] if shares is None else [3, 1])
    np.testing.assert_allclose(np.concatenate(outputs), expected)
    weight, bias = (sum(g.asnumpy() for g in grads) for grads in manager.grad_arrays)
    np.testing.assert_allclose(bias, 2 * (expected - LABELS).sum())
    np.testing.assert_allclose(weight, [[(2 * (expected - LABELS) * X.mean(axis=1)).sum()]])


def test_parameters_are_means():
    manager, _ = manage()
    (first, second), _ = manager.param_arrays
    first[:], second[:] = 1, 4
    found = {"fc_weight": nd.zeros((1, 1)), "fc_bias": nd.zeros((1,))}
    manager.copy_to(found, {})
    assert found["fc_weight"].asscalar() == 2.5
    assert found["fc_bias"].asscalar() == 1


def test_buckets_share_parameters():
    manager, batch = manage(sym_gen=network)
    batch.bucket_key = 3
    short = mx.io.DataBatch(
        [nd.array(X[:, :2])],
        [nd.array(LABELS)],
        bucket_key=2,
        provide_data=[("data", (4, 2))],
        provide_label=[("label", (4,))],
    )
    for item, length in ((batch, 3), (short, 2), (batch, 3)):
        manager.load_data_batch(item)
        manager.forward()
        (first, _), (second, _) = (e.outputs for e in manager.curr_execgrp.train_execs)
        found = np.concatenate([first.asnumpy(), second.asnumpy()])
        np.testing.assert_allclose(found, X[:, :length].mean(axis=1) * 2 + 1)
    first, second = (manager.execgrp_bucket[key].param_arrays[0][1] for key in (3, 2))
    first[:] = 7
    assert second.asscalar() == 7
    with pytest.raises(NotImplementedError, match="Monitoring is not implemented"):
        manager.install_monitor(None)


def test_metrics_get_the_labels_of_each_device():
    net = sym.FullyConnected(sym.var("data"), num_hidden=1, no_bias=True, name="fc")
    batches = mx.io.NDArrayIter(X, batch_size=4)
    names = net.list_arguments()
    manager = DataParallelExecutorManager(
        net, [mx.cpu(0), mx.cpu(1)], batches, names, ["fc_weight"], []
    )
    manager.set_params({"fc_weight": nd.array([[1, 0, 0]])}, {})
    manager.load_data_batch(mx.io.DataBatch([nd.array(X)], []))
    manager.forward()
    for labels, pre_sliced in (
        ([nd.array(LABELS)], False),
        ([[nd.array(LABELS[:2])], [nd.array(LABELS[2:])]], True),
    ):
        mse = mx.metric.MSE()
        manager.update_metric(mse, labels, pre_sliced)
        assert mse.get()[1] == pytest.approx(((X[:, 0] - LABELS) ** 2).mean())


def test_misfits_are_errors():
    with pytest.raises(AssertionError, match=r"work load: got \[1\] for 2 devices"):
        manage(work_load_list=[1])
