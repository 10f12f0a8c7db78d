import re

import pytest
from opforge_tools.reference import pages
from opforge_tools.reference.pages import MARK, page_texts

from opforge.cli.reference.declarations import Layer, Operator
from opforge.op.declaring.attribute import Attribute
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.registry.entry import Entry


class Scale(OperatorProp):
    """Multiply by `factor`.

    Twice | thrice.

    Parameters
    ----------
    wrong : int

    Examples
    --------
    >>> nd.scale(x)
    ```

    Notes
    -----
    Well known.
    """

    name = "scale"
    arguments = ("data",)
    argument_docs = {"data": "any shape"}
    factor = Attribute(float, default=2.0, gt=0, doc="What with | by.")
    axis = Attribute(int)


@pytest.fixture
def one(monkeypatch):
    """Return a function that makes the page of one operator."""

    def make(prop_class, problem="", name="scale"):
        operator = Operator(Entry(name, prop_class, "acme-scale", "1.2", "plugin"), 1, problem)
        monkeypatch.setattr(pages, "installed_operators", lambda _: [operator])
        monkeypatch.setattr(pages, "installed_layers", lambda _: [])
        texts = page_texts()
        assert texts.pop("index.md")
        (page,) = (text for path, text in texts.items() if path.startswith("acme-scale/"))
        return page

    return make


def test_a_page_says_all_that_the_declaration_says(one):
    page = one(Scale)
    assert page.startswith(f"{MARK}\n# scale\n\nMultiply by `factor`.\n\nTwice | thrice.\n")
    for part in (
        "nd.scale(data: NDArray,\n    factor: float = 2.0,\n    axis: int,\n",
        "| `data` | any shape |",
        "| `factor` | `float` | `2.0` | `factor > 0` | What with \\| by. |",
        "| `axis` | `int` | `required` |  |  |",
        "| `output` |",
        "## Examples\n\n````pycon\n>>> nd.scale(x)\n```\n````\n",
        "## Notes\n\nWell known.",
        "Version 1 of the operator, provided by acme-scale 1.2.",
    ):
        assert part in page
    assert "wrong" not in page


def test_formulas_of_docstrings_are_formulas(one):
    class Root(OperatorProp):
        r"""The root.

        .. math:: y = \sqrt{x}

        Twice.

        .. math::

            y^2
            = x

        .. math:: :label: taken
        """

        name = "root"

    page = one(Root)
    assert "The root.\n\n```{math}\n\ny = \\sqrt{x}\n```\n\nTwice.\n\n" in page
    assert "```{math}\n\ny^2\n= x\n```\n" in page
    assert "```{math}\n\n:label: taken\n```\n" in page, "what begins a block may be an option"


def test_operators_of_namespaces_have_the_names_that_programs_call(one):
    page = one(Scale, name="_contrib_scale")
    assert "# contrib.scale\n" in page and "nd.contrib.scale(data: NDArray" in page


@pytest.mark.plugins
def test_groups_have_operators_by_category_and_layers_by_plugin():
    texts = page_texts()
    categories = re.findall(r"^categories/(.+)$", texts["index.md"], re.MULTILINE)
    packages = re.findall(r"^## (.+)$", texts["layers.md"], re.MULTILINE)
    assert categories[:2] == ["activation", "elementwise"]
    named = [name for name in categories if name != "other"]  # of operators of other tests
    assert named == sorted(named)
    assert packages == sorted(packages) and len(packages) > 1
    assert "../opforge-convolution/operators/Convolution\n" in texts["categories/linear.md"]
    assert "../opforge-detection/operators/contrib.box_nms\n" in texts["categories/vision.md"]
    assert "\nlayers\n" in texts["index.md"]
    assert "opforge-dense/layers/Dense\n" in texts["layers.md"]


def test_operators_without_a_category_are_listed_last(monkeypatch):
    class Shaped(Scale):
        """Reshape."""

        category = "shape"

    found = [
        Operator(Entry(name, prop_class, "acme-scale", "1", "plugin"), 1)
        for name, prop_class in (("scale", Scale), ("shaped", Shaped))
    ]
    monkeypatch.setattr(pages, "installed_operators", lambda _: found)
    monkeypatch.setattr(pages, "installed_layers", lambda _: [Layer("L", "acme-scale", "1")])
    listed = re.findall("^(?:categories/.+|layers)$", page_texts()["index.md"], re.MULTILINE)
    assert listed == ["categories/shape", "categories/other", "layers"]


def test_unreadable_classes_are_reported(one):
    assert "could not be read: no class Scale in x.py" in one(Scale, "no class Scale in x.py")


def test_a_declaration_cannot_change_the_page_around_it(one):
    class Hostile(OperatorProp):
        """<script>alert(1)</script> [link](javascript:alert(1)) ```{include} /etc/passwd

        ```{include} /etc/passwd
        ```

        :::{danger}

        # Heading
        """

        name = "hostile"
        argument_docs = {"data": "a\n| b | <b>"}
        k = Attribute(str, default="`|<img>", doc="</table>")

    page = one(Hostile, name="../../hostile")
    outside = re.sub(r"`+[^`]+`+", "", page.partition("\n")[2])
    assert "<" not in outside
    assert not re.search(r"(?<!\\)\]\(", page)
    assert not re.search(r"^(```\{|:::|# Heading)", page, re.MULTILINE)
    assert "acme-scale/operators/..-..-hostile.md" in pages.page_texts()


@pytest.mark.plugins
def test_names_that_differ_in_case_have_files_that_differ_otherwise():
    texts = page_texts(["opforge-softmax"])
    assert "# softmax\n" in texts["opforge-softmax/operators/softmax.md"]
    assert "# Softmax\n" in texts["opforge-softmax/operators/Softmax-2.md"]
    assert len({name.lower() for name in texts}) == len(texts)
    listed = "".join(text for path, text in texts.items() if path.startswith("categories/"))
    assert "opforge-softmax/operators/Softmax-2\n" in listed


@pytest.mark.plugins
def test_layers(monkeypatch):
    texts = page_texts(["opforge-dense"])
    page = texts["opforge-dense/layers/Dense.md"]
    assert "gluon.nn.Dense(units: int,\n    activation: str | None=None,\n" in page
    assert "| `units` | `int` | Size of the output. |" in page
    assert "```pycon\n>>> from opforge import gluon, nd" in page
    monkeypatch.setattr(pages, "installed_layers", lambda _: [Layer("L", "p", "1", problem="torn")])
    assert "could not be read: torn" in page_texts(["p"])["p/layers/L.md"]


@pytest.mark.plugins
def test_every_listed_operator_has_its_page():
    texts = page_texts()
    titles = {text.splitlines()[1].removeprefix("# ") for text in texts.values()}
    assert {"softmax", "dense", "Dense", "topk", "broadcast\\_add"} <= titles
    groups = [path for path in texts if path.startswith("categories/") or path == "layers.md"]
    text = "\n".join(texts[path] for path in groups)
    listed = re.findall(r"^(?:\.\./)?([\w-]+/(?:operators|layers)/.+)$", text, re.MULTILINE)
    assert sorted([*(f"{name}.md" for name in listed), *groups, "index.md"]) == sorted(texts)
