"""What is no operator has rows as well."""

import json

from opforge import gluon, io, kvstore, nd, profiler


def counted():
    return {
        name: row["Count"]
        for some in json.loads(profiler.dumps(format="json", reset=True))["Time"].values()
        for name, row in some.items()
    }


def test_key_value_stores():
    store = kvstore.create("local")
    store.init(1, nd.zeros((2,)))
    profiler.set_config(aggregate_stats=True)
    profiler.set_state("run")
    store.push(1, [nd.ones((2,)), nd.ones((2,))])
    store.pull(1, nd.zeros((2,)))
    found = counted()
    assert (found["KVStore.push"], found["KVStore.pull"]) == (1, 1)


def test_loading_of_data():
    profiler.set_config(aggregate_stats=True)
    profiler.set_state("run")
    data = gluon.data.ArrayDataset(nd.zeros((6, 2)))
    for prefetch in (0, 2):
        assert len(list(gluon.data.DataLoader(data, 2, prefetch=prefetch))) == 3
        assert counted()["DataLoader.next"] == 3
    assert len(list(io.NDArrayIter(nd.zeros((6, 2)), batch_size=2))) == 3
    assert counted()["NDArrayIter.next"] == 4  # the last one says that there is none


def test_they_may_be_left_out():
    profiler.set_config(aggregate_stats=True, profile_api=False)
    profiler.set_state("run")
    list(io.NDArrayIter(nd.zeros((6, 2)), batch_size=2))
    assert "NDArrayIter.next" not in counted()
