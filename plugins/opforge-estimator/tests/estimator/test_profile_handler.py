"""Which batches are profiled."""

import pytest

from opforge import nd, profiler
from opforge.gluon.contrib.estimator import EpochEnd, ProfileHandler, StoppingHandler


def calls(profile, part="phases"):
    return {row.name: row.calls for row in getattr(profile, part)}


@pytest.mark.parametrize("skip", [0, 2])
def test_some_batches_of_a_training(estimator, data, skip):
    handler = ProfileHandler(batches=5, skip=skip)
    estimator().fit(data(), epochs=3, event_handlers=handler)  # 4 batches an epoch
    assert handler.profile.batches == 5
    found = calls(handler.profile)
    assert found["forward"] == found["backward"] == 5
    assert calls(handler.profile, "operators")["broadcast_mul"] == 10  # and its gradient
    assert sum(row.share for row in handler.profile.phases) == pytest.approx(1)


def test_a_shorter_training(estimator, data):
    handler = ProfileHandler()
    estimator().fit(data(), epochs=1, event_handlers=handler)
    assert handler.profile.batches == 2
    estimator().fit(data(2), epochs=1, event_handlers=handler)
    assert handler.profile is None


def test_an_interrupted_training(estimator, data):
    class Fails(EpochEnd):
        def epoch_end(self, estimator, **kwargs):
            raise KeyboardInterrupt

    handler = ProfileHandler(skip=0)
    with pytest.raises(KeyboardInterrupt):
        estimator().fit(data(), epochs=1, event_handlers=[handler, Fails()])
    handler.stop()
    assert handler.profile.batches == 4
    estimator().fit(data(2), epochs=1, event_handlers=handler)
    assert handler.profile.batches == 1


def test_validation_and_own_handlers_are_phases(estimator, data):
    handler = ProfileHandler(batches=3, skip=0)
    estimator().fit(data(4), data(4), epochs=2, event_handlers=[handler, StoppingHandler()])
    assert {"data", "update", "metrics", "validation", "StoppingHandler", "other"} <= set(
        calls(handler.profile)
    )


@pytest.mark.parametrize("arguments", [{"batches": 0}, {"skip": -1}])
def test_invalid_numbers(arguments):
    with pytest.raises(ValueError, match="ProfileHandler: got batches="):
        ProfileHandler(**arguments)


def test_a_profiler_of_the_program_goes_on(estimator, data, tmp_path):
    path = tmp_path / "profile.json"
    profiler.set_config(aggregate_stats=True, filename=str(path))
    profiler.set_state("run")
    try:
        estimator().fit(data(2), epochs=1, event_handlers=ProfileHandler(skip=0))
        nd.exp(nd.ones((2,)))
        assert "exp" in profiler.dumps(reset=True)
    finally:
        profiler.dump()
        profiler.set_config()
