import numpy as np
import pytest

from opforge import nd
from opforge.base.errors import OperatorNotFoundError
from opforge.op.declaring.custom import CustomOp, CustomOpProp
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.registry import registry
from opforge.testing import CheckFailedError, check_op


class Cube(OperatorProp):
    """Raise to the third power."""

    name = "cube_of_battery"

    def compose(self, F, data):
        return data * data * data


def test_a_declaration_that_is_not_registered():
    report = check_op(Cube, reference=lambda x: x**3)
    assert report.passed and report.ran >= 10
    with pytest.raises(OperatorNotFoundError):
        registry.lookup_custom("cube_of_battery")


def test_names_and_the_provider():
    assert check_op("tanh", only="/copies").provider.startswith("opforge")
    assert check_op("opforge::tanh", only="/copies").subject == "tanh"
    with pytest.raises(OperatorNotFoundError):
        check_op("no_such_operator")
    with pytest.raises(TypeError, match="expected the name of an operator or a class"):
        check_op(nd.tanh)


def test_a_failure_is_raised_and_can_be_expected():
    def wrong(x):
        return x**3 + 1

    with pytest.raises(CheckFailedError, match="operator cube_of_battery: 1 failed"):
        check_op(Cube, reference=wrong, only="/forward$")
    known = check_op(Cube, reference=wrong, expected_failures={"forward": "the cube is off"})
    assert known.status_of("forward") == "expected failure"
    with pytest.raises(CheckFailedError, match="it passes, but was expected to fail"):
        check_op(Cube, expected_failures={"forward": "it was off"})


class Doubled(OperatorProp):
    """Double the elements of a sparse array."""

    name = "doubled_of_battery"

    def compute_sparse(self, data):
        return data + data

    def compose(self, F, data):
        raise TypeError("data is dense")


def test_operators_on_sparse_arrays_run_with_given_samples_only():
    report = check_op(Doubled, minimum=1)
    assert [outcome.check for outcome in report.outcomes] == ["documentation", "examples"]
    with pytest.raises(CheckFailedError, match="data is dense"):
        check_op(Doubled, samples=[[(2, 3)]])


def test_a_minimum_must_run():
    with pytest.raises(CheckFailedError, match="at least 30 are required"):
        check_op(Cube, minimum=30)
    assert check_op(Cube, only="nothing matches", raises=False).too_few


def test_element_types_and_tolerances():
    class Rough(Cube):
        """Compute the cube with an error of a thousandth."""

        def compose(self, F, data):
            return data * data * data * 1.001

    def cube(x):
        return x**3

    assert not check_op(Rough, reference=cube, only="/forward$", raises=False).passed
    rough = {"float32": 1e-2, "float64": 1e-2}
    assert check_op(Rough, reference=cube, only="/forward$", tolerances=rough).passed
    one = check_op(Cube, reference=cube, samples=[[(2,)]], dtypes=["float64"], only="/forward$")
    assert one.outcomes[0].samples == 1


class Halve(CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], in_data[0].asnumpy() / 2)

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.assign(in_grad[0], req[0], out_grad[0] / 2)


class HalveProp(CustomOpProp):
    """Halve the data, as an MXNet program writes it."""

    def create_operator(self, ctx, shapes, dtypes):
        return Halve()


def test_an_operator_of_mxnet_s_protocol():
    report = check_op(HalveProp, reference=lambda x: x / 2, samples=[[(2, 3)], [np.ones(4)]])
    assert report.passed, report
    for check in ("gradients", "forward requests", "backward requests", "every way"):
        assert report.status_of(check) == "passed"
