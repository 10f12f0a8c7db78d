import pytest

from opforge import gluon, nd


def made_params():
    found = gluon.ParameterDict("block1_")
    found.get("w", shape=(5, 5))
    found.get("b", shape=(5,))
    return found


def test_save_and_load(tmp_path):
    params = made_params()
    path = str(tmp_path / "net.params")
    params.initialize()
    params.save(path, strip_prefix="block1_")
    assert sorted(nd.load(path)) == ["b", "w"]
    other = gluon.ParameterDict("other_")
    other.get("w", shape=(5, 0), allow_deferred_init=True)
    other.get("b", shape=(5,))
    other.load(path, restore_prefix="other_")
    assert (other["other_w"].data().asnumpy() == params["block1_w"].data().asnumpy()).all()


def test_save_with_a_foreign_prefix(tmp_path):
    params = made_params()
    params.initialize()
    with pytest.raises(ValueError, match="Prefix 'foo' is to be striped before saving"):
        params.save(str(tmp_path / "x"), strip_prefix="foo")


def test_load_errors(tmp_path):
    params = made_params()
    path = str(tmp_path / "x")
    nd.save(path, {"arg:block1_w": nd.ones((5, 5)), "extra": nd.ones((1,))})
    with pytest.raises(
        AssertionError, match=r"'block1_b' is missing in file: .*'block1_w', 'extra'"
    ):
        params.load(path)
    with pytest.raises(AssertionError, match=r"'extra' loaded from file: .* is not present"):
        params.load(path, allow_missing=True)
    params.load(path, allow_missing=True, ignore_extra=True)
    assert params["block1_w"].data().asnumpy().sum() == 25
    with pytest.raises(AssertionError, match="restore_prefix is 'foo'"):
        params.load(path, restore_prefix="foo")
    nd.save(path, [nd.ones((1,))])
    with pytest.raises(ValueError, match="without names"):
        params.load(path)
