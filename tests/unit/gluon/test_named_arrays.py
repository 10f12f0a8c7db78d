import pytest

from opforge import autograd, gluon, nd
from opforge.gluon.named_arrays import named_arrays


def test_names_stay():
    assert list(named_arrays({"w": nd.ones(1)}, "here")) == ["w"]


def test_an_empty_file_holds_nothing():
    assert named_arrays([], "here") == {}


def test_arrays_without_names():
    with pytest.raises(ValueError, match="here holds 2 arrays without names; save a dict"):
        named_arrays([nd.ones(1)] * 2, "here")


class Doubled(gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        return x * 2


def test_a_network_without_parameters_is_exported_and_imported(tmp_path):
    net = Doubled()
    net.hybridize()
    with autograd.pause():
        net(nd.ones(2))
    net.export(str(tmp_path / "net"))
    files = [str(tmp_path / name) for name in ("net-symbol.json", "net-0000.params")]
    imported = gluon.SymbolBlock.imports(files[0], ["data"], files[1])
    assert imported(nd.ones(2)).asnumpy().tolist() == [2, 2]
    net.save_parameters(str(tmp_path / "own"))
    net.load_parameters(str(tmp_path / "own"))
    net.collect_params().save(str(tmp_path / "dict"))
    net.collect_params().load(str(tmp_path / "dict"))
