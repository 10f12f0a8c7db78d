"""The catalogue's failed search tells similar names: its script, run by Node."""

import json
import shutil
import subprocess
from importlib import resources

import pytest

SITE = resources.files("opforge_tools.reference") / "site"
NAMES = ["softmax", "softmin", "log_softmax", "contrib.box_nms", "BatchNorm", "tile"]


@pytest.fixture
def close_names():
    """Return a function: the names that the script finds close to what was typed."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node, which runs the page's script, is not installed")
    script = (SITE / "close_names.js").read_text(encoding="utf-8")

    def run(*typed):
        call = f"{json.dumps(typed)}.map((text) => closeNames(text, {json.dumps(NAMES)}))"
        program = f"{script}\nprocess.stdout.write(JSON.stringify({call}))"
        done = subprocess.run([node, "-e", program], capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    return run


def test_letters_that_are_missing_other_or_swapped(close_names):
    found = close_names("sotfmax", "BOX_NM", "batchnrm", "softmax", "xyzzy", "")
    assert found[0] == ["softmax"]
    assert found[1:] == [["contrib.box_nms"], ["BatchNorm"], ["softmax", "softmin"], [], []]


def test_the_page_shows_them():
    page = (SITE / "catalogue.html").read_text(encoding="utf-8")
    assert page.index("close_names.js") < page.index("catalogue.js")
    assert 'id="close"' in page
    assert "closeNames(" in (SITE / "catalogue.js").read_text(encoding="utf-8")
