"""The battery finds errors of C functions and survives them."""

import numpy as np
import pytest

from opforge.plugin_api import Attribute, native
from opforge.testing import check_op

from .conftest import load_module

#: Shapes of the arguments of each sample.
SHAPES = [(3, 2), (3, 2)], [(5,), (5,)]


@pytest.fixture(scope="module")
def faulty(build):
    return load_module(build("faulty", source="faulty.c"))


@pytest.fixture
def checked(faulty):
    """Return a function that runs all checks, or one, on an operator of the library."""

    def run(name, only=None, states=(), **body):
        """Run the battery on an operator with float64 samples and reference."""

        class Faulty(native.NativeOperator):
            """Multiply `x` by `y`."""

            arguments = ("x", "y")
            library = faulty
            saves = ("inputs",)

            auxiliary_states = states

            def infer_shape(self, in_shape):
                inputs, outputs, _ = super().infer_shape(in_shape)
                return inputs, outputs, [(1,)] * len(states)

            def infer_type(self, in_type):
                return [np.float64] * 2, [np.float64], [np.float64] * len(states)

        operator = type("Faulty", (Faulty,), {"name": f"faulty_{name}", "__doc__": "x y.", **body})
        return check_op(
            operator,
            samples=[[*inputs, *[(1,)] * len(states)] for inputs in SHAPES],
            dtypes=["float64"],
            reference=lambda x, y, *states: x * y,
            only=only and f"/{only}$",
            stress=10,
            raises=False,
        )

    return run


def test_a_correct_operator_passes(checked):
    report = checked("good")
    for check in ("memory bounds", "other lengths", "backward requests", "saved arrays"):
        assert report.status_of(check) == "passed", report
    assert report.passed, report


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("unchecked", "after the end of input 'y', which has shape"),
        ("writes", "forward reads or writes after the end of output 'output', which has shape"),
        ("reads", "backward reads or writes before the beginning of input 'y', which has shape"),
        ("far", "forward reads or writes after the end of output 'output', which has shape"),
        ("spoils", "backward writes to the gradient of output 'output', which is read-only"),
        ("trains", "in training, forward reads or writes after the end of output 'output'"),
    ],
)
def test_out_of_bounds_accesses_are_found(checked, name, text):
    expect_crash(checked(name, "memory bounds"), text)


def test_a_correct_operator_with_a_state_passes(checked):
    report = checked("counting", states=("count",))
    assert report.status_of("memory bounds") == "passed", report
    assert report.passed, report


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("past_state", "forward reads or writes after the end of auxiliary state 'count', which"),
        (
            "before_state",
            "backward reads or writes before the beginning of auxiliary state 'count'",
        ),
        ("predicting", "forward writes to auxiliary state 'count', which is read-only"),
    ],
)
def test_out_of_bounds_accesses_to_states_are_found(checked, name, text):
    expect_crash(checked(name, "memory bounds", states=("count",)), text)


def expect_crash(report, text):
    (found,) = report.outcomes
    assert found.status == "failed"
    assert text in found.message and found.message.endswith("and ended the process by SIGSEGV")
    assert found.message.startswith("sample (")


@pytest.mark.parametrize(
    ("name", "check", "text"),
    [
        ("leaks", "leaks", "bytes of the process's heap"),
        ("shares", "calls at once", "with 8 threads calling it"),
        ("leaves", "forward requests", "nan"),
        ("counts", "repetition", "as the first one"),
        ("spoils", "inputs unchanged", "backward changed the gradient of output 0"),
    ],
)
def test_errors_that_need_several_calls_are_found(checked, name, check, text):
    (found,) = checked(name, check).outcomes
    assert found.status == "failed" and text in found.message
    assert checked(name, "documentation").passed


def test_mismatched_inputs_should_be_rejected(checked):
    (found,) = checked("unchecked", "other lengths").outcomes
    assert found.status in ("warned", "failed")  # the access may crash the process
    assert "shapes are incompatible, reject them" in found.message or "SIGSEGV" in found.message


def test_a_gradient_that_is_added_is_found(checked):
    (found,) = checked("adds", "backward requests").outcomes
    assert found.status == "failed"


def test_an_input_that_is_not_saved_is_not_read(checked):
    (found,) = checked("good", "saved arrays", saves=("x",)).outcomes
    assert "depends on some of y, output, which the declaration does not list" in found.message


def test_a_crash_is_reported_for_the_check_that_ran(checked):
    report = checked("aborts")
    assert not report.passed
    found = report.outcomes[-1]
    assert (found.status, found.message) == ("failed", "a C function ended the process by SIGABRT")
    assert report.status_of("documentation") == "passed", "earlier results are kept"


def test_the_example_with_a_state_passes(build):
    class ClipShare(native.NativeOperator):
        """Clip to [-1, 1] and keep the running share of clipped elements."""

        name = "clip_share"
        library = load_module(build("clip_share", source="clip_share.c"))
        auxiliary_states = ("share",)
        momentum = Attribute(float, default=0.9, ge=0, lt=1, doc="Weight of the former share.")
        saves = ("inputs",)

    def reference(data, share, momentum=0.9):
        now = (np.abs(data) > 1).mean() if data.size else share
        return np.clip(data, -1, 1), momentum * share + (1 - momentum) * now

    report = check_op(ClipShare, reference=reference)
    for check in ("memory bounds", "states", "every way"):
        assert report.status_of(check) == "passed", report
    assert not report.message_of("states")
