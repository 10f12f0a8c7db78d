import pytest

import opforge as mx
from opforge import nd, optimizer


def test_states_are_kept_by_index():
    updater = optimizer.get_updater(optimizer.SGD(learning_rate=1.0, momentum=0.5))
    a, b = nd.array([0.0]), nd.array([0.0])
    updater([0, "b"], [nd.array([1.0]), nd.array([2.0])], [a, b])
    updater(0, nd.array([1.0]), a)
    assert (a.asscalar(), b.asscalar()) == (-2.5, -2)
    assert set(updater.states) == {0, "b"}


def test_parts_of_a_step_have_the_rates_of_the_whole():
    """One weight has been updated less often than the others of the step."""

    def updated(parts):
        scheduler = mx.lr_scheduler.FactorScheduler(1, 0.5, base_lr=1.0)
        updater = optimizer.get_updater(optimizer.SGD(lr_scheduler=scheduler))
        weights, grads = [nd.zeros(1) for _ in range(3)], [nd.ones(1)] * 3
        for _ in range(2):
            updater([1, 2], grads[1:], weights[1:])
        updater.expect([0, 1, 2], weights)
        for some in parts:
            updater(some, [grads[i] for i in some], [weights[i] for i in some])
        updater.expect([], [])
        return [weight.asscalar() for weight in weights]

    assert updated([[0], [2, 1]]) == updated([[0, 1, 2]]) == [-0.25, -1.75, -1.75]


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


@pytest.mark.parametrize("dump", [False, True])
def test_states_say_how_many_updates_there_were(dump):
    """Adam's steps are larger in the first updates; a scheduler counts them too."""

    def made():
        halved = mx.lr_scheduler.FactorScheduler(2, 0.5, base_lr=0.25)
        return optimizer.get_updater(optimizer.Adam(0.25, lr_scheduler=halved))

    def step(updater, *weights):
        updater(list(range(len(weights))), [nd.array([1.0])] * len(weights), list(weights))

    whole, resumed = made(), made()
    first, second = nd.array([0.0]), nd.array([0.0])
    step(whole, first)
    step(whole, first, second)
    resumed.set_states(whole.get_states(dump_optimizer=dump))
    again = first.copy(), second.copy()
    step(whole, first, second)
    step(resumed, *again)
    assert resumed.optimizer.num_update == whole.optimizer.num_update == 3
    assert [x.asscalar() for x in again] == [first.asscalar(), second.asscalar()]


def test_states_of_weights_that_were_never_updated():
    resumed = optimizer.get_updater(optimizer.Adam(begin_num_update=4))
    resumed.set_states(optimizer.get_updater(optimizer.Adam()).get_states())
    assert (resumed.states, resumed.optimizer.num_update) == ({}, 4)


def test_states_change_context():
    updater = optimizer.get_updater(optimizer.SGD())
    moved = updater.sync_state_context((nd.ones((1,)), None), mx.cpu(1))
    assert moved[0].context == mx.cpu(1)
    assert moved[1] is None
