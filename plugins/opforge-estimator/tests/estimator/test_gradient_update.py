import pytest

from opforge import nd
from opforge.gluon.contrib.estimator import GradientUpdateHandler


class Trainer:
    def __init__(self):
        self.steps = []

    def step(self, batch_size):
        self.steps.append(batch_size)


@pytest.mark.parametrize("loss", [nd.ones(5), [nd.ones(5)], [nd.ones(2), nd.ones(3)]])
def test_gradients_are_divided_by_all_samples(loss):
    class Estimator:
        trainer = Trainer()

    assert not GradientUpdateHandler().batch_end(Estimator, loss=loss)
    assert Estimator.trainer.steps == [5]
