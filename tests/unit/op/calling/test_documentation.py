"""Tests of generated documentation."""

from opforge.op.calling.documentation import function_doc
from opforge.op.declaring.attribute import Attribute
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.registry.registry import Entry


def test_without_a_docstring():
    prop_class = type("Bare", (OperatorProp,), {"name": "bare"})
    doc = function_doc(Entry("bare", prop_class, "acme", "2", "plugin"))
    assert doc.startswith("Operator bare.\n\nParameters\n----------\ndata : NDArray\n")
    assert doc.endswith("Provided by: acme 2.\n")


def test_own_sections_replace_written_ones():
    class Written(OperatorProp):
        """Do it.

        Parameters
        ----------
        wrong : int

        Notes
        -----
        Kept.
        """

        name = "written"
        outputs = ("a", "b")
        k = Attribute(int, default=3, doc="Size.")

    doc = function_doc(Entry("written", Written))
    assert "wrong" not in doc
    assert "k : int, optional, default='3'\n    Size." in doc
    assert "outputs : list of NDArray\n    Arrays a, b." in doc
    assert "Notes\n-----\nKept." in doc


def test_auxiliary_states_follow_the_arguments():
    class Counted(OperatorProp):
        """Count."""

        name = "counted"
        auxiliary_states = ("count", "share")
        argument_docs = {"share": "shape (1,)"}

    doc = function_doc(Entry("counted", Counted))
    assert (
        "data : NDArray\ncount : NDArray\n    auxiliary state\n"
        "share : NDArray\n    auxiliary state, shape (1,)\nout : NDArray"
    ) in doc


def test_variadic_inputs():
    class Many(OperatorProp):
        """Join."""

        name = "many"
        variadic = "n"
        n = Attribute(int, default=1)

    assert "data : NDArray[]" in function_doc(Entry("many", Many))
