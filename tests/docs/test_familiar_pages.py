"""The pages for users of PyTorch and Keras list all names that opforge finds."""

import importlib.util
import re
from pathlib import Path

import pytest

from opforge.base.familiar_names import familiar_names

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def script():
    path = ROOT / "scripts" / "familiar_pages.py"
    spec = importlib.util.spec_from_file_location("familiar_pages", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("framework", ["PyTorch", "Keras"])
def test_the_page_is_up_to_date(script, framework):
    text = script.PAGES[framework].read_text(encoding="utf-8")
    assert text == script.page(framework), "run scripts/familiar_pages.py"
    listed = re.findall(
        r"^\| `([\w.]+)` \| .+ \|$", text.partition("## All names")[2], re.MULTILINE
    )
    assert listed == [name for own, name, _ in familiar_names() if own == framework]


@pytest.mark.parametrize(
    ("remedy", "shown"),
    [
        ("nd.concat(x, y, dim=axis)", "`nd.concat(x, y, dim=axis)`"),
        ("x @ y, or nd.dot(x, y)", "`x @ y`, or `nd.dot(x, y)`"),
        (
            "not needed: a block trains in autograd.record()",
            "not needed: a block trains in `autograd.record()`",
        ),
        (
            "mx.init, as in net.initialize(mx.init.Xavier())",
            "`mx.init`, as in `net.initialize(mx.init.Xavier())`",
        ),
        ("a subclass with __call__(self, n)", "a subclass with `__call__(self, n)`"),
    ],
)
def test_code_in_a_remedy_is_marked(script, remedy, shown):
    assert script._code(remedy) == shown
