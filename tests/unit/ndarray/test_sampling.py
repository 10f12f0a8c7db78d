import numpy as np
import pytest

import opforge
from opforge import nd
from opforge.base.errors import AttributeValueError, ShapeError
from opforge.ndarray._sampling import as_tuple

random = nd.random


def test_shapes_in_every_form():
    assert [as_tuple(s) for s in (None, 3, [1, 2], (4,), np.int64(5))] == [
        (),
        (3,),
        (1, 2),
        (4,),
        (5,),
    ]
    with pytest.raises(TypeError, match=r"sequence of ints, got 1\.5"):
        as_tuple(1.5)


@pytest.mark.parametrize("name", ["uniform", "normal", "exponential", "gamma", "poisson"])
def test_shapes_contexts_and_out(name):
    draw = getattr(random, name)
    assert draw().shape == (1,)
    assert draw(shape=3).shape == (3,)
    assert draw(shape=[2, 3]).shape == (2, 3)
    assert draw(shape=(0, 3)).shape == (0, 3)
    assert draw(shape=2, ctx=opforge.cpu(1)).context == opforge.cpu(1)
    out = nd.zeros((40,))
    assert draw(out=out) is out
    assert out.asnumpy().any()
    with pytest.raises(ShapeError, match=r"out has shape \(40,\), expected \(2,\)"):
        draw(shape=2, out=out)
    with pytest.raises(AttributeValueError, match="'int32' is not one of"):
        draw(dtype="int32")


def test_no_context_is_entered_that_is_the_current_one(monkeypatch):
    entered = []
    enter = opforge.Context.__enter__
    monkeypatch.setattr(opforge.Context, "__enter__", lambda c: entered.append(c) or enter(c))
    random.uniform(shape=3)
    random.uniform(shape=3, ctx=opforge.cpu(0))
    random.uniform(out=nd.zeros((3,)))
    assert entered == []
    random.uniform(shape=3, ctx=opforge.cpu(2))
    assert entered == [opforge.cpu(2)]


def test_arrays_of_parameters_give_one_distribution_each():
    low, high = nd.array([[0.0, 10.0]]), nd.array([[1.0, 20.0]])
    x = random.uniform(low, high, shape=(500,)).asnumpy()
    assert x.shape == (1, 2, 500)
    assert ((x[0, 0] >= 0) & (x[0, 0] < 1)).all()
    assert ((x[0, 1] >= 10) & (x[0, 1] < 20)).all()
    assert random.normal(low, high).shape == (1, 2)
    assert random.poisson(nd.array([1.0, 2.0]), shape=(0,)).shape == (2, 0)
    for wrong in (1, nd.array([1.0])):
        with pytest.raises(ShapeError, match="all NDArrays of one shape"):
            random.uniform(low, wrong)


@pytest.mark.parametrize(
    "draw",
    [
        lambda: random.poisson(-1),
        lambda: random.gamma(nd.array([1.0, -1.0]), nd.array([1.0, 1.0])),
        lambda: random.exponential(float("nan")),
    ],
)
def test_parameters_out_of_range(draw):
    with pytest.raises(AttributeValueError, match="must not be negative"):
        draw()
