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
