import numpy as np
import pytest

import opforge as mx
from opforge.module.inputs import (
    check_inputs_exist,
    describe_data,
    describe_labels,
    same_batch_size,
)


def symbol():
    return mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=1, name="fc")


def test_missing_inputs_are_named_with_the_available_ones():
    check_inputs_exist(symbol(), ["data", "fc_weight"], "data", True)
    with pytest.raises(ValueError, match=r"data_names=\['x'\].* 'x' is not found.*one of: data\?"):
        check_inputs_exist(symbol(), ["x"], "data", True)
    with pytest.warns(UserWarning, match=r"label_names=\['y'\]"):
        check_inputs_exist(symbol(), ["y"], "label", False)


def test_descriptions_of_data():
    described = describe_data(["b", "a"], [("a", [2, 3]), mx.io.DataDesc("b", (2,), "int32")])
    assert [(d.name, d.shape) for d in described] == [("a", (2, 3)), ("b", (2,))]
    assert [d.dtype for d in described] == [np.float32, "int32"]
    with pytest.raises(ValueError, match="don't match names specified by data_names"):
        describe_data(["a"], [("b", (2,))])


def test_descriptions_of_labels():
    assert describe_labels([], None) is None
    assert describe_labels(["y"], [("y", (2,))]) == [("y", (2,))]
    with pytest.warns(UserWarning, match=r"label_names \(\[\] vs\. \['y'\]\)"):
        assert describe_labels(["y"], None) is None


def test_batch_size():
    described = [mx.io.DataDesc("a", (5, 4), layout="TN"), mx.io.DataDesc("b", (4,))]
    assert same_batch_size(described) == 4
    assert same_batch_size([mx.io.DataDesc("a", (5, 4), layout="TC")]) == 1
    with pytest.raises(AssertionError, match=r"batch_size = 4, but c has shape \(5,\)"):
        same_batch_size([*described, mx.io.DataDesc("c", (5,))])


def test_names_under_which_programs_know_these():
    from opforge.module import base_module

    data, label = base_module._parse_data_desc(
        ["data"], ["label"], [("data", (2, 3))], [("label", (2,))]
    )
    assert (data[0].shape, label[0].shape) == ((2, 3), (2,))
    with pytest.raises(ValueError, match="data_names"):
        base_module._check_input_names(mx.sym.var("x"), ["y"], "data", True)
    assert base_module._as_list(3) == [3]
