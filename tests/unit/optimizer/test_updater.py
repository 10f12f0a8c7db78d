import opforge as mx
from opforge import nd, optimizer


def test_states_are_kept_by_index():
    updater = optimizer.get_updater(optimizer.SGD(learning_rate=1.0, momentum=0.5))
    a, b = nd.array([0.0]), nd.array([0.0])
    updater([0, "b"], [nd.array([1.0]), nd.array([2.0])], [a, b])
    updater(0, nd.array([1.0]), a)
    assert (a.asscalar(), b.asscalar()) == (-2.5, -2)
    assert set(updater.states) == {0, "b"}


def test_states_travel():
    first = optimizer.get_updater(optimizer.Adam(learning_rate=0.1))
    weight = nd.array([0.0])
    first(0, nd.array([1.0]), weight)
    for dump in (False, True):
        second = optimizer.get_updater(optimizer.Adam(learning_rate=0.2))
        second.set_states(first.get_states(dump_optimizer=dump))
        assert second.optimizer.lr == (0.1 if dump else 0.2)
        mean, var = second.states[0]
        assert (mean.asscalar(), var.asscalar()) == (
            first.states[0][0].asscalar(),
            first.states[0][1].asscalar(),
        )


def test_states_change_context():
    updater = optimizer.get_updater(optimizer.SGD())
    moved = updater.sync_state_context((nd.ones((1,)), None), mx.cpu(1))
    assert moved[0].context == mx.cpu(1)
    assert moved[1] is None
