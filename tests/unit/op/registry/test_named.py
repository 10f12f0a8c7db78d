import pytest

from opforge.op.registry.named import NameRegistry


class Shape:
    def __init__(self, size=1):
        self.size = size


@pytest.fixture
def shapes():
    registry = NameRegistry(Shape, "shape")

    @registry.register
    @registry.alias("circle", "disc")
    class Round(Shape):
        pass

    return registry


@pytest.mark.parametrize("name", ["round", "Round", "CIRCLE", "disc"])
def test_create_by_any_name(shapes, name):
    assert type(shapes.create(name, size=3)).__name__ == "Round"


@pytest.mark.parametrize(
    "spec",
    ['["round", {"size": 4}]', '{"shape": "round", "size": 4}', {"shape": "disc", "size": 4}],
)
def test_create_from_a_description(shapes, spec):
    assert shapes.create(spec).size == 4


def test_instances_and_classes(shapes):
    made = Shape(7)
    assert shapes.create(made) is made
    assert shapes.create(Shape, 5).size == 5
    with pytest.raises(TypeError, match="already an instance of Shape"):
        shapes.create(made, size=2)


def test_unknown_name_has_close_ones(shapes):
    with pytest.raises(ValueError, match=r"Cannot find shape rond\. Did you mean 'round'"):
        shapes.create("rond")


def test_invalid_objects_raise(shapes):
    with pytest.raises(TypeError, match="must be a name or an instance of Shape"):
        shapes.create(3)
    with pytest.raises(TypeError, match="can only register subclasses of Shape"):
        shapes.register(int)


def test_factory_and_replacement(shapes):
    shapes.add_factory("big", lambda: Shape(100))
    assert shapes.create("big").size == 100
    shapes.register(Shape, "round")
    assert type(shapes.create("round")) is Shape
    assert shapes.names() == ["big", "circle", "disc", "round"]
