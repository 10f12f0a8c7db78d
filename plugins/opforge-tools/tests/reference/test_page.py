import sys

import pytest
from opforge_tools.reference.catalogue import Card
from opforge_tools.reference.page import page_text
from opforge_tools.reference.wheels import Package

from opforge.base.errors import OpforgeError
from opforge.plugin import Provider


def test_packages_that_could_not_be_read_are_problems_and_not_rows():
    pytest.importorskip("jinja2", reason="the catalogue needs Jinja2: opforge[catalogue]")
    good = Package(Provider("acme", "1.0"))
    bad = Package(Provider("acme-bad", "1.0"), problem="it is <b>no</b> wheel")
    card = Card("operator", "gelu", good, signature="nd.gelu(x: NDArray, a: str = ', ') -> NDArray")
    page = page_text([card], [good, bad])
    assert "acme-bad: it is &lt;b&gt;no&lt;/b&gt; wheel" in page
    assert 'href="?q=acme"' in page and 'href="?q=acme-bad"' not in page
    assert (
        "<span>nd.gelu(x: NDArray,</span> <span>a: str = &#39;, &#39;) -&gt; NDArray</span>" in page
    )


def test_formulas_of_docstrings_are_code():
    pytest.importorskip("jinja2", reason="the catalogue needs Jinja2: opforge[catalogue]")
    package = Package(Provider("acme", "1.0"))
    card = Card("operator", "root", package, text="The root.\n\n.. math:: y < 1", signature="f()")
    assert "The root.\n\n<code>y &lt; 1</code></p>" in page_text([card], [package])


def test_without_jinja2_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(OpforgeError, match=r"pip install 'opforge\[catalogue\]'"):
        page_text([], [])
