import pytest

from opforge.op.declaring.attribute import Attribute
from opforge.op.declaring.declaration import OperatorProp


def declared(doc="Copy.", attribute_doc="A number.", argument_docs=None):
    def compose(self, F, data):
        return data * 1

    body = {
        "__doc__": doc,
        "name": "documented",
        "compose": compose,
        "beta": Attribute(float, default=1.0, doc=attribute_doc),
        "argument_docs": argument_docs or {},
    }
    return type("Documented", (OperatorProp,), body)


@pytest.mark.parametrize(
    ("faulty", "text"),
    [
        (declared(doc=None), "has no docstring"),
        (declared(doc="  "), "has no docstring"),
        (declared(attribute_doc=""), "beta not documented"),
        (declared(argument_docs={"dta": "any"}), "describes dta, which is not an input"),
    ],
)
def test_faults(outcome, faulty, text):
    found = outcome("documentation", faulty)
    assert found.status == "failed" and text in found.message


def test_a_documented_operator(outcome):
    found = outcome("documentation", declared(argument_docs={"data": "any"}))
    assert (found.status, found.samples) == ("passed", 2)
