from opforge import cpu, nd
from opforge.gluon.contrib.estimator import BatchProcessor


def test_a_batch_is_split_along_its_axis():
    batch = nd.arange(8).reshape((2, 4)), nd.arange(4).reshape((1, 4))
    data, label = BatchProcessor()._get_data_and_label(batch, [cpu(0), cpu(1)], batch_axis=1)
    assert [part.shape for part in data] == [(2, 2)] * 2
    assert [part.asnumpy().tolist() for part in label] == [[[0, 1]], [[2, 3]]]


def test_only_a_training_has_gradients(estimator):
    made = estimator()
    batch = nd.array([[1.0], [2.0]]), nd.array([[2.0], [4.0]])
    for method, gradient in (("evaluate_batch", 0), ("fit_batch", -10)):
        data, label, pred, loss = getattr(made.batch_processor, method)(made, batch)
        assert [len(part) for part in (data, label, pred, loss)] == [1] * 4
        assert loss[0].asnumpy().tolist() == [2, 8]
        assert made.net.slope.grad().asscalar() == gradient
