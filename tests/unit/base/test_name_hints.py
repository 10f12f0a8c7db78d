"""Errors for names of other frameworks."""

import pytest

import opforge as mx
from opforge import autograd, gluon, nd
from opforge.base.familiar_names import (
    ARRAY_NAMES,
    BLOCK_NAMES,
    METRIC_NAMES,
    NOT_NEEDED,
    PARAMETER_NAMES,
    TRAINER_NAMES,
)
from opforge.base.name_hints import (
    add_hints,
    argument_hint,
    hint_for_name,
    unexpected_arguments,
)


def advice(remedy):
    return remedy if remedy.startswith(NOT_NEEDED) else f"use {remedy}"


@pytest.mark.parametrize(("name", "remedy"), ARRAY_NAMES.items())
def test_arrays(name, remedy):
    x = nd.ones(2)
    with pytest.raises(AttributeError) as caught:
        getattr(x, name)
    assert str(caught.value) == f"'NDArray' object has no attribute {name!r}; {advice(remedy)}"
    assert not hasattr(x, name) and not hasattr(nd.NDArray, name)


@pytest.mark.parametrize(("name", "remedy"), BLOCK_NAMES.items())
def test_blocks(name, remedy):
    with pytest.raises(AttributeError) as caught:
        getattr(gluon.nn.HybridSequential(), name)
    text = f"'HybridSequential' object has no attribute {name!r}; {advice(remedy)}"
    assert str(caught.value) == text


def test_blocks_may_have_such_attributes():
    class Net(gluon.Block):
        def __init__(self):
            super().__init__()
            self.train = True

        def parameters(self):
            return [1]

    assert Net().train is True and Net().parameters() == [1]


def test_existing_attributes_are_kept():
    @add_hints({"numpy": "other"})
    class Mine:
        numpy = 3

    assert Mine().numpy == 3


@pytest.mark.parametrize(
    ("make", "hints"),
    [
        (lambda: gluon.Parameter("p"), PARAMETER_NAMES),
        (lambda: gluon.Trainer(gluon.ParameterDict(), "sgd"), TRAINER_NAMES),
        (mx.metric.Accuracy, METRIC_NAMES),
    ],
    ids=["parameter", "trainer", "metric"],
)
def test_other_objects(make, hints):
    owner = make()
    for name, remedy in hints.items():
        with pytest.raises(AttributeError) as caught:
            getattr(owner, name)
        text = f"{type(owner).__name__!r} object has no attribute {name!r}; {advice(remedy)}"
        assert str(caught.value) == text


def test_setting_an_attribute_without_effect_is_an_error():
    param = gluon.Parameter("p")
    with pytest.raises(AttributeError, match=r"use param\.grad_req = 'null'"):
        param.requires_grad = False
    with pytest.raises(AttributeError, match=r"use x\.attach_grad\(\)"):
        nd.ones(2).requires_grad = True


class Base:
    def __init__(self, axis=0, **unknown):
        if unknown:
            raise unexpected_arguments(type(self), unknown)


class Derived(Base):
    def __init__(self, strides=1, **kwargs):
        super().__init__(**kwargs)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("dim", "'dim' (it is called axis here)"),
        ("stride", "'stride' (it is called strides here)"),
        ("bias", "'bias'"),
        ("other", "'other'"),
        ("requires_grad", "'requires_grad' (write x.attach_grad())"),
    ],
)
def test_unexpected_arguments_of_constructors(given, message):
    with pytest.raises(TypeError) as caught:
        Derived(**{given: 1})
    assert str(caught.value) == f"Derived() got an unexpected keyword argument {message}"


def test_arguments_that_a_function_lacks_get_no_hint():
    assert argument_hint("dim", ["axis"]) and not argument_hint("dim", ["shape"])
    assert argument_hint("drop_last", ["last_batch"]) == " (write last_batch='discard')"


@pytest.mark.parametrize(
    "module",
    [mx, nd, nd.random, mx.sym, gluon, gluon.nn, gluon.nn.functional, gluon.loss, autograd],
)
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("cat", r"PyTorch's cat is nd\.concat\("),
        ("Linear", r"PyTorch's Linear is nn\.Dense\("),
        ("CrossEntropyLoss", r"PyTorch's CrossEntropyLoss is gluon\.loss\.SoftmaxCELoss\("),
        ("no_grad", r"PyTorch's no_grad is autograd\.pause\("),
        ("GlorotUniform", r"Keras's GlorotUniform is mx\.init\.Xavier\("),
        ("train_test_split", r"scikit-learn's train_test_split is gluon\.data\.random_split\("),
    ],
)
def test_modules(module, name, words):
    with pytest.raises(AttributeError, match=words):
        getattr(module, name)


def test_other_names_get_no_hint():
    assert hint_for_name("topk") == ""
    with pytest.raises(
        AttributeError, match=r"^module 'opforge.autograd' has no attribute 'nope'$"
    ):
        autograd.nope  # noqa: B018
