"""`gluon.contrib` has no modules of its own: plugins provide them."""

import importlib
import os
import subprocess
import sys

import pytest

import opforge
from opforge.gluon import contrib


@pytest.mark.plugins
@pytest.mark.parametrize(
    ("name", "real"),
    [
        ("cnn", "opforge_mxnet.gluon.contrib.cnn"),
        ("estimator", "opforge_estimator.estimator"),
        ("nn", "opforge_mxnet.gluon.contrib.nn"),
        ("rnn", "opforge_mxnet.gluon.contrib.rnn"),
    ],
)
def test_modules_are_those_of_plugins(name, real):
    module = importlib.import_module(f"opforge.gluon.contrib.{name}")
    assert module is getattr(contrib, name) is sys.modules[real]
    opforge.mxnet.install(force=True)
    try:
        assert importlib.import_module(f"mxnet.gluon.contrib.{name}") is module
    finally:
        opforge.mxnet.uninstall()


@pytest.mark.plugins
def test_modules_below_them_are_not_copied():
    events = importlib.import_module("opforge.gluon.contrib.estimator.event_handler")
    assert events is contrib.estimator.event_handler


def test_an_import_without_the_plugin_names_it():
    done = subprocess.run(
        [sys.executable, "-c", "from opforge.gluon.contrib.estimator import Estimator"],
        capture_output=True,
        text=True,
        env={**os.environ, "OPFORGE_PLUGINS": "none"},
        check=False,
    )
    assert done.returncode == 1
    assert "ImportError: opforge.gluon.contrib.estimator cannot be imported" in done.stderr
    assert "opforge-estimator" in done.stderr
