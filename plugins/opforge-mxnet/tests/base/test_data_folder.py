"""The folder of downloads under MXNet's names."""

import os

from opforge import base


def test_the_environment_decides(monkeypatch):
    monkeypatch.setenv("MXNET_HOME", "~/there")
    assert base.data_dir() == os.path.expanduser("~/there")
    monkeypatch.setenv("OPFORGE_HOME", "/here")
    assert base.data_dir() == "/here"
    assert base.data_dir_default() == os.path.expanduser("~/.opforge")
