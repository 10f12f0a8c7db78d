"""Row-sparse values in stores: sums, whole copies and copies of rows."""

import numpy as np
import pytest

import opforge as mx
from opforge import nd

TABLE = np.arange(8, dtype=np.float32).reshape(4, 2) + 1


def store():
    made = mx.kv.create("device")
    made.init("table", nd.array(TABLE).tostype("row_sparse"))
    made.init("dense", nd.array(TABLE))
    return made


def rows(*numbers, ctx=None):
    return nd.sparse.row_sparse_array(
        (np.ones((len(numbers), 2), np.float32), numbers), (4, 2), ctx
    )


def empty(count=1):
    return [nd.zeros((4, 2), mx.cpu(i), stype="row_sparse") for i in range(count)]


def test_rows_are_copied_in_any_order_and_once():
    made, (out,) = store(), empty()
    made.row_sparse_pull("table", out=out, row_ids=nd.array([[3, 1], [1, 3]]))
    assert out.indices.asnumpy().tolist() == [1, 3]
    np.testing.assert_array_equal(out.data.asnumpy(), TABLE[[1, 3]])


def test_each_device_gets_its_rows():
    made = store()
    outs = empty(2)
    made.row_sparse_pull("table", out=outs, row_ids=[nd.array([0]), nd.array([2, 3])])
    assert [out.indices.asnumpy().tolist() for out in outs] == [[0], [2, 3]]
    assert [out.context for out in outs] == [mx.cpu(0), mx.cpu(1)]
    made.row_sparse_pull(["table"], out=[outs], row_ids=[nd.array([1])])
    assert [out.indices.asnumpy().tolist() for out in outs] == [[1], [1]]


@pytest.mark.parametrize("key", ["table", "dense"])
def test_pushed_rows_are_summed_over_devices(key):
    made = store()
    made.push(key, [rows(0, 1), rows(1, 3, ctx=mx.cpu(1))])
    out = nd.zeros((4, 2))
    made.pull(key, out=out)
    np.testing.assert_array_equal(out.asnumpy(), [[1, 1], [2, 2], [0, 0], [1, 1]])
    made._set_updater(lambda name, pushed, stored: stored.__iadd__(pushed))
    made.push(key, rows(2))
    made.pull(key, out=out)
    np.testing.assert_array_equal(out.asnumpy(), [[1, 1], [2, 2], [1, 1], [1, 1]])


def test_push_copies_rows():
    made, pushed, out = store(), rows(2), nd.zeros((4, 2))
    made.push("table", pushed)
    pushed[:] = 7
    made.pull("table", out=out)
    np.testing.assert_array_equal(out.asnumpy()[:, 0], [0, 0, 1, 0])


def test_whole_copies_to_sparse_arrays_are_asked_for():
    made, (out,) = store(), empty()
    with pytest.warns(UserWarning, match="call row_sparse_pull with row_ids"):
        made.pull("table", out=out)
    assert out.data.size == 0
    made.pull("table", out=out, ignore_sparse=False)
    np.testing.assert_array_equal(out.asnumpy(), TABLE)
    made.pushpull("table", rows(1), out=out)
    np.testing.assert_array_equal(out.asnumpy(), rows(1).asnumpy())
    made.broadcast("other", rows(2), out)
    np.testing.assert_array_equal(out.asnumpy(), rows(2).asnumpy())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"row_ids": nd.array([4])}, "'table': row 4.0 is out of range; expected 0 to 3"),
        ({"row_ids": nd.array([-1], dtype="int64")}, "row -1"),
        ({"row_ids": nd.array([float("nan")])}, "row nan"),
        ({"row_ids": [nd.array([1])] * 2}, "got 2 row_ids for 1 arrays"),
        ({"out": nd.zeros((4, 2))}, "in out have storage type default"),
        ({"out": nd.zeros((3, 2), stype="row_sparse")}, r"got shape \(3, 2\)"),
    ],
)
def test_mistakes_are_named_and_change_nothing(options, message):
    made, (out,) = store(), empty()
    with pytest.raises(mx.MXNetError, match=message):
        made.row_sparse_pull("table", **{"out": out, "row_ids": nd.array([0]), **options})
    assert out.data.size == 0


def test_arguments_of_the_wrong_kind():
    made, (out,) = store(), empty()
    with pytest.raises(TypeError, match="row_ids has type list; expected a dense NDArray"):
        made.row_sparse_pull("table", out=out, row_ids=[[1]])
    with pytest.raises(ValueError, match="got 2 row_ids for 1 keys"):
        made.row_sparse_pull(["table"], out=[out], row_ids=[nd.array([1])] * 2)
    made.set_gradient_compression({"type": "2bit", "threshold": 0.5})
    with pytest.raises(mx.MXNetError, match="cannot be compressed"):
        made.push("table", rows(1))


def test_one_list_of_rows_serves_every_key():
    store = mx.kv.create("local")
    table = nd.array(np.arange(6).reshape(3, 2)).tostype("row_sparse")
    store.init(["a", "b"], [table, table * 2])
    out = [nd.sparse.zeros("row_sparse", (3, 2)) for _ in range(2)]
    store.row_sparse_pull(["a", "b"], out=out, row_ids=nd.array([2]))
    assert [one.asnumpy().tolist() for one in out] == [
        [[0, 0], [0, 0], [4, 5]],
        [[0, 0], [0, 0], [8, 10]],
    ]
