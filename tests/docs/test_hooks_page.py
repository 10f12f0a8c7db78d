"""The page of hooks matches the docstrings of all hooks."""

import importlib.util
import inspect
import re
from pathlib import Path

import pytest

from opforge.plugin import hookspecs
from opforge.plugin.discovery import COMMANDS, GROUPS, PLUGIN_GROUP

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("hooks_page", ROOT / "scripts" / "hooks_page.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_up_to_date(script):
    assert script.PAGE.read_text(encoding="utf-8") == script.page(), "run scripts/hooks_page.py"


def test_the_page_has_every_hook_with_its_arguments_and_meaning(script):
    """Parse the page, so that errors of the script are detected."""
    page = script.PAGE.read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(opforge_\w+)` \| (.+?) \| (.+?) \|$", page, re.MULTILINE)
    wanted = []
    for name in hookspecs.__all__:
        hook = getattr(hookspecs, name)
        if name not in ("hookimpl", "hookspec"):
            arguments = ", ".join(f"`{word}`" for word in inspect.signature(hook).parameters)
            wanted.append((name, arguments or "none", inspect.getdoc(hook).splitlines()[0]))
    assert sorted(listed) == sorted(wanted) != []
    for group in (PLUGIN_GROUP, COMMANDS, *GROUPS.values()):
        assert f"| entry point group `{group}` |" in page


def test_arguments_are_named(script):
    def opforge_something(prop_class, version=1):
        """Do it."""

    assert script.row("opforge_something", opforge_something) == (
        "`opforge_something`",
        "`prop_class`, `version`",
        "Do it.",
    )
