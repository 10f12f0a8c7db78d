import sys

import pytest

from opforge import nd
from opforge.op import rules
from opforge.op.declaring.custom import CustomOp
from opforge.op.declaring.declaration import OperatorProp

pytestmark = pytest.mark.plugins


class Grow(OperatorProp):
    """Add one; its rule adds two."""

    name = "grow"

    def create_operator(self, ctx, shapes, dtypes):
        return GrowOp()


class GrowOp(CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], in_data[0] + 1)


class GrowWithoutRule(Grow):
    """Add one."""

    name = "grow_without_rule"


@pytest.fixture
def exports(outcome):
    """Return the outcome of the check."""
    pytest.importorskip("onnxruntime", reason="the check runs what it exports")
    return lambda operator, *samples: outcome("exports", operator, samples=samples)


def test_equal_results(exports):
    found = exports("tanh", [(2, 3)], [(4,)])
    assert (found.status, found.samples) == ("passed", 2)


def test_states_and_weights_are_part_of_the_file(exports):
    found = exports("BatchNorm", [(2, 3), (3,), (3,), nd.zeros(3).asnumpy(), nd.ones(3).asnumpy()])
    assert (found.status, found.message) == ("passed", "")


def test_other_results(exports):
    @rules.register("onnx", "grow")
    def grow(prop, call):
        return call.node("Add", call.inputs[0], call.constant(2))

    found = exports(Grow, [(2, 3)])
    assert found.status == "failed"
    assert found.message.startswith("6 of 6 elements differ")
    assert "sample (2, 3): exported to onnx: output 0" in found.message


def test_random_numbers_have_the_same_shape(exports):
    shapes = {"inputs": [], "attributes": {"shape": (2, 3)}}
    assert exports("_random_uniform", shapes).status == "passed"


def test_reasons_are_given(exports):
    found = exports(GrowWithoutRule, [(2, 3)])
    assert found.status == "skipped"
    assert "no rule for operator 'grow_without_rule'" in found.message
    found = exports("dot", [(2, 3), (3, 4)], [(2, 3), (3, 2, 2)])
    assert (found.status, found.samples) == ("passed", 1)
    assert found.message.startswith("not exported: 1 of 2 samples: onnx: export to ONNX: node")


def test_a_missing_runtime_is_named(exports, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    found = exports("tanh", [(2, 3)])
    assert found.status == "skipped"
    assert found.message.startswith("left out: ") and "pip install onnxruntime" in found.message


def test_a_missing_exporter_is_named(exports, monkeypatch):
    monkeypatch.setattr("opforge.exporter.names", list)
    found = exports("tanh", [(2, 3)])
    assert (found.status, found.message) == ("skipped", "no exporter: pip install opforge-onnx")
