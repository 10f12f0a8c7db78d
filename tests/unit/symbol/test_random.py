import numpy as np
import pytest

import opforge
from opforge import nd, sym

DRAWS = {
    "uniform": (2, 6),
    "normal": (3, 2),
    "exponential": (0.5,),
    "gamma": (2.5, 2),
    "poisson": (4,),
    "negative_binomial": (3, 0.4),
    "generalized_negative_binomial": (2, 0.5),
}


@pytest.mark.parametrize("name", DRAWS)
def test_the_same_numbers_as_on_arrays(name):
    parameters = DRAWS[name]
    opforge.random.seed(5)
    want = getattr(nd.random, name)(*parameters, shape=(3, 4)).asnumpy()
    drawn = getattr(sym.random, name)(*parameters, shape=(3, 4), name="d")
    assert drawn.infer_shape()[1] == [(3, 4)]
    opforge.random.seed(5)
    np.testing.assert_array_equal(drawn.eval()[0].asnumpy(), want)
    assert drawn.list_outputs() == ["d_output"]


@pytest.mark.parametrize("name", DRAWS)
def test_parameters_may_be_symbols(name):
    count = len(DRAWS[name])
    drawn = getattr(sym.random, name)(*[sym.var(f"p{i}") for i in range(count)], shape=2)
    shapes = {f"p{i}": (3,) for i in range(count)}
    assert drawn.infer_shape(**shapes)[1] == [(3, 2)]
    given = {f"p{i}": nd.array([value] * 3) for i, value in enumerate(DRAWS[name])}
    assert np.isfinite(drawn.eval(**given)[0].asnumpy()).all()
    like = getattr(sym.random, f"{name}_like")(sym.var("x"))
    assert like.infer_shape(x=(4, 5))[1] == [(4, 5)]


def test_numbers_and_symbols_do_not_mix():
    with pytest.raises(
        TypeError, match=r"random\.uniform: .* got {'low': 'int', 'high': 'Symbol'}"
    ):
        sym.random.uniform(0, sym.var("high"))
    with pytest.raises(TypeError, match="takes integers as low and high, got a symbol"):
        sym.random.randint(sym.var("low"), 3)


def test_attributes_are_those_that_were_given():
    drawn = sym.random.uniform(0, 1, shape=(2, 3), dtype="float64", ctx=opforge.cpu(0))
    assert drawn.list_attr() == {
        "low": "0",
        "high": "1",
        "shape": "(2, 3)",
        "dtype": "float64",
        "ctx": "cpu(0)",
    }
    assert drawn.name.startswith("_random_uniform")


def test_the_others():
    assert sym.random.randn(2, 3).infer_shape()[1] == [(2, 3)]
    whole = sym.random.randint(0, 5, shape=(100,)).eval()[0]
    assert (whole.dtype, whole.asnumpy().max()) == (np.int32, 4)
    weights = nd.array([[0, 1], [1, 0]])
    drawn = sym.random.multinomial(sym.var("p"), shape=3).eval(p=weights)[0]
    assert drawn.asnumpy().tolist() == [[1, 1, 1], [0, 0, 0]]
    assert len(sym.random.multinomial(sym.var("p"), get_prob=True)) == 2
    assert len(sym.random.multinomial(sym.var("p"))) == 1  # 2 in MXNet
    rows = sym.random.shuffle(sym.var("x")).eval(x=nd.arange(9))[0].asnumpy()
    assert sorted(rows) == list(range(9))


def test_f_is_either_namespace():
    class Noise(opforge.gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            return x + F.random.normal(0, 0.1, shape=(2, 3)) * F.random.uniform_like(x)

    block = Noise()
    x = nd.zeros((2, 3))
    first = block(x).asnumpy()
    block.hybridize()
    second, third = block(x).asnumpy(), block(x).asnumpy()
    assert first.any()
    assert (second != third).any()
