"""The declaration of a registration returns what was registered."""

import numpy as np
import pytest

import opforge as mx
from opforge.op import nnvm
from opforge.op.declaring.declaration import OperatorProp


def copies(attrs, ctx, inputs, req, outputs):
    for out, wanted in zip(outputs, req, strict=True):
        nnvm.assign(out, wanted, inputs[0])


def shapes(attrs, in_shapes, out_shapes):
    out_shapes[:] = [in_shapes[0]] * len(out_shapes)
    return True


def test_it_is_an_operator_like_any_other():
    op = nnvm.register_op("test_like_any")
    assert issubclass(op.declaration, OperatorProp)
    assert mx.operator.get_operator_arguments("test_like_any").names == ["data"]


def test_numbers_may_be_functions_of_the_attributes():
    (
        nnvm.register_op("test_counts")
        .add_argument("data", "NDArray")
        .add_argument("bias", "NDArray")
        .add_argument("no_bias", "boolean, optional, default=0")
        .add_argument("copies", "int, optional, default=1")
        .set_num_inputs(lambda attrs: 1 if attrs.parsed.no_bias else 2)
        .set_num_outputs(lambda attrs: attrs.parsed.copies)
        .set_attr("FInferShape", shapes)
        .set_attr("FCompute<cpu>", copies)
    )
    x = mx.nd.ones((2,))
    assert mx.nd.test_counts(x, x).shape == (2,)
    assert [y.shape for y in mx.nd.test_counts(x, no_bias=True, copies=3)] == [(2,)] * 3
    node = mx.sym.test_counts(mx.sym.var("x"), copies=2, name="n")
    assert node.list_arguments() == ["x", "n_bias"]
    assert node.list_outputs() == ["n_output0", "n_output1"]


def test_names_of_inputs_and_outputs():
    (
        nnvm.register_op("test_names")
        .set_num_inputs(2)
        .set_num_outputs(2)
        .set_attr("FListInputNames", lambda attrs: ["left", "right"])
        .set_attr("FListOutputNames", lambda attrs: ["first", "second"])
        .set_attr("FInferShape", shapes)
        .set_attr("FCompute<cpu>", copies)
    )
    node = mx.sym.test_names(name="n")
    assert node.list_arguments() == ["n_left", "n_right"]
    assert node.list_outputs() == ["n_first", "n_second"]
    x = mx.nd.ones((2,))
    assert len(mx.nd.test_names(left=x, right=x)) == 2


def test_wrong_numbers_of_names_are_rejected():
    (
        nnvm.register_op("test_wrong_names")
        .set_num_outputs(2)
        .set_attr("FListOutputNames", lambda attrs: ["first"])
        .set_attr("FInferShape", shapes)
    )
    with pytest.raises(mx.MXNetError, match="has 2 outputs, but names for 1"):
        mx.nd.test_wrong_names(mx.nd.ones((2,)))


def test_outputs_may_be_hidden():
    (
        nnvm.register_op("test_hidden")
        .set_num_outputs(3)
        .set_attr("FNumVisibleOutputs", lambda attrs: 1)
        .set_attr("FInferShape", shapes)
        .set_attr("FCompute<cpu>", copies)
    )
    assert mx.nd.test_hidden(mx.nd.ones((2,))).shape == (2,)
    assert mx.sym.test_hidden(mx.sym.var("x"), name="n").list_outputs() == ["n_output0"]


def test_the_number_of_inputs_may_vary():
    def adds(attrs, ctx, inputs, req, outputs):
        nnvm.assign(outputs[0], req[0], sum(item.asnumpy() for item in inputs))

    (
        nnvm.register_op("test_varies")
        .add_argument("args", "NDArray-or-Symbol[]", "Arrays to add")
        .add_argument("num_args", "int, required")
        .set_num_inputs(lambda attrs: attrs.parsed.num_args)
        .set_attr("key_var_num_args", "num_args")
        .set_attr("FInferShape", shapes)
        .set_attr("FCompute<cpu>", adds)
    )
    x = mx.nd.ones((2,))
    assert mx.nd.test_varies(x, x, x).asnumpy().tolist() == [3, 3]
    assert len(mx.sym.test_varies(mx.sym.var("a"), mx.sym.var("b")).list_arguments()) == 2


def test_the_parser_of_the_guide():
    def compute(attrs, ctx, inputs, req, outputs):
        nnvm.assign(outputs[0], req[0], inputs[0] * attrs.parsed)

    (
        nnvm.register_op("test_scalar_op")
        .add_argument("data", "NDArray")
        .add_argument("scalar", "float, required")
        .set_attr_parser(lambda attrs: float(attrs.dict["scalar"]))
        .set_attr("FInferShape", nnvm.elemwise_shape(1, 1))
        .set_attr("FCompute<cpu>", compute)
    )
    assert mx.nd.test_scalar_op(mx.nd.ones((1,)), scalar=2.5).asscalar() == 2.5
    assert mx.nd.test_scalar_op(mx.nd.ones((1,)), scalar="3").asscalar() == 3
    with pytest.raises(mx.MXNetError, match="Required parameter scalar"):
        mx.nd.test_scalar_op(mx.nd.ones((1,)))


def test_parsers_may_set_parsed_values():
    def parse(attrs):
        attrs.parsed = {"k": attrs.dict.get("k", "none")}

    seen = []

    def infer(attrs, in_shapes, out_shapes):
        seen.append(attrs.parsed)
        return shapes(attrs, in_shapes, out_shapes)

    (
        nnvm.register_op("test_sets_parsed")
        .add_argument("k", "string, optional, default='x'")
        .set_attr_parser(parse)
        .set_attr(
            "FInferShape", lambda attrs, i, o: seen.append(attrs.parsed) or shapes(attrs, i, o)
        )
        .set_attr("FCompute<cpu>", copies)
    )
    mx.nd.test_sets_parsed(mx.nd.ones((1,)))
    mx.nd.test_sets_parsed(mx.nd.ones((1,)), k="y")
    assert seen == [{"k": "none"}, {"k": "y"}]


def test_parser_errors_become_operator_errors():
    (
        nnvm.register_op("test_bad_parser")
        .add_argument("k", "string, required")
        .set_attr_parser(lambda attrs: float(attrs.dict["k"]))
    )
    with pytest.raises(mx.OperatorError, match="could not convert string to float"):
        mx.nd.test_bad_parser(mx.nd.ones((1,)), k="y")


def test_types_are_alike_unless_registered_otherwise():
    def types(attrs, in_types, out_types):
        out_types[0] = np.int64
        return True

    for name in ("test_types_alike", "test_types_own"):
        nnvm.register_op(name).set_attr("FInferShape", shapes).set_attr("FCompute<cpu>", copies)
    nnvm.register_op("test_types_own").set_attr("FInferType", types)
    x = mx.nd.ones((2,), dtype="float64")
    assert mx.nd.test_types_alike(x).dtype is np.float64
    assert mx.nd.test_types_own(x).dtype is np.int64


def test_graphs_are_inferred_backwards():
    (
        nnvm.register_op("test_backwards")
        .set_num_inputs(2)
        .set_attr("FInferShape", nnvm.elemwise_shape(2, 1))
        .set_attr("FCompute<cpu>", copies)
    )
    x, y = mx.sym.var("x"), mx.sym.var("y")
    graph = mx.sym.test_backwards(mx.sym.test_backwards(x, y), mx.sym.var("z", shape=(2, 3)))
    assert graph.infer_shape()[0] == [(2, 3)] * 3
    assert graph.infer_type(z="float64")[0] == [np.float64] * 3
    with pytest.raises(mx.MXNetError, match=r"\(2, 3\)"):
        graph.infer_shape(x=(2, 4))


def test_inference_that_counts_on_its_inputs_is_asked_later():
    def first_row(attrs, in_shapes, out_shapes):
        out_shapes[0] = (in_shapes[0][1],)
        return True

    nnvm.register_op("test_counts_on").set_attr("FInferShape", first_row)
    row = mx.sym.test_counts_on(mx.sym.var("x"))
    graph = mx.sym.broadcast_add(row, mx.sym.var("b", shape=(3,)))
    assert graph.infer_shape_partial()[1] is not None
    assert graph.infer_shape(x=(2, 3))[1] == [(3,)]


def test_pairs_in_place_may_depend_on_attributes():
    declaration = (
        nnvm.register_op("test_inplace")
        .add_argument("reads", "boolean, optional, default=0")
        .set_attr("FInplaceOption", lambda attrs: [] if attrs.parsed.reads else [(0, 0)])
        .declaration
    )
    assert declaration().inplace_pairs == [(0, 0)]
    assert declaration(reads=True).inplace_pairs == []


def test_shapes_must_be_registered():
    nnvm.register_op("test_no_shape").set_attr("FCompute<cpu>", copies)
    with pytest.raises(mx.MXNetError, match="'test_no_shape' has no FInferShape"):
        mx.nd.test_no_shape(mx.nd.ones((1,)))
