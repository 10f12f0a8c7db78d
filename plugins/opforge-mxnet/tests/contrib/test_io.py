import numpy as np
import pytest

import opforge as mx
from opforge.contrib.io import DataLoaderIter


def loader(size, batch_size):
    x = np.arange(size * 3, dtype="float32").reshape(size, 3)
    data = mx.gluon.data.ArrayDataset(mx.nd.array(x), mx.nd.arange(size))
    return mx.gluon.data.DataLoader(data, batch_size=batch_size)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_last_batch_is_padded(dtype):
    batches = DataLoaderIter(loader(5, 2), dtype=dtype)
    assert batches.provide_data[0][:2] == ("data", (2, 3))
    assert batches.provide_label[0][:2] == ("softmax_label", (2,))
    for _ in range(2):
        found = list(batches)
        assert [batch.pad for batch in found] == [0, 0, 1]
        assert {batch.data[0].dtype for batch in found} == {np.dtype(dtype).type}
        labels = [batch.label[0].asnumpy().tolist() for batch in found]
        assert labels == [[0, 1], [2, 3], [4, 0]]
        assert found[2].data[0].asnumpy().tolist() == [[12, 13, 14], [0, 0, 0]]
        batches.reset()


def test_a_module_trains_on_it():
    net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=1, name="fc")
    net = mx.sym.MakeLoss(mx.sym.sum((net.reshape((-1,)) - mx.sym.var("label")) ** 2))
    module = mx.mod.Module(net, label_names=["label"])
    batches = DataLoaderIter(loader(4, 2), label_name="label")
    module.fit(batches, num_epoch=1, eval_metric="loss")
    assert batches.batch_size == 2
