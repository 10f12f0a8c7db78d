"""States of a Trainer, saved by MXNet: training continues here as it does there."""

import numpy as np

import opforge
from opforge import nd

from . import states


def test_training_goes_on_as_in_mxnet(oracle, tmp_path):
    expected = oracle("states", list(states.TRAININGS))
    for name, values in expected.items():
        trainer, weight = states.made(opforge, name)
        weight.set_data(nd.load(str(tmp_path / f"{name}.params"))[0])
        trainer.load_states(str(tmp_path / f"{name}.states"))
        states.train(opforge, trainer, weight, 4)
        np.testing.assert_allclose(
            weight.data().asnumpy(), values, rtol=1e-5, atol=1e-5, err_msg=name
        )
