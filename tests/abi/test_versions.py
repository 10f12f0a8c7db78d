"""Which libraries are taken, which are refused, and in what words."""

import ctypes
import re
from pathlib import Path
from types import ModuleType

import pytest

import opforge
from opforge import autograd, nd
from opforge.base.errors import PluginError
from opforge.native.abi.table import read_library
from opforge.op.abi.library import find_operator
from opforge.testing import check_gradients

from . import tables
from .conftest import load_module
from .declarations import declare_all, registered


def refused(made, text, name=b"opforge_library"):
    with pytest.raises(PluginError, match=text):
        read_library(tables.capsule(made, name), "acme._native")


def test_a_plugin_of_version_1_0_runs_unrebuilt(old_checks):
    functions = find_operator(old_checks, "abi_scale")
    assert functions.version == (1, 0) and not functions.draws_random
    with registered(declare_all(old_checks), "abi-old"):
        x = nd.array([1.0, 2.0], dtype="float64")
        assert nd.abi_scale(x, scale=3).asnumpy().tolist() == [3, 6]
        check_gradients(lambda x: nd.abi_scale(x, scale=3), [[1.0, -2.0]])
        assert nd.abi_scratch(x).asscalar() == 56


def test_a_plugin_of_version_1_1_runs_unrebuilt(former_checks):
    """Its gradients are all made, wanted or not: it writes each of them."""
    assert find_operator(former_checks, "abi_noise").version == (1, 1)
    with registered(declare_all(former_checks), "abi-former"):
        x, y = nd.array([1.0, 2.0], dtype="float64"), nd.array([3.0, 4.0], dtype="float64")
        x.attach_grad()
        with autograd.record():
            z = nd.abi_product(x, y)[0]
        z.backward()
        assert x.grad.asnumpy().tolist() == [3, 4]
        assert nd.abi_noise(x).asnumpy().max() > 0


def test_what_stands_behind_an_older_table_is_not_read():
    """A table of version 1.0 ends before `flags`; what follows it in memory means nothing."""
    old = tables.operator(version=(1, 0), flags=1)
    made = read_library(tables.capsule(tables.library(old, version=(1, 0))), "acme")
    assert not made["ctypes_op"].draws_random
    new = tables.operator(flags=1, complete=tables.ADDRESS, unplan=tables.ADDRESS)
    made = read_library(tables.capsule(tables.library(new)), "acme")["ctypes_op"]
    assert made.draws_random and not made.has_complete
    newest = tables.operator(version=(1, 2), complete=tables.ADDRESS, flags=3)
    made = read_library(tables.capsule(tables.library(newest, version=(1, 2))), "acme")
    assert made["ctypes_op"].has_complete and made["ctypes_op"].draws_random


def test_longer_tables_are_taken():
    """A later patch of the header may have grown a table that says it is of this version."""
    made = tables.operator(size=ctypes.sizeof(tables.Operator) + 8)
    assert list(read_library(tables.capsule(tables.library(made)), "acme")) == ["ctypes_op"]


@pytest.fixture
def newer_header(tmp_path):
    """The folder of a header of a version that does not exist yet."""
    text = Path(opforge.get_include(), "opforge", "abi.h").read_text()
    folder = tmp_path / "opforge"
    folder.mkdir()
    newer = text.replace("#define OPFORGE_ABI_MINOR 2", "#define OPFORGE_ABI_MINOR 9")
    assert newer != text
    (folder / "abi.h").write_text(newer)
    return tmp_path


def test_a_plugin_of_a_newer_version_is_refused_in_a_sentence(build, newer_header):
    module = load_module(build("newer_checks", include=newer_header))
    wanted = (
        "newer_checks was built for version 1.9 of opforge's native interface, opforge "
        f"{opforge.__version__} has 1.2: upgrade opforge (pip install --upgrade opforge), or "
        "rebuild the plugin with OPFORGE_TARGET_MINOR=2"
    )
    with pytest.raises(PluginError, match=f"^{re.escape(wanted)}$"):
        find_operator(module, "abi_scale")
    older = load_module(build("target_checks", "-DOPFORGE_TARGET_MINOR=1", include=newer_header))
    assert find_operator(older, "abi_scale").version == (1, 1)


@pytest.mark.parametrize(("major", "remedy"), [(0, "upgrade the plugin"), (2, "upgrade opforge")])
def test_another_major_version_is_refused(major, remedy):
    wanted = rf"built for version {major}.0 of .*, opforge .* has 1.2: {remedy}, or rebuild it"
    refused(tables.library(tables.operator(), version=(major, 0)), wanted)
    refused(tables.library(tables.operator(version=(major, 0))), wanted)


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (tables.library(tables.operator(), size=3), "its library says that it has 3 bytes"),
        (tables.library(tables.operator(), size=2**31), "says that it has 2147483648 bytes"),
        (tables.library(tables.operator(), count=0), "has 0 operators, expected 1 to 4096"),
        (tables.library(tables.operator(), count=-1), "has -1 operators"),
        (tables.library(tables.operator(), count=2**30), "has 1073741824 operators"),
        (tables.library(None), "operator 0 of its library is NULL"),
        (
            tables.library(tables.operator(size=8)),
            "the table of operator 0 says that it has 8 bytes",
        ),
        (tables.library(tables.operator(name=None)), "operator 0 of its library has no name"),
        (tables.library(tables.operator(name=b"")), "is empty or longer than 255 bytes"),
        (tables.library(tables.operator(name=b"x" * 256)), "is empty or longer than 255 bytes"),
        (tables.library(tables.operator(name=b"\xff\xfe")), "is no UTF-8"),
        (tables.library(tables.operator(forward=None)), "'ctypes_op' has no forward function"),
        (tables.library(tables.operator(flags=6)), "has the flags 0x6, expected OPFORGE_RANDOM"),
        (tables.library(tables.operator(flags=2)), "has the flags 0x2, expected OPFORGE_RANDOM"),
        (tables.library(tables.operator(version=(1, 2), flags=4)), r"OPFORGE_WANTED \(0x2\) or 0"),
        (
            tables.library(tables.operator(version=(1, 2), unplan=tables.ADDRESS)),
            "'ctypes_op' has unplan, but no plan function",
        ),
        (
            tables.library(tables.operator(), tables.operator()),
            "has the operator 'ctypes_op' twice",
        ),
    ],
)
def test_tables_that_cannot_be_right_are_refused(made, text):
    refused(made, f"^acme._native.*{text}")


def test_a_library_without_operators_is_refused():
    made = tables.library(tables.operator())
    made.operators = None
    refused(made, "the operators of its library are NULL")


def test_other_capsules_are_refused():
    made = tables.library(tables.operator())
    refused(made, "its capsule has the name b'numpy', expected 'opforge_library'", b"numpy")
    refused(made, "its capsule has no name", None)
    with pytest.raises(PluginError, match="opforge_library is 3, expected a PyCapsule"):
        read_library(3, "acme")


def test_modules_without_a_capsule_or_the_operator_are_refused():
    module = ModuleType("acme_native")
    with pytest.raises(PluginError, match="acme_native has no attribute opforge_library"):
        find_operator(module, "ctypes_op")
    module.opforge_library = tables.capsule(tables.library(tables.operator()))
    assert find_operator(module, "ctypes_op").name == "ctypes_op"
    with pytest.raises(
        PluginError, match="has no operator 'other' in its library; it has ctypes_op"
    ):
        find_operator(module, "other")
