import pytest

from opforge import registry


@pytest.fixture
def shape():
    class Shape:
        def __init__(self, size=1):
            self.size = size

    return Shape


def test_register_and_create(shape):
    register = registry.get_register_func(shape, "shape")
    create = registry.get_create_func(shape, "shape")

    @register
    class Round(shape):
        pass

    made = create("ROUND", size=3)
    assert (type(made), made.size) == (Round, 3)
    assert create(made) is made
    assert create('["round", {"size": 4}]').size == 4
    assert create('{"shape": "round", "size": 5}').size == 5
    assert create(shape="round", size=6).size == 6
    assert create({"shape": "round"}).size == 1
    with pytest.raises(ValueError, match="Cannot find shape square"):
        create("square")
    with pytest.raises(TypeError, match="subclasses of Shape"):
        register(int)


def test_a_taken_name_is_a_warning(shape):
    register = registry.get_register_func(shape, "shape")
    alias = registry.get_alias_func(shape, "shape")

    @alias("circle", "disc")
    class Round(shape):
        pass

    register(Round, "circle")
    with pytest.warns(UserWarning, match="registered with name disc is overriding"):
        register(type("Disc", (shape,), {}))
    assert registry.get_create_func(shape, "shape")("circle").__class__ is Round


def test_the_copy_is_ones_own(shape):
    registry.get_register_func(shape, "shape")(shape)
    mine = registry.get_registry(shape)
    assert mine == {"shape": shape}
    mine.clear()
    assert registry.get_registry(shape) == {"shape": shape}
    assert registry.get_registry(type("Other", (), {})) == {}
