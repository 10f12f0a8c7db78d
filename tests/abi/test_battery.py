"""The battery finds what C functions do wrong, and lives on."""

import numpy as np
import pytest

from opforge.plugin_api import native
from opforge.testing import check_op

from .conftest import load_module


@pytest.fixture(scope="module")
def faulty(build):
    return load_module(build("faulty", source="faulty.c"))


@pytest.fixture
def checked(faulty):
    """Return a function that checks an operator of the library, or makes one check of it."""

    def run(name, only=None, **body):
        """Run the battery on an operator, whose samples and reference are float64 as it is."""

        class Faulty(native.NativeOperator):
            """Multiply `x` by `y`."""

            arguments = ("x", "y")
            library = faulty
            saves = ("inputs",)

            def infer_type(self, in_type):
                return [np.float64] * 2, [np.float64], []

        made = type("Faulty", (Faulty,), {"name": f"faulty_{name}", "__doc__": "x y.", **body})
        return check_op(
            made,
            samples=[[(3, 2), (3, 2)], [(5,), (5,)]],
            dtypes=["float64"],
            reference=np.multiply,
            only=only and f"/{only}$",
            raises=False,
        )

    return run


def test_a_good_one_passes_them(checked):
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
        ("spoils", "backward writes into the gradient of output 'output', which it may only read"),
    ],
)
def test_memory_beside_an_array_is_found(checked, name, text):
    (found,) = checked(name, "memory bounds").outcomes
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
def test_what_only_many_calls_or_others_show(checked, name, check, text):
    (found,) = checked(name, check).outcomes
    assert found.status == "failed" and text in found.message
    assert checked(name, "documentation").passed


def test_inputs_that_do_not_fit_are_to_be_refused(checked):
    (found,) = checked("unchecked", "other lengths").outcomes
    assert found.status in ("warned", "failed")  # what is read there may end the process
    assert "If they do not fit together, refuse them" in found.message or "SIGSEGV" in found.message


def test_a_gradient_that_is_added_is_found(checked):
    (found,) = checked("adds", "backward requests").outcomes
    assert found.status == "failed"


def test_an_input_that_is_not_saved_is_not_read(checked):
    (found,) = checked("good", "saved arrays", saves=("x",)).outcomes
    assert "needs some of y, output, which the declaration does not name" in found.message


def test_a_crash_is_a_finding_of_the_check_that_ran(checked):
    report = checked("aborts")
    assert not report.passed
    found = report.outcomes[-1]
    assert (found.status, found.message) == ("failed", "a C function ended the process by SIGABRT")
    assert report.status_of("documentation") == "passed", "what was found before is kept"
