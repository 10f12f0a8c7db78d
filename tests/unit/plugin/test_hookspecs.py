"""Tests of the hook specifications."""

import inspect

from opforge.plugin import hookspecs
from opforge.plugin_api import hookimpl


def test_every_hook_is_documented():
    for name in ("opforge_operators", "opforge_layers"):
        hook = getattr(hookspecs, name)
        assert hook.opforge_spec is not None
        assert inspect.getdoc(hook).startswith("Return")


def test_marker_marks():
    def opforge_operators():
        return []

    assert hookimpl(opforge_operators).opforge_impl is not None
