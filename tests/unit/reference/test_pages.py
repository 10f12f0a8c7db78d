import re

import pytest

from opforge.op.declaring.attribute import Attribute
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.registry.entry import Entry
from opforge.reference import pages
from opforge.reference.declarations import Layer, Operator
from opforge.reference.pages import MARK, page_texts


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
        (page,) = texts.values()
        return page

    return make


def test_a_page_says_all_that_the_declaration_says(one):
    page = one(Scale)
    assert page.startswith(f"{MARK}\n# scale\n\nMultiply by `factor`.\n\nTwice | thrice.\n")
    for part in (
        "nd.scale(data: NDArray = ..., factor: float = 2.0, axis: int = ...,",
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


def test_what_could_not_be_read_is_said(one):
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
    assert list(pages.page_texts())[1] == "acme-scale/operators/..-..-hostile.md"


@pytest.mark.plugins
def test_names_that_differ_in_case_have_files_that_differ_otherwise():
    texts = page_texts(["opforge-softmax"])
    assert "# softmax\n" in texts["opforge-softmax/operators/softmax.md"]
    assert "# Softmax\n" in texts["opforge-softmax/operators/Softmax-2.md"]
    assert len({name.lower() for name in texts}) == len(texts)
    assert "opforge-softmax/operators/Softmax-2\n" in texts["index.md"]


@pytest.mark.plugins
def test_layers(monkeypatch):
    texts = page_texts(["opforge-dense"])
    page = texts["opforge-dense/layers/Dense.md"]
    assert "gluon.nn.Dense(units: int, activation: str | None=None," in page
    assert "| `units` | `int` | Size of the output. |" in page
    assert "```pycon\n>>> from opforge import gluon, nd" in page
    monkeypatch.setattr(pages, "installed_layers", lambda _: [Layer("L", "p", "1", problem="torn")])
    assert "could not be read: torn" in page_texts(["p"])["p/layers/L.md"]


@pytest.mark.plugins
def test_every_listed_operator_has_its_page():
    texts = page_texts()
    titles = {text.splitlines()[1].removeprefix("# ") for text in texts.values()}
    assert {"softmax", "dense", "Dense", "topk", "broadcast\\_add"} <= titles
    listed = re.findall(r"^[\w.-]+/(?:operators|layers)/.*$", texts["index.md"], re.MULTILINE)
    assert {f"{name}.md" for name in listed} == set(texts) - {"index.md"}
