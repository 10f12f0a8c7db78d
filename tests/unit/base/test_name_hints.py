"""Errors for names of other frameworks."""

import pytest

import opforge as mx
from opforge import autograd, gluon, nd
from opforge.base.familiar_names import ARRAY_NAMES, BLOCK_NAMES, NOT_NEEDED
from opforge.base.name_hints import add_hints, hint_for_name


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


@pytest.mark.parametrize("module", [mx, nd, mx.sym, gluon, gluon.nn, gluon.loss, autograd])
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("cat", r"PyTorch's cat is nd\.concat\("),
        ("Linear", r"PyTorch's Linear is nn\.Dense\("),
        ("CrossEntropyLoss", r"PyTorch's CrossEntropyLoss is gluon\.loss\.SoftmaxCELoss\("),
        ("no_grad", r"PyTorch's no_grad is autograd\.pause\("),
        ("GlorotUniform", r"Keras's GlorotUniform is mx\.init\.Xavier\("),
    ],
)
def test_modules(module, name, words):
    with pytest.raises(AttributeError, match=words):
        getattr(module, name)


def test_other_names_get_no_hint():
    assert hint_for_name("softmax") == ""
    with pytest.raises(
        AttributeError, match=r"^module 'opforge.autograd' has no attribute 'nope'$"
    ):
        autograd.nope  # noqa: B018
