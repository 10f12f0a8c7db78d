import json
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from opforge_tools.reference.badges import Badge
from opforge_tools.reference.catalogue import build_catalogue, cards_of
from opforge_tools.reference.wheels import Package, installed_packages, wheel_packages

from opforge.base.errors import OpforgeError
from opforge.op.registry.kinds import KINDS
from opforge.plugin import Provider

DISTRIBUTIONS = Path(__file__).resolve().parents[4] / "tests" / "fixtures" / "distributions"


class Page(HTMLParser):
    """The elements of a page, with their attributes and all text inside them."""

    def __init__(self, text):
        super().__init__()
        self.elements, self._open = [], []
        self.feed(text)
        assert not self._open, "every element is closed"

    def handle_starttag(self, tag, attributes):
        self.elements.append([tag, dict(attributes), ""])
        if tag not in ("meta", "link", "input", "br"):
            self._open.append(self.elements[-1])

    def handle_endtag(self, tag):
        assert self._open.pop()[0] == tag

    def handle_data(self, text):
        for element in self._open:
            element[2] += text

    def all(self, tag):
        return [element for element in self.elements if element[0] == tag]


@pytest.fixture
def build(make_wheel, tmp_path):
    """Return a function that builds the catalogue of one wheel and returns its page."""
    pytest.importorskip("jinja2", reason="the catalogue needs Jinja2: opforge[catalogue]")

    def make(badges=None, **options):
        with wheel_packages(make_wheel(**options)) as packages:
            build_catalogue(tmp_path / "out", packages, badges)
        return Page((tmp_path / "out" / "index.html").read_text())

    return make


def test_the_page_has_an_entry_and_an_article_for_each(build, tmp_path):
    page = build()
    entries = page.all("li")
    assert [entry[1]["data-search"].split()[:2] for entry in entries] == [
        ["gelu", "acme-gelu"],
        ["gelulayer", "acme-gelu"],
    ]
    operator, layer = page.all("article")
    assert operator[1]["id"] == "operator/acme-gelu/gelu"
    hrefs = [link[1]["href"] for link in page.all("a")]
    assert {f"#{operator[1]['id']}", f"#{layer[1]['id']}"} <= set(hrefs)
    for part in (
        "Bend the data smoothly.",
        "nd.gelu(data: NDArray, slope: float = 0.5,",
        "pip install acme-gelu",
        "0 <= slope <= 1",
        "How <b>steep</b>.",
        ">>> nd.gelu(x)",
        ">=3.11",
        ">=0.1,<2",
        "Gelu & friends",
    ):
        assert part in operator[2], part
    assert "gluon.nn.GeluLayer(slope: float=0.5, **kwargs: Any)" in layer[2]
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "index.html",
        "index.json",
        "catalogue.js",
        "close_names.js",
        "catalogue.css",
    }


def test_the_index_lists_providers(build, tmp_path):
    build()
    index = json.loads((tmp_path / "out" / "index.json").read_text())
    row = {"distribution": "acme-gelu", "version": "1.2.0"}
    have = {key: value for key, value in index.items() if value}
    assert have == {"format": 1, "operators": {"gelu": [row]}, "layers": {"GeluLayer": [row]}}
    assert index["optimizers"] == {}


def test_namespaced_operators_are_listed_by_public_name(build, tmp_path):
    points = (
        "[opforge]\ngelu = acme_gelu\n[opforge.ops]\n"
        "_contrib_gelu = acme_gelu:Gelu\n_backward_gelu = acme_gelu:Gelu\n"
    )
    page = build(points=points)
    (entry,), (article,) = page.all("li"), page.all("article")
    assert entry[1]["data-name"] == "contrib.gelu"
    assert article[1]["id"] == "operator/acme-gelu/contrib.gelu"
    assert "nd.contrib.gelu(data: NDArray" in article[2]
    # Errors about missing operators look for the registered name.
    index = json.loads((tmp_path / "out" / "index.json").read_text())
    assert list(index["operators"]) == ["_contrib_gelu"]


def test_other_kinds_have_cards(tmp_path):
    pytest.importorskip("jinja2", reason="the catalogue needs Jinja2: opforge[catalogue]")
    folders = (str(DISTRIBUTIONS / "fx_kinds"),)
    provided = {"kvstore": {"fx_store": "fx_kinds:FxStore"}, "model": {"fx_net": "fx_kinds:fx_net"}}
    provides = {**{noun: {} for noun in KINDS}, **provided}
    package = Package(Provider("fx-kinds", "1.0", {}, provides), folders=folders)
    store, net = sorted(build_catalogue(tmp_path, [package]), key=lambda card: card.kind)
    assert (store.text, store.signature) == (
        "A store that doubles what it sums, to be seen.",
        "kvstore.create('fx_store')",
    )
    assert (net.problem, net.summary) == ("", "Return a network of no layers.")
    index = json.loads((tmp_path / "index.json").read_text())
    assert index["kvstores"]["fx_store"][0]["distribution"] == "fx-kinds"


def test_badges(build):
    badge = Badge((("gradients", "failed", "off by <i>1</i>"), ("forward", "passed", "")))
    page = build({("acme-gelu", "operator", "gelu"): badge})
    operator, layer = page.all("article")
    assert "1 failed, 1 passed" in operator[2]
    assert "off by <i>1</i>" in operator[2]
    assert "Conformance" not in layer[2]


def test_hostile_metadata_stay_text(build):
    evil = '<script>alert("x")</script>'
    points = f"[opforge.ops]\n{evil}\"' onload=x = acme_gelu:Gelu\n"
    module = f'class Gelu:\n    """{evil}"""\n    arguments = ("{evil[:8]}",)\n'
    metadata = f"Name: acme-gelu\nVersion: 1 {evil}\nSummary: {evil}\nRequires-Python: {evil}\n"
    page = build(points=points, module=module, metadata=metadata, version="1")
    assert len(page.all("script")) == 2
    assert not [e for e in page.elements if any(key.startswith("on") for key in e[1])]
    assert evil in page.all("article")[0][2]
    assert "script-src 'self'" in page.all("meta")[1][1]["content"]


def test_the_page_loads_nothing_from_elsewhere(build):
    page = build()
    for tag, attributes, _ in page.elements:
        if tag in ("script", "link"):
            assert ":" not in attributes.get("src", attributes.get("href"))


def test_unreadable_modules_are_reported(build):
    page = build(module="class Gelu(:\n")
    assert "could not be read: SyntaxError" in page.all("article")[0][2]
    page = build(**{"../x.py": ""})
    assert "would be written outside" in page.all("section")[0][2]


@pytest.mark.plugins
def test_the_installed_set_includes_the_primitive_operators():
    cards = {(card.kind, card.name): card for card in cards_of(installed_packages())}
    assert cards["operator", "exp"].package.provider.name == "opforge"
    assert cards["operator", "softmax"].attributes[0][:3] == ("axis", "int", "-1")
    assert cards["layer", "Dense"].signature.startswith("gluon.nn.Dense(")
    assert not [name for _, name in cards if name.startswith("_")]


def test_without_jinja2_the_error_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(OpforgeError, match=r"pip install 'opforge\[catalogue\]'"):
        build_catalogue(tmp_path, [])


def test_words_between_backticks_are_code_and_nothing_else_is_markup(build):
    page = build(module='class Gelu:\n    """Bend `<i>x</i>` and ``y`` <b>."""\n')
    (text,) = (e for e in page.all("p") if e[1].get("class") == "text" and "Bend" in e[2])
    assert text[2] == "Bend <i>x</i> and y <b>."
    assert {"<i>x</i>", "y"} <= {element[2] for element in page.all("code")}
    assert not page.all("i")


def test_a_layer_has_a_table_of_its_parameters(build):
    doc = "Bend.\n\n    Parameters\n    ----------\n    slope : float\n        How `steep`.\n    "
    page = build(module=f'class GeluLayer:\n    """{doc}"""\n')
    (table,) = (e for e in page.all("table") if e[1].get("class") == "parameters")
    assert "slopefloatHow steep." in table[2]


def test_packages_are_listed_with_their_contents(build):
    (table,) = (e for e in build().all("table") if e[1].get("class") == "packages")
    assert "acme-gelu1.2.02" in table[2]
