import pickle
from pathlib import Path

import pytest

from opforge import autograd, gluon, lr_scheduler, nd, optimizer
from opforge.optimizer.saved_states import read_states

#: What MXNet 1.9.1's Trainer saved after three steps of the training below.
SAVED = Path(__file__).parents[2] / "fixtures" / "states" / "mxnet_sgd.states"


def trainer_and_weight():
    params = gluon.ParameterDict()
    weight = params.get("w", shape=(3,), dtype="float16", init="ones")
    params.initialize()
    return gluon.Trainer(params, "sgd", {"learning_rate": 0.5}), weight


def step(trainer, weight):
    with autograd.record():
        loss = (weight.data() * weight.data()).sum()
    loss.backward()
    trainer.step(1)


def test_training_goes_on_where_mxnet_stopped():
    trainer, weight = trainer_and_weight()
    trainer.load_states(str(SAVED))
    made = trainer.optimizer
    assert type(made) is optimizer.SGD
    assert (made.momentum, made.multi_precision, made.num_update) == (0.5, True, 3)
    assert type(made.lr_scheduler) is lr_scheduler.FactorScheduler
    momentum, copy = trainer._updaters[0].states[0]
    assert momentum.asnumpy().tolist() == [-0.2109375] * 3
    assert copy.asnumpy().tolist() == [0.2265625] * 3
    weight.set_data(copy)
    step(trainer, weight)
    assert weight.data().asnumpy().tolist() == pytest.approx([0.09277] * 3, abs=1e-5)


def test_states_saved_by_opforge_are_read():
    scheduler = lr_scheduler.FactorScheduler(step=2, base_lr=0.5)
    saved = {0: nd.array([1.0])}, optimizer.Adam(0.5, lr_scheduler=scheduler)
    states, made = read_states(pickle.dumps(saved))
    assert states[0].asscalar() == 1
    assert type(made) is optimizer.Adam
    assert made.lr_scheduler.base_lr == scheduler.base_lr


@pytest.mark.parametrize(
    ("module", "name"), [("mxnet.optimizer.optimizer", "Ftrlx"), ("mxnet.onnx", "export_model")]
)
def test_a_class_that_is_not_here_is_named(module, name):
    content = f"c{module}\n{name}\n.".encode()
    with pytest.raises(pickle.UnpicklingError, match=rf"{module}\.{name}, which opforge\."):
        read_states(content)
