"""Tests of the names that plugins may import."""

import subprocess
import sys

import pytest

import opforge.plugin_api


def test_has_the_protocol():
    for name in ("Attribute", "CustomOp", "CustomOpProp", "OperatorProp", "Shape", "hookimpl"):
        assert hasattr(opforge.plugin_api, name)


def test_unknown_names():
    with pytest.raises(AttributeError, match="no_such_thing"):
        _ = opforge.plugin_api.no_such_thing


def test_layers_and_kernels_are_lazy():
    code = (
        "import sys, opforge.plugin_api\n"
        "early = {'opforge.gluon', 'opforge.native.calls', 'opforge.ndarray'} & set(sys.modules)\n"
        "assert not early, early\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_engine_runs_tasks_of_plugins():
    engine, out = opforge.plugin_api.engine, []
    written = engine.Var()
    engine.push(lambda: out.append("done"), write=[written])
    written.wait_to_read()
    assert out == ["done"]
