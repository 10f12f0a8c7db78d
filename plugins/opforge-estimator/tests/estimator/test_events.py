import pytest

from opforge.gluon.contrib.estimator import event_handler
from opforge.gluon.contrib.estimator.events import EventHandler, handler_list


def test_a_handler_does_nothing_by_itself():
    class Silent(
        event_handler.TrainBegin,
        event_handler.EpochBegin,
        event_handler.BatchBegin,
        event_handler.BatchEnd,
        event_handler.EpochEnd,
        event_handler.TrainEnd,
    ):
        pass

    silent = Silent()
    assert not silent.batch_end(None, batch=1)
    assert not silent.epoch_end(None)
    for event in ("train_begin", "epoch_begin", "batch_begin", "train_end"):
        assert getattr(silent, event)(None, batch=1) is None


def test_lists_of_handlers():
    one = EventHandler()
    given = (one, one)
    assert handler_list(None) == []
    assert handler_list(one) == [one]
    assert handler_list(given) == [one, one]
    with pytest.raises(ValueError, match="got 'handler'"):
        handler_list([one, "handler"])
