"""Phases of the loop are timed, and results of handlers returned."""

import pytest
from opforge_estimator.estimator import phases

from opforge.gluon.contrib.estimator import GradientUpdateHandler, StoppingHandler
from opforge.plugin_api import Measurement


class Answer:
    def __init__(self, answer):
        self.answer, self.given = answer, None

    def batch_end(self, estimator, **given):
        self.given = estimator, given
        return self.answer


class Own(GradientUpdateHandler):
    def batch_end(self, estimator, **given):
        pass


def measured(function):
    measurement = Measurement()
    measurement.start()
    function()
    return {call.name: call.count for call in measurement.stop() if call.category == "Estimator"}


def test_batches_come_through_and_are_timed():
    found = []
    counts = measured(lambda: found.extend(phases.timed_batches([1, None, 3])))
    assert found == [1, None, 3]
    assert counts == {"data": 5}  # making the iterator, three batches, and the end


@pytest.mark.parametrize(
    ("answers", "expected"), [([], False), ([None, 0], False), ([True, None], True)]
)
def test_every_handler_is_called(answers, expected):
    handlers = [Answer(answer) for answer in answers]
    assert phases.run_handlers("batch_end", handlers, "it", loss=1) is expected
    assert all(handler.given == ("it", {"loss": 1}) for handler in handlers)


def test_handlers_are_timed_by_their_kind(estimator):
    handlers = [Own(), Answer(None)]
    counts = measured(lambda: phases.run_handlers("batch_end", handlers, None))
    assert counts == {"update": 1, "Answer": 1}


def test_a_batch_processor_is_timed(estimator, data):
    made = estimator()
    (batch,) = data(2)
    assert measured(lambda: phases.fit_batch(made, batch)) == {"fit_batch": 1}


def test_a_stopping_handler_ends_the_loop(estimator, data):
    made = estimator()
    made.fit(data(), epochs=5, event_handlers=StoppingHandler(max_batch=3))
    assert made.trainer.optimizer.num_update == 3
