import pickle
from pathlib import Path

import numpy as np
import pytest

import opforge as mx
from opforge import autograd, gluon, lr_scheduler, nd, optimizer
from opforge.optimizer.pickled_data import StatesError
from opforge.optimizer.pickled_types import CountedStates
from opforge.optimizer.saved_states import read_states

#: What MXNet 1.9.1's Trainer saved after three steps of the training below.
SAVED = Path(__file__).parents[2] / "fixtures" / "states" / "mxnet_sgd.states"


def trainer_and_weight(settings=None, dtype="float16"):
    params = gluon.ParameterDict()
    weight = params.get("w", shape=(3,), dtype=dtype, init="ones")
    params.initialize()
    return gluon.Trainer(params, "sgd", {"learning_rate": 0.5, **(settings or {})}), weight


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


def pickled(value):
    """Return a pickle; states with counts as opforge 0.1 named them."""
    return pickle.dumps(value, 2).replace(b"optimizer.pickled_types", b"optimizer.saved_states")


@pytest.mark.parametrize("trusted", [False, True])
@pytest.mark.parametrize("name", ["opforge_adam", "opforge_adam_counted"])
def test_pickles_of_opforge_are_read(name, trusted):
    """Opforge 0.1 saved them after three steps, of the gradient (1, 2)."""
    content = SAVED.with_name(f"{name}.states").read_bytes()
    (states,), counts, made = read_states(content, optimizer.SGD(), trusted=trusted)
    mean, var = states[0]
    np.testing.assert_allclose(mean.asnumpy(), [0.271, 0.542], rtol=1e-5)
    np.testing.assert_allclose(var.asnumpy(), [0.002997, 0.011988], rtol=1e-5)
    if name == "opforge_adam":
        assert type(made) is optimizer.Adam
        assert (counts, made.num_update, made.lr_scheduler.base_lr) == (None, 3, 0.125)
    else:
        assert (counts, made) == ({0: {0: 3}}, None)


@pytest.mark.parametrize("trusted", [False, True])
@pytest.mark.parametrize(
    ("module", "name"), [("mxnet.optimizer.optimizer", "Ftrlx"), ("mxnet.lr_scheduler", "Stepwise")]
)
def test_a_class_that_is_not_here_is_named(module, name, trusted):
    content = f"c{module}\n{name}\n.".encode()
    with pytest.raises(pickle.UnpicklingError, match=rf"{module}\.{name}, which opforge\."):
        read_states(content, optimizer.SGD(), trusted=trusted)


@pytest.mark.parametrize("trusted", [False, True])
def test_states_of_mxnet_may_be_trusted(trusted):
    (states,), _, made = read_states(SAVED.read_bytes(), optimizer.SGD(), trusted=trusted)
    assert states[0][0].asnumpy().tolist() == [-0.2109375] * 3
    assert (made.momentum, made.lr_scheduler.base_lr) == (0.5, 0.0625)


#: Harmless data that are not states -> the error.
WRONG = {
    "number": (3, "contains a int, expected optimizer states"),
    "none": (None, "contains a NoneType"),
    "list": ([1, 2], "contains a list"),
    "pair": ((1, 2), "contains a int"),
    "pair with text": (({}, "sgd"), "contains a str"),
    "text": ({0: "abc"}, "weight 0 contains a str"),
    "shape": ({0: nd.ones((9, 9))}, r"shape \(9, 9\)"),
    "index": ({5: None}, "for the weights 5"),
    "function": ({0: len}, r"builtin(s|__)\.len, which is not an array"),
    "counts": (CountedStates({}, {0: {0: "x"}}), "update counts that are not numbers"),
    "negative counts": (CountedStates({}, {0: {0: -1}}), "update counts that are not numbers"),
    "no counts": (CountedStates({}, {}), "update counts of no device"),
}


def a_store(tmp_path):
    store = mx.kv.create("local")
    store.init(0, nd.ones(3))
    store.set_optimizer(optimizer.SGD(momentum=0.5))
    store.push(0, nd.ones(3))
    return store, store.load_optimizer_states, lambda: store._updater


def a_trainer(tmp_path):
    trainer, weight = trainer_and_weight({"momentum": 0.5}, "float32")
    step(trainer, weight)
    return trainer, trainer.load_states, lambda: trainer._updaters[0]


def an_updater(tmp_path):
    updater = optimizer.get_updater(optimizer.SGD(momentum=0.5))
    weight = nd.ones(3)
    updater(0, nd.ones(3), weight)

    def load(path):
        updater.set_states(Path(path).read_bytes(), weights={0: weight})

    return updater, load, lambda: updater


@pytest.mark.parametrize("made", [a_store, a_trainer, an_updater])
@pytest.mark.parametrize("kind", WRONG)
def test_nothing_changes_where_a_file_has_no_states(kind, made, tmp_path):
    value, message = WRONG[kind]
    path = tmp_path / "states"
    path.write_bytes(pickled(value))
    _owner, load, updater = made(tmp_path)
    states, used, momentum = updater().states, updater().optimizer, updater().states[0].asnumpy()
    with pytest.raises(StatesError, match=message):
        load(str(path))
    assert updater().states is states and updater().optimizer is used
    assert updater().states[0].asnumpy().tolist() == momentum.tolist()
    assert used.num_update == 1


@pytest.mark.parametrize("content", [b"", b"abc", pickle.dumps({0: None})[:-1]])
@pytest.mark.parametrize("trusted", [False, True])
def test_damaged_files(content, trusted):
    with pytest.raises(StatesError, match="the saved states are damaged"):
        read_states(content, optimizer.SGD(), trusted=trusted)


def test_trusted_states_may_contain_any_object():
    content = pickle.dumps({0: Path("x")})
    with pytest.raises(StatesError, match="is not an array, optimizer or scheduler"):
        read_states(content, optimizer.SGD())
    assert read_states(content, optimizer.SGD(), trusted=True).states == [{0: Path("x")}]


def test_loaded_states_move_to_their_weights():
    first = optimizer.get_updater(optimizer.SGD(momentum=0.5))
    second = optimizer.get_updater(optimizer.SGD(momentum=0.5))
    first(0, nd.ones(3), nd.ones(3))
    content = first.get_states()
    second.set_states(content)
    weight = nd.ones(3, mx.cpu(1))
    second(0, nd.ones(3, mx.cpu(1)), weight)
    assert second.states[0].context == mx.cpu(1)
    first(0, nd.ones(3), nd.ones(3))
    assert second.states[0].asnumpy().tolist() == first.states[0].asnumpy().tolist()
