"""Hints in errors about PyTorch's names."""

import pytest

from opforge import gluon, nd
from opforge.base.pytorch_hints import ARRAY_HINTS, BLOCK_HINTS, add_hints, hint_for_name


@pytest.mark.parametrize(("name", "remedy"), ARRAY_HINTS.items())
def test_arrays(name, remedy):
    x = nd.ones(2)
    with pytest.raises(AttributeError) as caught:
        getattr(x, name)
    assert str(caught.value) == f"'NDArray' object has no attribute {name!r}; use {remedy}"
    assert not hasattr(x, name) and not hasattr(nd.NDArray, name)


@pytest.mark.parametrize(("name", "remedy"), BLOCK_HINTS.items())
def test_blocks(name, remedy):
    with pytest.raises(AttributeError) as caught:
        getattr(gluon.nn.HybridSequential(), name)
    text = f"'HybridSequential' object has no attribute {name!r}; use {remedy}"
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
    ("module", "name", "words"),
    [
        (nd, "cat", r"PyTorch's cat is nd\.concat\("),
        (nd, "tensor", r"PyTorch's tensor is nd\.array\("),
        (gluon.nn, "Linear", r"PyTorch's Linear is nn\.Dense\("),
        (gluon.loss, "CrossEntropyLoss", r"gluon\.loss\.SoftmaxCELoss\("),
    ],
)
def test_modules(module, name, words):
    with pytest.raises(AttributeError, match=words):
        getattr(module, name)
    assert hint_for_name("softmax") == ""
