"""Operators whose arrays share one shape infer unknown dimensions in both directions."""

import warnings

import pytest

from opforge import gluon, nd, sym
from opforge.base.errors import ShapeError
from opforge.op.registry.registry import lookup, names

WHOLE = (2, 3)
#: Required attributes of operators.
ATTRIBUTES = (
    {},
    {"scalar": 2.0},
    {"a_min": 0.0, "a_max": 1.0},
    {"dtype": "float32"},
    {"lr": 0.1},
    {"act_type": "relu"},
    {"shape": WHOLE},
)
#: Operators that keep a shape but cannot infer one input from the others -> the reason.
MORE_AXES = "samples may have more axes than parameters"
LENGTH_1 = "an input may have length 1 where the output has another"
EXCEPTIONS = {
    "Flatten": "the axes that were merged are unknown",
    "LinearRegressionOutput": "the label may have other axes of length 1",
    "LogisticRegressionOutput": "the label may have other axes of length 1",
    "MAERegressionOutput": "the label may have other axes of length 1",
    "SoftmaxOutput": "the label may lack the axis of the classes",
    "_cast_like": "only the type of 'like' is read",
    "_contrib_arange_like": "the output may repeat fewer numbers",
    "_in_order": "only the first input is passed on",
    "_random_pdf_exponential": MORE_AXES,
    "_random_pdf_gamma": MORE_AXES,
    "_random_pdf_generalized_negative_binomial": MORE_AXES,
    "_random_pdf_negative_binomial": MORE_AXES,
    "_random_pdf_normal": MORE_AXES,
    "_random_pdf_poisson": MORE_AXES,
    "_random_pdf_uniform": MORE_AXES,
    "_sparse_retain": "the indices have another shape",
    "_unbroadcast": LENGTH_1,
    "amp_multicast": "each input has a separate shape",
    "argsort": "axis=None flattens",
    "broadcast_axis": LENGTH_1,
    "broadcast_like": LENGTH_1,
    "khatri_rao": "the rows are products of rows",
    "lamb_update_phase2": "two inputs are norms",
    "preloaded_multi_sgd_update": "two inputs are rates",
    "reshape_like": "the input has as many elements in another shape",
    "scaled_dot_product_attention": "keys may be more than queries",
    "slice_like": "the input may be longer than the output",
    "sort": "axis=None flattens",
    "squeeze": "the axes of length 1 are unknown",
    "where": "the condition may have one axis only",
}


def call(name, n_inputs):
    """Return a call of an operator on variables, or None if it does not take `n_inputs`."""
    for attributes in ATTRIBUTES:
        function = getattr(sym, name, None) or getattr(sym.op, name)
        try:
            symbol = function(*(sym.var(f"x{at}") for at in range(n_inputs)), **attributes)
        except Exception:  # other attributes, or another number of inputs
            continue
        if len(symbol.list_inputs()) == n_inputs and not symbol.list_auxiliary_states():
            return symbol
    return None


def infer(symbol, **shapes):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        inputs, outputs, _ = symbol.infer_shape_partial(**shapes)
    return dict(zip(symbol.list_arguments(), inputs, strict=True)), outputs


def keeps_shape(symbol):
    """Return whether all inputs and the only output have one shape."""
    if symbol is None or len(symbol.list_outputs()) != 1:
        return False
    try:
        inputs, outputs = infer(symbol, **dict.fromkeys(symbol.list_inputs(), WHOLE))
    except Exception:
        return False
    return {*inputs.values(), *outputs} == {WHOLE}


def pointwise():
    """Yield (operator, number of inputs) of all operators that keep a shape."""
    for name in sorted(names()):
        entry = lookup(name)
        if name.startswith("benchmark_"):  # registered by tests in the same process
            continue
        aliases = getattr(entry.prop_class, "name", name) != name
        if aliases or name.startswith("_backward") or not entry.provider.startswith("opforge"):
            continue
        for n_inputs in (1, 2, 3, 4):
            if keeps_shape(call(name, n_inputs)):
                yield name, n_inputs


def failure(name, n_inputs):
    """Return what an operator fails to infer from partially known shapes, or None."""
    inputs = [f"x{at}" for at in range(n_inputs)]
    total = call(name, n_inputs) + sym.var("z")
    others = dict.fromkeys(inputs[1:], (0, 3))
    for given in (
        {"z": WHOLE},
        {"x0": (2, 0), **others, "z": (0, 3)},
        {"x0": WHOLE},
        {**dict.fromkeys(inputs, (0, 0)), "z": WHOLE},
        {**dict.fromkeys(inputs, WHOLE), "z": (0, 0)},
    ):
        found, outputs = infer(total, **given)
        if {*found.values(), *outputs} != {WHOLE}:
            return f"{name} of {given}: inputs {found}, output {outputs}"
    return None


@pytest.mark.plugins
def test_operators_that_keep_a_shape_infer_it_in_both_directions():
    cases = list(pointwise())
    assert len(cases) > 150
    is_exempt = lambda name: name in EXCEPTIONS or name.startswith("broadcast_")  # noqa: E731
    failures = [failure(*case) for case in cases if not is_exempt(case[0])]
    assert [text for text in failures if text] == []
    assert {name for name in EXCEPTIONS if name not in dict(cases)} == set()
    needless = [name for name, count in cases if is_exempt(name) and failure(name, count) is None]
    assert needless == []


c, x, y = sym.var("c"), sym.var("x"), sym.var("y")


@pytest.mark.parametrize(
    ("symbol", "given", "found"),
    [
        (sym.where(c, sym.zeros((0, 4)), x), {"c": (3, 4), "x": (3, 4)}, {"x": (3, 4)}),
        (sym.where(c, sym.zeros((0, 4)), sym.ones((0, 4))), {"c": (3,)}, {"c": (3,)}),
        (sym.where(c, x, y), {"c": (3, 0), "x": (0, 4)}, {"c": (3, 4), "x": (3, 4), "y": (3, 4)}),
        (sym.where(c, x, y), {"c": (3,), "y": (0, 4)}, {"x": (3, 4)}),
        (sym.where(c, x, y) + sym.var("z"), {"c": (2, 3), "z": (2, 3)}, {"x": (2, 3), "y": (2, 3)}),
        (sym.pick(x, c), {"x": (2, 3)}, {"c": (2,)}),
        (sym.pick(x, c), {"x": (2, 3), "c": (0, 0)}, {"c": (2, 1)}),
        (sym.sample_normal(x, y, shape=4), {"x": (2, 0), "y": (0, 3)}, {"x": (2, 3), "y": (2, 3)}),
    ],
)
def test_operators_with_rules_of_their_own(symbol, given, found):
    inputs, outputs = infer(symbol, **given)
    assert {name: inputs[name] for name in found} == found
    assert all(shape and 0 not in shape for shape in outputs)


def test_shapes_of_where_that_contradict_each_other_are_an_error():
    with pytest.raises(ShapeError, match="'condition' \\(2,\\)"):
        sym.where(c, x, y).infer_shape(c=(2,), x=(3, 4), y=(3, 4))


@pytest.mark.plugins
@pytest.mark.parametrize(
    "forward",
    [
        lambda F, x: F.where(x > 0, F.zeros((0, 4)), F.ones((0, 4))) + x,
        lambda F, x: F.add_n(x, F.zeros((0, 4)), F.zeros((3, 0))),
        lambda F, x: F.concat(x, F.zeros((0, 4)), dim=1),
    ],
)
def test_a_traced_block_completes_constants_of_unknown_length(forward):
    net = gluon.nn.HybridLambda(forward)
    net.hybridize()
    assert net(nd.ones((3, 4))).shape[0] == 3
