"""MXNet's module about the files of the installation."""

import os

import pytest

from opforge import libinfo


def test_the_headers_are_there():
    assert os.path.exists(os.path.join(libinfo.find_include_path(), "opforge", "abi.h"))


def test_find_lib_path_raises():
    with pytest.raises(RuntimeError, match=r"Cannot find libmxnet.*get_include"):
        libinfo.find_lib_path()
