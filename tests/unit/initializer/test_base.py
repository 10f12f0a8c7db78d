import logging

import numpy as np
import pytest

from opforge import init, initializer, nd


@pytest.mark.parametrize(
    ("name", "expected"),
    [("a_bias", 0), ("a_gamma", 1), ("a_beta", 0), ("a_running_var", 1), ("a_running_mean", 0)],
)
def test_the_name_decides_without_a_wish(name, expected):
    array = nd.ones((3,)) * 5
    initializer.Uniform()(name, array)
    assert array.asnumpy().tolist() == [expected] * 3


def test_a_wish_overrules_name_and_initializer():
    array = nd.zeros((2,))
    initializer.Zero()(initializer.InitDesc("a_bias", {"__init__": "ones"}), array)
    assert array.asnumpy().tolist() == [1, 1]


def test_unknown_names():
    with pytest.raises(ValueError, match="Unknown initialization pattern for foo"):
        initializer.Uniform()("foo", nd.zeros((2,)))
    with pytest.raises(ValueError, match=r"Cannot find initializer xavir.*'xavier'"):
        initializer.create("xavir")


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (init.Uniform(0.5), '["uniform", {"scale": 0.5}]'),
        (init.Constant([1, 2]), '["constant", {"value": [1, 2]}]'),
        (init.Constant(np.array([1.5])), '["constant", {"value": [1.5]}]'),
        (init.Zero(), '["zero", {}]'),
        (init.MSRAPrelu(), '["msraprelu", {"factor_type": "avg", "slope": 0.25}]'),
    ],
)
def test_dumps_and_back(made, text):
    assert made.dumps() == text
    assert initializer.create(text).dumps() == text
    assert initializer.create(text) == made


def test_constant_of_an_array_is_json():
    assert init.Constant(nd.array([[1, 2]])).dumps() == '["constant", {"value": [[1.0, 2.0]]}]'
    assert init.Constant(np.array([1.5]))._kwargs == {"value": [1.5]}


def test_register_and_repr():
    @initializer.register
    class Half(initializer.Initializer):
        def _init_weight(self, desc, arr):
            arr[:] = 0.5

    array = nd.zeros((2,))
    initializer.create("half")("a_weight", array)
    assert array.asnumpy().tolist() == [0.5, 0.5]
    assert repr(init.Xavier(magnitude=2)) == (
        "Xavier(rnd_type='uniform', factor_type='avg', magnitude=2)"
    )


def test_verbose_logs_initialized_parameters(caplog):
    with caplog.at_level(logging.INFO):
        init.One().set_verbosity(True, lambda x: f"sum {x.asnumpy().sum()}")(
            "a_weight", nd.zeros((3,))
        )
    assert "Initialized a_weight as One: sum 3.0" in caplog.text


def test_init_is_initializer():
    assert init is initializer
    import opforge.init

    assert opforge.init.Xavier is initializer.Xavier


@pytest.mark.parametrize(
    ("name", "shape", "values"),
    [
        ("stn_loc_weight", (1, 2), [[0, 0]]),
        ("stn_loc_bias", (6,), [1, 0, 0, 0, 1, 0]),
        ("upsampling0_weight", (1, 1, 2, 2), [[[[1, 0], [0, 0]]]]),
        ("stn_gamma", (1,), [1]),
    ],
)
def test_prefixes_of_plain_names(name, shape, values):
    array = nd.full(shape, 9)
    init.Constant(2)(name, array)
    assert array.asnumpy().tolist() == values
    array = nd.full((1, 1, 1, 6), 9)
    init.Constant(2)(init.InitDesc("stn_loc_weight"), array)
    assert array.asnumpy().ravel().tolist() == [2] * 6
