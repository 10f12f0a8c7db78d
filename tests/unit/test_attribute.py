import threading

import pytest

from opforge import AttrScope, init, sym
from opforge.attribute import shown, stored


def test_inner_scopes_add_to_outer_ones():
    assert AttrScope.current.get(None) == {}
    with AttrScope(a="1", b="1"):
        with AttrScope(b="2", c="2") as inner:
            assert AttrScope.current is inner
            assert AttrScope.current.get({"c": "3"}) == {"a": "1", "b": "2", "c": "3"}
        assert AttrScope.current.get(None) == {"a": "1", "b": "1"}
    assert AttrScope.current.get({"x": "y"}) == {"x": "y"}


def test_a_scope_can_be_entered_again():
    scope = AttrScope(a="1")
    with AttrScope(b="2"), scope:
        assert scope.get(None) == {"a": "1", "b": "2"}
    with scope, scope:
        assert scope.get(None) == {"a": "1"}
    assert AttrScope.current.get(None) == {}


def test_each_thread_has_scopes_of_its_own():
    found = []
    with AttrScope(a="1"):
        thread = threading.Thread(target=lambda: found.append(AttrScope.current.get(None)))
        thread.start()
        thread.join()
    assert found == [{}]


def test_values_are_texts():
    with pytest.raises(ValueError, match=r"attribute 'a' is 1; expected a string. Pass str"):
        AttrScope(a=1)


def test_mxnets_own_attributes_are_kept_with_underscores_and_shown_without_too():
    kept = stored({"lr_mult": "2", "mood": "calm", "__wd_mult__": "1"})
    assert kept == {"__lr_mult__": "2", "mood": "calm", "__wd_mult__": "1"}
    assert shown(kept) == {**kept, "lr_mult": "2", "wd_mult": "1"}
    assert shown({"a": "b"}) == {"a": "b"}


def test_the_outermost_scope_can_be_set():
    found = []

    def within():
        AttrScope.current = AttrScope(a="1")
        with AttrScope(b="2"):
            found.append(sym.var("x").list_attr())

    thread = threading.Thread(target=within)
    thread.start()
    thread.join()
    assert found == [{"a": "1", "b": "2"}]
    assert AttrScope.current.get(None) == {}


def test_attributes_of_a_call_are_stored_as_text():
    """GluonCV attaches initializers; the saved graph creates them again."""
    initializer = init.Normal(0.5)
    product = sym.dot(sym.var("x"), sym.var("y"), attr={"__init__": initializer, "__lr_mult__": 2})
    loaded = sym.load_json(product.tojson())
    assert loaded.attr("__init__") == initializer.dumps()
    assert loaded.attr("__lr_mult__") == "2"
    assert sym.var("z", attr={"__init__": initializer}).attr("__init__") == initializer.dumps()
