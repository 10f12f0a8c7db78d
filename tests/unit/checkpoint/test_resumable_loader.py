"""A loader's position in the middle of an epoch, and between epochs."""

import numpy as np
import pytest

from opforge.checkpoint import ResumableLoader
from opforge.gluon.data import DataLoader


class Shuffled:
    """Batches in a new order each time."""

    def __iter__(self):
        return iter(np.random.permutation(5).tolist())

    def __len__(self):
        return 5


@pytest.mark.parametrize("seen", range(6))
def test_remaining_batches_keep_their_order(seen):
    np.random.seed(4)
    loader = ResumableLoader(Shuffled())
    list(loader)
    epoch = iter(loader)
    for _ in range(seen):
        next(epoch)
    np.random.rand()
    position, now = loader.state_dict(), np.random.get_state()
    rest = list(epoch), list(loader), np.random.rand()
    np.random.set_state(now)
    again = ResumableLoader(Shuffled())
    again.load_state_dict(position)
    assert (list(again), list(again), np.random.rand()) == rest


def test_between_epochs_there_is_nothing_left():
    loader = ResumableLoader(Shuffled())
    assert len(loader) == 5
    list(loader)
    assert loader.state_dict() == {"begin": None, "count": 0}
    again = ResumableLoader([1, 2])
    again.load_state_dict(loader.state_dict())
    assert list(again) == [1, 2]


def test_an_epoch_that_is_left_is_forgotten_by_the_next():
    loader = ResumableLoader([1, 2, 3])
    next(iter(loader))
    assert list(loader) == [1, 2, 3]


def test_a_loader_that_draws_ahead_cannot_be_resumed():
    loader = DataLoader([1, 2, 3], 1, prefetch=1, auto_reload=True)
    with pytest.raises(ValueError, match=r"auto_reload=True.*auto_reload=False"):
        ResumableLoader(loader)
