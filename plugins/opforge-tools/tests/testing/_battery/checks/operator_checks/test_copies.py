from opforge.op.declaring.attribute import Attribute, Floats
from opforge.op.declaring.declaration import OperatorProp


class Plain(OperatorProp):
    """Copy with numbers that strings must keep."""

    name = "plain_copy"
    scale = Attribute(Floats, default=(0.1, 1.0), doc="Numbers.")

    def compose(self, F, data):
        return data * self.scale[0]


class Holds(Plain):
    """Keep what cannot be copied."""

    name = "holds_function"

    def __init__(self, **attributes):
        super().__init__(**attributes)
        self.lines = (line for line in "abc")


class Forgets(Plain):
    """Lose a value on the way through strings."""

    name = "forgets"
    scale = Attribute(Floats, default=(0.1, 1.0), doc="Numbers.")

    def attribute_strings(self):
        return {}


def test_copies(outcome):
    assert outcome("copies", Plain).status == "passed"
    assert outcome("copies", "FullyConnected").status == "passed"
    assert "generator" in outcome("copies", Holds).message


def test_strings(outcome):
    samples = [{"inputs": [(2,)], "attributes": {"scale": (3.0, 4.5)}}]
    assert outcome("copies", Plain, samples=samples).status == "passed"
    found = outcome("copies", Forgets, samples=samples)
    assert "the strings {} has scale=(0.1, 1.0), expected (3.0, 4.5)" in found.message


def test_a_class_in_a_function_is_not_pickled(outcome):
    class Local(Plain):
        """Copy."""

        name = "local_copy"

    assert outcome("copies", Local).status == "passed"
