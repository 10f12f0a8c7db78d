import pickle

import pytest

from opforge import lr_scheduler, optimizer
from opforge.optimizer.pickled_data import StatesError, read_data
from opforge.optimizer.saved_settings import SavedObject, class_of, restored_optimizer, saved_object


class Halving(lr_scheduler.LRScheduler):
    def __call__(self, num_update):
        return self.base_lr / 2


class Plain:
    """Scheduler without a base class, as MXNet allows."""

    def __call__(self, num_update):
        return 0.25


class Own(optimizer.SGD):
    def __init__(self, needed, **kwargs):
        super().__init__(**kwargs)
        self.needed = needed


def read(value, current=None):
    current = current or optimizer.SGD()
    content = pickle.dumps(value)
    return read_data(content, lambda module, name: saved_object(module, name, current))


@pytest.mark.parametrize(
    ("module", "name", "kind"),
    [
        ("mxnet.optimizer.optimizer", "Adam", optimizer.Adam),
        ("mxnet.optimizer.adam", "Adam", optimizer.Adam),
        ("mxnet.lr_scheduler", "PolyScheduler", lr_scheduler.PolyScheduler),
        ("opforge.optimizer.adam", "Adam", optimizer.Adam),
        ("opforge.lr_scheduler", "PolyScheduler", lr_scheduler.PolyScheduler),
        (__name__, "Halving", Halving),
        (__name__, "Own", Own),
        (__name__, "Plain", Plain),
    ],
)
def test_classes(module, name, kind):
    current = Own(1)
    current.lr_scheduler = Plain()
    assert class_of(module, name, current) is kind


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("builtins", "len"),
        ("builtins", "Adam"),
        ("opforge.optimizer.updater", "Updater"),
        ("mxnet.lr_scheduler", "math"),
        ("mxnet.onnx", "Adam"),
        (__name__, "Own"),
        (__name__, "Plain"),
    ],
)
def test_other_classes(module, name):
    with pytest.raises(StatesError, match=rf"{module}\.{name}, which"):
        class_of(module, name, optimizer.SGD())


def test_an_optimizer_comes_back():
    schedule = lr_scheduler.MultiFactorScheduler([2, 4], 0.5, base_lr=1.0)
    made = optimizer.Adam(1.0, beta1=0.75, wd=0.125, lr_scheduler=schedule)
    made.num_update, made.note = 7, "new"
    again = restored_optimizer(read(made), optimizer.SGD())
    assert type(again) is optimizer.Adam
    assert vars(again).keys() == vars(made).keys()
    assert (again.beta1, again.wd, again.num_update, again.note) == (0.75, 0.125, 7, "new")
    assert vars(again.lr_scheduler) == vars(schedule)


def test_the_current_optimizer_supplies_what_a_file_lacks():
    saved = SavedObject(Own)
    saved.attributes = {"lr": 0.5}
    current = Own(3, momentum=0.75)
    made = restored_optimizer(saved, current)
    assert (made.needed, made.momentum, made.lr) == (3, 0.75, 0.5)
    assert current.lr == 0.01
    with pytest.raises(StatesError, match="Create the trainer with a Own"):
        restored_optimizer(saved, optimizer.SGD())


@pytest.mark.parametrize("name", ["update", "__class__", "__dict__", "not a name", 3])
def test_attributes_that_are_not_data(name):
    content = pickle.dumps(optimizer.SGD(), 2)
    content = content.replace(b"X\x08\x00\x00\x00momentum", pickle.dumps(name, 2)[2:-1])
    before = vars(optimizer.SGD).copy()
    with pytest.raises(StatesError, match=r"of a SGD, which is not an attribute for data"):
        read_data(content, lambda *names: saved_object(*names, optimizer.SGD()))
    assert vars(optimizer.SGD) == before


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("momentum", "0.5"),
        ("rescale_grad", None),
        ("num_update", [1]),
        ("lr_scheduler", 0.5),
        ("lr_mult", 3),
        ("_all_index_update_counts", 3),
    ],
)
def test_attributes_of_another_type(name, value):
    saved = SavedObject(optimizer.SGD)
    saved.attributes = {name: value}
    for current in (optimizer.SGD(), optimizer.Adam()):
        with pytest.raises(StatesError, match=rf"a SGD whose {name} is a"):
            restored_optimizer(saved, current)


def test_attributes_are_set_once():
    content = b"copforge.optimizer.sgd\nSGD\n)\x81" + 2 * b"}\x8c\x04noteK\x01sb" + b"."
    with pytest.raises(StatesError, match="a SGD has a dict of attributes"):
        read_data(content, lambda *names: saved_object(*names, optimizer.SGD()))
