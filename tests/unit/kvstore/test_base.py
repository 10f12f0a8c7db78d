"""`KVStoreBase` and how a trainer's argument becomes a store."""

import pytest

from opforge import kvstore, nd


class Doubling(kvstore.KVStoreBase):
    """Sums, and doubles, so that it can be seen."""

    def __init__(self):
        self.calls = []

    def broadcast(self, key, value, out, priority=0):
        self.calls.append(("broadcast", key))
        for array in out:
            array[:] = value

    def pushpull(self, key, value, out=None, priority=0):
        self.calls.append(("pushpull", key))
        total = 2 * sum(value[1:], value[0])
        for array in value if out is None else out:
            array[:] = total


@pytest.mark.parametrize("name", [None, "local", "device", "local_allreduce_cpu"])
def test_what_stays_in_the_process_needs_no_store(name):
    assert kvstore.store_of(name) is None


def test_a_store_stands_for_itself_and_a_name_for_its_store():
    store = Doubling()
    assert kvstore.store_of(store) is store
    kvstore.KVStoreBase.register(Doubling)
    assert isinstance(kvstore.store_of("doubling"), Doubling)
    assert kvstore.create("Doubling").type == "doubling"


def test_what_is_no_store():
    with pytest.raises(TypeError, match="kvstore must be a name"):
        kvstore.store_of(3)
    with pytest.raises(TypeError, match="name must be a string"):
        kvstore.create(3)
    with pytest.raises(ValueError, match="Cannot find kvstore nosuch"):
        kvstore.create("nosuch")


def test_the_base_does_nothing_silently():
    store = kvstore.KVStoreBase()
    assert (store.rank, store.num_workers) == (0, 1)
    assert not store.is_capable(store.OPTIMIZER)
    for call in (
        lambda: store.broadcast(0, nd.ones(1), []),
        lambda: store.pushpull(0, []),
        lambda: store.set_optimizer(None),
        lambda: store.save_optimizer_states("x"),
        lambda: store.load_optimizer_states("x"),
    ):
        with pytest.raises(NotImplementedError, match="KVStoreBase"):
            call()
