"""`Estimator.profile`."""

import pytest

from opforge import nd
from opforge.gluon.contrib.estimator import Profile, StoppingHandler
from opforge.native.threads import spans


def test_a_profile_of_arrays(estimator):
    x = nd.arange(12).reshape((12, 1))
    made = estimator()
    profile = made.profile(x, 2 * x, batches=3, batch_size=2)
    assert isinstance(profile, Profile) and profile.batches == 3
    assert {row.name: row.calls for row in profile.phases}["forward"] == 3
    assert made.trainer.optimizer.num_update == 5


def test_a_profile_of_a_loader_without_skipped_batches(estimator, data):
    assert estimator().profile(data(), batches=6, skip=0).batches == 6


def test_a_training_that_ends_before_it(estimator, data):
    with pytest.raises(ValueError, match="ended after 1 batches, of which the first 2 are skipped"):
        estimator().profile(data(), event_handlers=StoppingHandler(max_batch=1))


def test_an_exception_ends_the_measurement(estimator, data):
    def fail(*args):
        raise RuntimeError("lost")

    made = estimator()
    made.batch_processor.fit_batch = fail
    with pytest.raises(RuntimeError, match="lost"):
        made.profile(data(), skip=0)
    assert spans.watch(0) == 0
