import pytest

from opforge import sym
from opforge.base.errors import DTypeError, ShapeError
from opforge.symbol.control.declaration import ControlFlow, operation_of

pytestmark = pytest.mark.plugins


def node_of(symbol):
    return symbol.edges[0][0]


@pytest.fixture
def loop():
    def step(row, state):
        after = sym.BatchNorm(row, name="bn") + state
        return after, after

    return node_of(sym.contrib.foreach(step, sym.var("x"), sym.var("h"))[0])


def test_names_are_those_of_the_subgraph_and_states_come_last(loop):
    prop = loop.operation.prop
    assert prop.list_arguments() == ["x-0", "h-0", "bn_gamma", "bn_beta"]
    assert prop.list_auxiliary_states() == ["bn_moving_mean", "bn_moving_var"]
    assert prop.list_outputs() == ["output0", "output1"]
    assert [source.name for source, _ in loop.state_inputs] == prop.list_auxiliary_states()


def test_one_output_has_no_number():
    chosen = sym.contrib.cond(sym.var("p"), lambda: sym.var("a"), lambda: sym.var("b"))
    assert chosen.list_outputs() == [f"{chosen.name}_output"]


def test_shapes_are_told_by_the_body_and_by_states(loop):
    inputs, outputs, states = loop.operation.prop.infer_shape([[5, 2, 3], [], [], []])
    assert inputs == [(5, 2, 3), (2, 3), (3,), (3,)]
    assert outputs == [(5, 2, 3), (2, 3)]
    assert states == [(3,), (3,)]


def test_outputs_determine_inputs(loop):
    prop = loop.operation.prop
    assert prop.infer_inputs([()] * 4, [(5, 2, 3), ()])[1] == (2, 3)
    types = prop.infer_input_types([None] * 4, ["float64", None])
    assert types[1].__name__ == "float64"


def test_contradictions_are_errors(loop):
    prop = loop.operation.prop
    with pytest.raises(ShapeError):
        prop.infer_shape([[5, 2, 3], [2, 4], [], []])
    with pytest.raises(DTypeError):
        prop.infer_type(["float32", "float64", None, None])


def test_an_operation_is_the_cores(loop):
    again = operation_of(loop.operation.prop)
    assert again.name == "_foreach"
    assert again.entry.kind == "std"
    assert again.attributes == loop.operation.attributes


def test_a_declaration_says_its_attributes_and_results():
    prop = ControlFlow([], 0, 0)
    with pytest.raises(NotImplementedError, match="attribute_strings"):
        prop.attribute_strings()
    with pytest.raises(NotImplementedError, match=r"output_subgraphs\(\)"):
        prop.output_subgraphs()
