"""Every mistake of an author or a caller is reported to the user with all names."""

import traceback

import numpy as np
import pytest

import opforge as mx
from opforge import autograd, nd
from opforge.base.errors import AttributeValueError, DTypeError, OperatorError, ShapeError
from opforge.base.numpy_semantics import np_shape
from opforge.op.calling.binding import attribute_names, custom_handle, graph_handle, make_handle
from opforge.op.declaring.attribute import Attribute
from opforge.op.declaring.custom import CustomOp, CustomOpProp
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.registry import registry
from opforge.op.registry.registry import Entry
from opforge.op.rules.table import register


def fail(*args, **kwargs):
    raise LookupError("the author says no")


class Copy(CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], in_data[0])

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.assign(in_grad[0], req[0], out_grad[0])


class Custom(CustomOpProp):
    """An MXNet-style declaration."""

    def create_operator(self, ctx, in_shapes, in_dtypes):
        return Copy()


class Typed(OperatorProp):
    """A plugin-style declaration."""

    name = "demo"
    factor = Attribute(float, default=1.0, gt=0, doc="Any number.")

    def infer_shape(self, in_shape):
        return in_shape, [in_shape[0]], []

    def create_operator(self, ctx, in_shapes, in_dtypes):
        return Copy()


def operator_with(**methods):
    return type("Op", (Copy,), methods)


@pytest.fixture(params=["program", "plugin", "plugin through Custom"])
def call(request, monkeypatch):
    """Return ``call(methods, *inputs, **attributes)``, which runs forward and backward."""
    monkeypatch.setattr(registry, "_custom", {})
    monkeypatch.setattr(registry.OPERATORS, "_table", dict(registry.OPERATORS._table))

    def run(methods, *inputs, **attributes):
        if request.param == "program":
            mx.operator.register("demo")(type("Demo", (Custom,), methods))
        else:
            declared = type("Demo", (Typed,), methods)
            registry.OPERATORS._table.pop("demo", None)
            registry.register_operator(declared, "acme-demo", "2.1", "plugin")
        if not inputs:
            inputs = (nd.ones((2, 3)),)
            inputs[0].attach_grad()
        with autograd.record():
            if request.param == "plugin":
                nd.__dict__.pop("demo", None)
                result = nd.demo(*inputs, **attributes)
            else:
                result = nd.Custom(*inputs, op_type="demo", **attributes)
        result.backward()
        return inputs[0].grad

    run.who = (
        r"operator 'demo' \(registered in this program\)"
        if request.param == "program"
        else r"operator 'demo' \(plugin acme-demo 2\.1\)"
    )
    yield run
    nd.__dict__.pop("demo", None)


STAGES = {
    "constructor": {"__init__": fail},
    "list_arguments": {"list_arguments": fail},
    "list_outputs": {"list_outputs": fail},
    "list_auxiliary_states": {"list_auxiliary_states": fail},
    "infer_shape": {"infer_shape": fail},
    "infer_type": {"infer_type": fail},
    "declare_backward_dependency": {"declare_backward_dependency": fail},
    "num_visible_outputs": {"num_visible_outputs": property(fail)},
    "create_operator": {"create_operator": fail},
    "forward": {"create_operator": lambda *a: operator_with(forward=fail)()},
    "backward": {"create_operator": lambda *a: operator_with(backward=fail)()},
}
BEFORE_SHAPES = {"constructor", "list_arguments", "list_outputs", "list_auxiliary_states"}


def test_a_right_one_works(call):
    assert call({}).asnumpy().tolist() == np.ones((2, 3)).tolist()


@pytest.mark.parametrize("stage", STAGES)
def test_author_raises(call, stage):
    with pytest.raises(OperatorError) as caught:
        call(STAGES[stage])
    shapes = "" if stage in BEFORE_SHAPES else r" \(input shapes: \(2, 3\)\)"
    caught.match(f"^{call.who} raised LookupError in {stage}: the author says no{shapes}$")
    assert isinstance(caught.value.__cause__, LookupError)
    last = traceback.extract_tb(caught.tb)[-1]
    assert (last.filename, last.name) == (__file__, "fail")
    assert caught.value.operator == "demo"


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
def test_exits_pass_unchanged(call, stage, kind):
    def leave(*args, **kwargs):
        raise kind

    methods = dict(STAGES[stage])
    for key in methods:
        methods[key] = property(leave) if stage == "num_visible_outputs" else leave
    if stage in ("forward", "backward"):
        methods = {"create_operator": lambda *a: operator_with(**{stage: leave})()}
    with pytest.raises(kind):
        call(methods)


WRONG_ANSWERS = [
    ({"list_arguments": lambda s: None}, OperatorError, "list_arguments returned None"),
    ({"list_outputs": lambda s: "output"}, OperatorError, "expected a list of names"),
    ({"infer_shape": lambda s, i: (i,)}, ShapeError, "infer_shape returned 1 lists"),
    ({"infer_shape": lambda s, i: None}, ShapeError, "infer_shape returned None"),
    ({"infer_shape": lambda s, i: (i, i * 2, [])}, ShapeError, "returned 2 outputs, expected 1"),
    ({"infer_shape": lambda s, i: (i, [3], [])}, ShapeError, r"write \[3\]"),
    ({"infer_shape": lambda s, i: (i, [[1.5]], [])}, ShapeError, r"1\.5 \(float\) as dimension 0"),
    ({"infer_shape": lambda s, i: ([[2, 3, 1]], i, [])}, ShapeError, r"Provided = \[2,3\]"),
    ({"infer_type": lambda s, i: (i, ["nope"], [])}, DTypeError, "infer_type returned 'nope'"),
    ({"infer_type": lambda s, i: (i, [None], [])}, DTypeError, "'output' unknown, with inputs of"),
    ({"num_visible_outputs": 3}, OperatorError, "it is 3, expected an integer from 1 to 1"),
    ({"create_operator": lambda *a: None}, OperatorError, "in create_operator: it returned None"),
    (
        {"declare_backward_dependency": lambda s, *ids: [77]},
        OperatorError,
        r"it returned \[77\], expected elements of out_grad \[0\]",
    ),
]


@pytest.mark.parametrize(("methods", "kind", "text"), WRONG_ANSWERS)
def test_wrong_answers(call, methods, kind, text):
    with pytest.raises(kind, match=f"(?s)^{call.who}.*{text}"):
        call(methods)


def test_shapes_are_in_the_errors_about_shapes(call):
    with pytest.raises(ShapeError, match=r"\(input shapes: \(2, 3\)\)$"):
        call({"infer_shape": lambda s, i: (i,)})


def test_too_many_inputs(call):
    # A function with named parameters takes a second array for an attribute.
    text = "expects 1 inputs, but got 2 instead; it takes 'data'|: Invalid Parameter format for f"
    with pytest.raises(mx.MXNetError, match=f"^{call.who}.*({text})"):
        call({}, nd.ones((2, 3)), nd.ones((2, 3)))


def test_missing_input(call):
    methods = {"list_arguments": lambda s: ["data", "weight"]}
    methods["arguments"] = ("data", "weight")
    with pytest.raises(mx.MXNetError, match=f"^{call.who} expects 2 inputs.*: 'weight' missing"):
        call(methods, nd.ones((2, 3)))


def test_no_array(call):
    with pytest.raises(TypeError, match=f"^{call.who}: input 'data' must be an NDArray, got list"):
        call({}, [1, 2])


ATTRIBUTES = [
    ({"factor": "much"}, "expect float but value='much'"),
    ({"factor": -1}, "value -1.0 for Parameter factor should be greater than 0"),
    ({"facto": 1}, "Did you mean factor"),
]


@pytest.mark.parametrize("through_custom", [False, True])
@pytest.mark.parametrize(("attributes", "text"), ATTRIBUTES)
def test_typed_attributes_name_the_plugin(attributes, text, through_custom, monkeypatch):
    monkeypatch.setattr(registry.OPERATORS, "_table", dict(registry.OPERATORS._table))
    monkeypatch.setattr(registry, "_custom", {})
    registry.register_operator(Typed, "acme-demo", "2.1", "plugin")
    nd.__dict__.pop("demo", None)
    x = nd.ones((2, 3))
    with pytest.raises(AttributeValueError) as caught:
        if through_custom:
            nd.Custom(x, op_type="demo", **attributes)
        else:
            nd.demo(x, **attributes)
    nd.__dict__.pop("demo", None)
    assert str(caught.value).startswith("operator 'demo' (plugin acme-demo 2.1): ")
    assert text in str(caught.value)


def test_an_authors_own_attribute_error_is_wrapped():
    class Choosy(OperatorProp):
        name = "choosy"

        def __init__(self, **attributes):
            super().__init__(**attributes)
            raise AttributeValueError("not today")

    handle = make_handle(Entry("choosy", Choosy, "acme", "1", "plugin"))
    with pytest.raises(AttributeValueError, match="raised AttributeValueError in constructor") as c:
        handle.bound(())
    assert isinstance(c.value, OperatorError)
    assert traceback.extract_tb(c.tb)[-1].filename == __file__


def test_handles():
    entry = Entry("demo", Typed)
    assert attribute_names(Typed) == ("factor",)
    assert attribute_names(CustomOpProp) == ()
    assert make_handle(entry).bound((3,)).prop.factor == 3.0
    assert custom_handle(entry).bound((("factor", "4"),)).prop.factor == 4.0


def test_an_output_without_a_shape_is_rejected_before_anything_runs():
    """A scalar's shape () means "unknown" to an author, who cannot infer anything from it."""

    class Waiting(OperatorProp):
        name = "waits_for_a_shape"

        def infer_shape(self, in_shape):
            return in_shape, [in_shape[0] or None], []

        def create_operator(self, ctx, shapes, dtypes):
            raise AssertionError("it runs")

    with np_shape():
        scalar = nd.ones(())
    with registry.temporary():
        registry.register_operator(Waiting)
        with pytest.raises(ShapeError, match="returned no shape for an output"):
            nd.waits_for_a_shape(scalar)


def test_graphs_share_declarations_until_rules_change():
    entry = Entry("demo", Typed, "plugin-of-demo", "1.0", "plugin")
    first = graph_handle(entry).bound((2.0,))
    assert graph_handle(entry).bound((2.0,)) is first
    register("gradient", "demo")(lambda prop, F, out_grad, in_data, out_data: out_grad)
    assert graph_handle(entry).bound((2.0,)) is not first
