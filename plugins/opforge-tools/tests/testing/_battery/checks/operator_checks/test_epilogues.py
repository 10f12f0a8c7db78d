import pytest

from opforge.native.calls.product_computations import Dense
from opforge.op.declaring.declaration import OperatorProp

SAMPLES = [{"inputs": [(3, 4), (5, 4)]}, {"inputs": [(0, 4), (5, 4)]}]


class Product(OperatorProp):
    """Rows times rows."""

    name = "product_of_battery"
    arguments = ("data", "weight")
    differentiable = False
    epilogues = ("subtract", "relu")

    def __init__(self, **attributes):
        super().__init__(**attributes)
        self.compute = Dense(5, False)

    def infer_shape(self, in_shape):
        return in_shape, [(in_shape[0][0], 5)], []


def variant(**body):
    return type("Variant", (Product,), {"__doc__": "Rows times rows.", **body})


def test_every_step_is_tried_with_every_operand(outcome):
    found = outcome("epilogues", Product, samples=SAMPLES)
    # In two types: a number, a value, an array and two vectors from either side; relu; both in one.
    assert (found.status, found.samples) == ("passed", 2 * (5 * 2 + 1 + 1))


class Careless:
    """A computation that leaves its epilogue out."""

    def __init__(self, how):
        self.how = how

    def __call__(self, inputs, outputs, req):
        self.how(inputs[:2], outputs, req)

    def with_epilogue(self, epilogue):
        return self


def test_an_epilogue_that_is_left_out_is_found(outcome):
    def careless(self, **attributes):
        OperatorProp.__init__(self, **attributes)
        self.compute = Careless(Dense(5, False))

    found = outcome("epilogues", variant(__init__=careless), samples=SAMPLES)
    assert found.status == "failed"
    assert "sample (3, 4), (5, 4), dtype float32, the epilogue subtract 0.75" in found.message


def test_operators_without_one_are_skipped(outcome):
    found = outcome("epilogues", variant(epilogues=()), samples=SAMPLES)
    assert (found.status, found.message) == ("skipped", "its declaration names no epilogues")


@pytest.mark.parametrize("body", [{"outputs": ("output", "other")}, {"compute": None}])
def test_unsupported_epilogues_are_reported(outcome, body):
    def bare(self, **attributes):
        OperatorProp.__init__(self, **attributes)

    def two(self, in_shape):
        return in_shape, [(in_shape[0][0], 5)] * len(self.outputs), []

    found = outcome("epilogues", variant(__init__=bare, infer_shape=two, **body), samples=SAMPLES)
    assert found.status == "failed" and "remove them from the declaration" in found.message
