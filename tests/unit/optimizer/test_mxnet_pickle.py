import pickle
import pickletools

import numpy as np
import pytest

from opforge import lr_scheduler, nd, optimizer
from opforge.optimizer.mxnet_pickle import dump_pickle
from opforge.optimizer.saved_states import read_states

DATA = {
    0: None,
    "texts": ["", "é"],
    1: (True, False, 2**31 - 1, -(2**31), 2**31, -(2**70), 1.5, float("inf")),
    2: {"empty": [{}, (), []]},
}


class Own(lr_scheduler.LRScheduler):
    pass


def test_plain_data():
    assert pickle.loads(dump_pickle(DATA)) == DATA
    assert pickle.loads(dump_pickle({0: np.float32(1.5)})) == {0: 1.5}


def test_arrays_are_written_once():
    array = nd.array([[1, 0], [0, 2]])
    saved = {0: (array, array), 1: array.tostype("csr"), 2: array.tostype("row_sparse")}
    content = dump_pickle(saved)
    assert content.count(b"bytearray") == 3
    ((states,), counts, made) = read_states(content, optimizer.SGD())
    assert (counts, made) == (None, None)
    assert states[0][0] is states[0][1]
    for one in (states[0][0], states[1], states[2]):
        assert one.asnumpy().tolist() == array.asnumpy().tolist()
    assert [states[1].stype, states[2].stype] == ["csr", "row_sparse"]


def test_classes_have_the_names_of_mxnet():
    schedule = lr_scheduler.FactorScheduler(2, 0.5, base_lr=0.25)
    made = optimizer.SGD(momentum=0.5, lr_scheduler=schedule)
    content = dump_pickle(({}, made))
    names = [arg for op, arg, _ in pickletools.genops(content) if op.name == "GLOBAL"]
    assert names == ["mxnet.optimizer.optimizer SGD", "mxnet.lr_scheduler FactorScheduler"]
    again = read_states(content, optimizer.Adam()).optimizer
    assert vars(again).keys() == vars(made).keys() | {"aggregate_num", "allow_np_array"}
    assert vars(again.lr_scheduler) == vars(schedule)
    assert again._index_update_count is again._all_index_update_counts[0]


def test_classes_of_the_program_keep_their_names():
    content = dump_pickle(({}, optimizer.SGD(lr_scheduler=Own())))
    assert f"c{__name__}\nOwn\n".encode() in content


def test_other_objects():
    with pytest.raises(TypeError, match="MXNet's format cannot hold a set"):
        dump_pickle({0: {1}})
