import importlib
import json

import pytest

import opforge
from opforge import nd, plugin, sym
from opforge.base.errors import OperatorNotFoundError, SymbolFileError
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.registry.registry import OPERATORS, lookup, register_operator
from opforge.plugin import PluginState, Provider
from opforge.plugin.settings import Settings
from opforge.symbol.files.bill_of_materials import Material, record_hash
from opforge.symbol.files.requirements import check_bill, examine, install_line


def provide(monkeypatch, *, name="acme-gelu", version="1.2.0", ops=("gelu",), state="not loaded"):
    """Simulate an installed distribution, as far as its metadata is read."""
    found = Provider(
        name, version, {"x": "x"}, {"operator": dict.fromkeys(ops, "x:X"), "layer": {}}
    )
    refusal = ("disabled by OPFORGE_PLUGINS=none", "unset it") if state == "disabled" else ("", "")
    states = {**(plugin.RESOLVER._states or {}), found.key: PluginState(found, state, *refusal)}
    monkeypatch.setattr(plugin.RESOLVER, "_states", states)


@pytest.fixture(autouse=True)
def nothing_installed(monkeypatch):
    lookup("softmax")  # loads the plugin, which stays registered
    monkeypatch.delenv("OPFORGE_PIN", raising=False)
    monkeypatch.setattr(plugin.RESOLVER, "_states", {})
    monkeypatch.setattr(plugin.RESOLVER, "_settings", Settings())
    monkeypatch.setattr(OPERATORS, "_table", dict(OPERATORS._table))


GELU = Material("gelu", "acme-gelu", "1.2.0")


def state_of(material):
    (finding,) = examine([material])
    return finding.state


@pytest.mark.plugins
def test_missing(monkeypatch):
    assert state_of(GELU) == "missing"
    provide(monkeypatch)
    assert state_of(GELU) == "ok"
    assert state_of(Material("gelu", "Acme_Gelu", "1.2.0")) == "ok"


@pytest.mark.plugins
def test_disabled_and_lacking(monkeypatch):
    provide(monkeypatch, state="disabled")
    assert state_of(GELU) == "disabled"
    provide(monkeypatch, ops=("relu6",), version="2.0")
    (finding,) = examine([GELU])
    assert finding.state == "lacking"
    assert install_line([finding]) == "pip install 'acme-gelu==1.2.0'"


@pytest.mark.plugins
@pytest.mark.parametrize(
    ("saved", "here", "state"),
    [
        ("1.2.0", "1.9", "drifted"),
        ("1.9", "1.2", "drifted"),
        ("1.2", "2.0", "incompatible"),
        ("0.1.3", "0.1.4", "drifted"),
        ("0.1", "0.2", "incompatible"),
        ("1!1.0", "1!1.1", "drifted"),
        ("unknown", "1.0", "incompatible"),
        ("1.0", "1.0", "ok"),
    ],
)
def test_versions(monkeypatch, saved, here, state):
    provide(monkeypatch, version=here)
    assert state_of(Material("gelu", "acme-gelu", saved)) == state


@pytest.mark.plugins
def test_other_files_of_the_same_version():
    entry = lookup("softmax")
    same = Material("softmax", entry.provider, entry.version, 1, record_hash(entry.provider))
    assert state_of(same) == "ok"
    other = Material("softmax", entry.provider, entry.version, 1, "sha256:" + "0" * 64)
    assert state_of(other) == "changed"


@pytest.mark.plugins
def test_a_pin_replaces_the_provider(monkeypatch):
    provide(monkeypatch, name="other-gelu")
    (finding,) = examine([GELU])
    assert finding.state == "missing"
    assert "OPFORGE_PIN=gelu=other-gelu" in finding.text
    monkeypatch.setenv("OPFORGE_PIN", "gelu=other-gelu")
    assert state_of(GELU) == "replaced"


@pytest.mark.plugins
def test_a_preference_replaces_the_provider(monkeypatch):
    provide(monkeypatch, name="other-gelu")
    with opforge.prefer("other-gelu"):
        assert state_of(GELU) == "replaced"
    assert state_of(GELU) == "missing"


@pytest.mark.plugins
def test_the_programs_own():
    own = Material("fx_unregistered", defined_by="train.Scale")
    (finding,) = examine([own])
    assert finding.fatal
    assert "train.Scale" in finding.text
    assert install_line([finding]) == ""


@pytest.mark.plugins
def test_one_error_names_all_that_is_missing(monkeypatch):
    provide(monkeypatch, name="acme-off", ops=("off",), state="disabled")
    wanted = [GELU, Material("swish", "acme-more", "0.3+cpu"), Material("off", "acme-off", "1.2.0")]
    with pytest.raises(OperatorNotFoundError) as caught:
        check_bill(wanted)
    text = str(caught.value)
    for part in (
        "operator 'gelu' of acme-gelu 1.2.0 is not installed",
        "operator 'swish' of acme-more 0.3+cpu is not installed",
        "operator 'off' of acme-off 1.2.0 is installed but disabled",
        "pip install 'acme-gelu>=1.2.0' 'acme-more>=0.3'",
    ):
        assert part in text
    assert "acme-off>" not in text


class Gelu(OperatorProp):
    """Bend the data."""

    name = "gelu"

    def compose(self, F, data):
        return data * F.sigmoid(data)


@pytest.fixture
def checkpoint(monkeypatch, tmp_path):
    """Return the prefix of a checkpoint whose operator was registered only while it was created."""
    with monkeypatch.context() as patch:
        patch.setattr(OPERATORS, "_table", dict(OPERATORS._table))
        register_operator(Gelu, "acme-gelu", "1.2.0", "plugin")
        net = sym.gelu(sym.var("x") * sym.var("w"), name="g")
        opforge.checkpoint.save_checkpoint(str(tmp_path / "net"), 1, net, {"w": nd.ones((2,))}, {})
    monkeypatch.delattr(sym, "gelu")
    OPERATORS.forget_decisions()
    return str(tmp_path / "net")


@pytest.mark.plugins
def test_loading_fails_before_arrays_are_read(checkpoint, monkeypatch):
    read = []
    monkeypatch.setattr("opforge.ndarray.load", read.append)
    monkeypatch.setattr("opforge.gluon.symbol_block.open_saved", read.append)
    module = importlib.import_module("opforge_mxnet.module")  # no plugin provides opforge.mod here
    needs = "it needs operators that are not installed:\n.*'gelu' of acme-gelu 1.2.0"
    for load in (
        lambda: opforge.checkpoint.load_checkpoint(checkpoint, 1),
        lambda: module.Module.load(checkpoint, 1),
        lambda: sym.load(f"{checkpoint}-symbol.json"),
        lambda: opforge.gluon.SymbolBlock.imports(
            f"{checkpoint}-symbol.json", ["x"], f"{checkpoint}-0001.params"
        ),
    ):
        with pytest.raises(OperatorNotFoundError, match=needs):
            load()
    assert read == []


@pytest.mark.plugins
def test_another_major_version_warns_at_the_callers_line(checkpoint, monkeypatch):
    register_operator(Gelu, "acme-gelu", "2.0", "plugin")
    with pytest.warns(UserWarning, match=r"version 2\.0 is installed, which may be") as caught:
        sym.load(f"{checkpoint}-symbol.json")
    assert caught[0].filename == __file__
    OPERATORS._table.pop("gelu")
    register_operator(Gelu, "acme-gelu", "1.3", "plugin")
    assert sym.load(f"{checkpoint}-symbol.json").list_arguments() == ["x", "w"]


@pytest.mark.plugins
def test_the_bill_decides_between_providers(checkpoint):
    for provider in ("acme-gelu", "other-gelu"):
        register_operator(Gelu, provider, "1.2.0", "plugin")
    loaded = sym.load(f"{checkpoint}-symbol.json")
    assert loaded.edges[0][0].operation.entry.provider == "acme-gelu"


@pytest.mark.plugins
def test_the_version_that_was_saved_is_loaded_while_it_exists(checkpoint):
    class Gelu2(Gelu):
        """Bend the data differently."""

        version = 2

    def loaded():
        return sym.load(f"{checkpoint}-symbol.json").edges[0][0].operation.entry.operator_version

    register_operator(Gelu2, "acme-gelu", "1.3", "plugin")
    assert loaded() == 2  # the first is removed
    register_operator(Gelu, "acme-gelu", "1.3", "plugin")
    assert loaded() == 1


@pytest.mark.plugins
def test_a_damaged_bill_names_the_file(tmp_path):
    graph = json.loads(sym.exp(sym.var("x")).tojson())
    graph["attrs"]["opforge_operators"] = 3
    file = tmp_path / "net.json"
    file.write_text(json.dumps(graph))
    with pytest.raises(SymbolFileError, match=r"net\.json: 'opforge_operators' of the graph"):
        sym.load(file)
