from opforge import gluon


class Silent(gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        return x * 2


class Fragile(Silent):
    """Double."""

    def __repr__(self):
        return f"<{self.missing}>"


class Anonymous(Silent):
    """Double."""

    def __repr__(self):
        return "a layer"


def test_docstring(layer_outcome):
    assert "has no docstring" in layer_outcome("documentation", Silent).message
    assert layer_outcome("documentation", Fragile).status == "passed"


def test_repr(layer_outcome):
    assert layer_outcome("repr", Silent).status == "passed"
    assert "AttributeError" in layer_outcome("repr", Fragile).message
    assert "start with the name of the class" in layer_outcome("repr", Anonymous).message
