"""Graphs in mixed precision: where conversions stand, and what comes out.

The graphs expected here are those that MXNet 1.9.1 makes.
"""

import pytest

from opforge import sym
from opforge.contrib.amp import convert_symbol

X, W = sym.var("x"), sym.var("w")


def dense(data, name="fc", weight=None):
    weight = sym.var(f"{name}_weight") if weight is None else weight
    return sym.FullyConnected(data, weight, num_hidden=3, no_bias=True, name=name)


def casts(symbol, **options):
    """Return what is converted, and to what, in the order of the graph."""
    made = convert_symbol(symbol, **options)
    found = [n for n in made.nodes() if not n.is_variable and n.operation.name == "amp_cast"]
    return [node.name.replace("_amp_cast_", ": ") for node in found]


def types(symbol):
    return {name: row.get("__dtype__") for name, row in symbol.attr_dict().items()}


def test_products_are_narrow_and_outputs_wide():
    assert casts(dense(X)) == ["x: float16", "fc_weight: float16", "fc_output: float32"]


@pytest.mark.plugins
def test_operators_between_keep_their_input_type():
    y = sym.exp(sym.relu(dense(sym.relu(dense(X, "a"), name="r"), "b"), name="s"))
    assert casts(y) == [
        *("x: float16", "a_weight: float16", "b_weight: float16", "s_output: float32"),
    ]


def test_bfloat16():
    y = dense(sym.exp(dense(X, "a"), name="e"), "b")
    assert casts(y, target_dtype="bfloat16") == [
        *("x: bfloat16", "a_weight: bfloat16", "a_output: float32"),
        *("e_output: bfloat16", "b_weight: bfloat16", "b_output: float32"),
    ]


def test_the_widest_type_counts_with_bfloat16():
    assert casts(dense(X) + X, target_dtype="bfloat16")[-1] == "fc_output: float32"


def test_one_conversion_serves_all_readers():
    both = sym.Group([dense(X, "a"), dense(X, "b"), sym.exp(X)])
    assert casts(both).count("x: float16") == 1


def test_the_widest_type_counts():
    assert casts(dense(X) + X)[-1] == "fc_output: float32"
    both = sym.concat(dense(X, "a"), dense(X, "b"), name="both")
    assert casts(both)[-1] == "both_output: float32"
    wide = sym.cast(dense(X), dtype="float64")
    (double,) = [n for n in convert_symbol(wide * X).nodes() if n.name == "x_amp_cast_float64"]
    assert double.operation.attributes == {"dtype": "float64"}


def test_outputs_of_one_operator_are_converted_each():
    parts = sym.SliceChannel(dense(X), num_outputs=3, name="sp")
    y = sym.Group([sym.exp(parts[0]), sym.exp(parts[2])])
    assert casts(y)[-2:] == ["sp_output0: float32", "sp_output2: float32"]


@pytest.mark.plugins
def test_states_are_left_alone():
    y = convert_symbol(sym.BatchNorm(dense(X), name="bn"), data_names=["x"])
    assert y.list_auxiliary_states() == ["bn_moving_mean", "bn_moving_var"]
    assert [n for n in y.get_internals().list_outputs() if "bn" in n and "amp" in n] == [
        "bn_output_amp_cast_float32_output"
    ]


def test_operators_that_take_one_type_get_float32():
    rows, _ = sym.contrib.foreach(lambda row, s: (dense(row, weight=W), s), dense(X, "a"), [W * 1])
    made = convert_symbol(rows)
    assert "a_output_amp_cast_float32_output" in made.get_internals().list_outputs()


def test_whole_numbers_are_not_converted():
    assert casts(sym.take(W, sym.cast(X, dtype="int32"))) == []


def test_parameters_get_a_type():
    y = sym.Group([dense(X, "a", W), dense(X, "b"), sym.exp(W)])
    assert types(convert_symbol(y, data_names=["x"]))["b_weight"] == "0"
    made = convert_symbol(y, data_names=["x"], cast_optional_params=True)
    assert types(made)["b_weight"] == "2"
    assert types(made)["w"] == "0"  # it is read in float32 too
    assert "b_weight_amp_cast_float16_output" not in made.get_internals().list_outputs()
    double = sym.var("d", dtype="float64")
    assert types(convert_symbol(double * 2))["d"] == "1"


def test_convert_symbol_leaves_its_argument_unchanged():
    y = dense(X)
    text = y.tojson()
    convert_symbol(y, data_names=["x"])
    assert y.tojson() == text


def test_other_types_and_objects_are_rejected():
    with pytest.raises(ValueError, match="target_dtype is 'float64'"):
        convert_symbol(X, "float64")
    with pytest.raises(AssertionError, match="should be Symbol"):
        convert_symbol([X])
