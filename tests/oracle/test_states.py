"""States of a Trainer, saved by MXNet or for it: training continues with the same results."""

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


def test_training_goes_on_in_mxnet(oracle, tmp_path):
    expected = {}
    for name in states.TRAININGS:
        trainer, weight = states.made(opforge, name)
        states.train(opforge, trainer, weight, 3)
        trainer.save_states(str(tmp_path / f"{name}.states"), pickled=True)
        nd.save(tmp_path / f"{name}.params", [weight.data()])
        states.train(opforge, trainer, weight, 4)
        expected[name] = weight.data().asnumpy()
    for name, values in oracle("resumed_states", list(expected)).items():
        np.testing.assert_allclose(values, expected[name], rtol=1e-5, atol=1e-5, err_msg=name)
