"""Libraries that are accepted, and the errors for those that are rejected."""

import ctypes
import re
import shutil
from pathlib import Path
from types import ModuleType

import pytest

import opforge
from opforge.base.errors import PluginError
from opforge.native.abi.table import CPU, read_library
from opforge.op.abi.library import find_operators

from . import tables
from .conftest import load_module
from .declarations import declare


def rejected(made, text, name=b"opforge_library"):
    with pytest.raises(PluginError, match=text):
        read_library(tables.capsule(made, name), "acme._native")


def test_a_plugin_of_this_version_is_accepted(checks):
    assert find_operators(checks, "abi_scale")[CPU].version == (2, 1)


def test_longer_tables_are_accepted():
    """A later patch release of the header may extend a table of this version."""
    made = tables.operator(size=ctypes.sizeof(tables.Operator) + 8)
    assert list(read_library(tables.capsule(tables.library(made)), "acme")) == [("ctypes_op", CPU)]


@pytest.fixture
def header_of(tmp_path):
    """Return a function that writes the header of another version and returns its folder."""

    def write(major, minor):
        text = Path(opforge.get_include(), "opforge", "abi.h").read_text()
        for name, value in (("MAJOR", major), ("MINOR", minor)):
            text, count = re.subn(
                rf"#define OPFORGE_ABI_{name} \d+", f"#define OPFORGE_ABI_{name} {value}", text
            )
            assert count == 1
        folder = tmp_path / "opforge"
        folder.mkdir()
        (folder / "abi.h").write_text(text)
        shutil.copy(Path(opforge.get_include(), "opforge", "module.h"), folder)
        return tmp_path

    return write


def test_a_plugin_of_a_newer_version_is_rejected_with_the_remedy(build, header_of):
    header = header_of(2, 9)
    module = load_module(build("newer_checks", include=header))
    wanted = (
        "newer_checks was built for version 2.9 of opforge's native interface, expected 2.1, the "
        f"version of opforge {opforge.__version__}: upgrade opforge (pip install --upgrade "
        "opforge), or rebuild the plugin with OPFORGE_TARGET_MINOR=1"
    )
    with pytest.raises(PluginError, match=f"^{re.escape(wanted)}$"):
        find_operators(module, "abi_scale")
    older = load_module(build("target_checks", "-DOPFORGE_TARGET_MINOR=0", include=header))
    assert find_operators(older, "abi_scale")[CPU].version == (2, 0)


def test_a_binary_for_version_1_is_rejected_in_one_sentence(build, header_of):
    module = load_module(build("abi_1_checks", include=header_of(1, 2)))
    wanted = (
        "abi_1_checks was built for version 1.2 of opforge's native interface, expected 2.1, the "
        f"version of opforge {opforge.__version__}: upgrade the plugin, or rebuild it against this "
        "opforge"
    )
    with pytest.raises(PluginError, match=f"^{re.escape(wanted)}$"):
        find_operators(module, "abi_scale")
    with pytest.raises(PluginError, match=f"^{re.escape(wanted)}$"):
        declare(module, "scale")


@pytest.mark.parametrize(
    ("major", "remedy"),
    [
        (0, "upgrade the plugin, or rebuild it against this opforge"),
        (3, "upgrade opforge, or rebuild the plugin against this opforge"),
    ],
)
def test_another_major_version_is_rejected(major, remedy):
    wanted = rf"built for version {major}.0 of .*, expected 2.1, .*: {remedy}$"
    rejected(tables.library(tables.operator(), version=(major, 0)), wanted)
    rejected(tables.library(tables.operator(version=(major, 0))), wanted)


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (tables.library(tables.operator(), size=3), "its library has a struct_size of 3 bytes"),
        (tables.library(tables.operator(), size=2**31), "has a struct_size of 2147483648 bytes"),
        (tables.library(tables.operator(), count=0), "declares 0 operators, expected 1 to 4096"),
        (tables.library(tables.operator(), count=-1), "declares -1 operators"),
        (tables.library(tables.operator(), count=2**30), "declares 1073741824 operators"),
        (tables.library(None), "operator 0 of its library is NULL"),
        (
            tables.library(tables.operator(size=8)),
            "the table of operator 0 has a struct_size of 8 bytes",
        ),
        (tables.library(tables.operator(name=None)), "operator 0 of its library has no name"),
        (tables.library(tables.operator(name=b"")), "is empty or longer than 255 bytes"),
        (tables.library(tables.operator(name=b"x" * 256)), "is empty or longer than 255 bytes"),
        (tables.library(tables.operator(name=b"\xff\xfe")), "is not valid UTF-8"),
        (tables.library(tables.operator(forward=None)), "'ctypes_op' has no forward function"),
        (tables.library(tables.operator(flags=6)), "has the flags 0x6, expected OPFORGE_RANDOM"),
        (tables.library(tables.operator(flags=4)), r"OPFORGE_WANTED \(0x2\) or 0"),
        (
            tables.library(tables.operator(size=ctypes.sizeof(tables.Operator) - 8)),
            "the table of operator 0 has a struct_size of",
        ),
        (
            tables.library(tables.operator(unplan=tables.ADDRESS)),
            "'ctypes_op' has an unplan but no plan function",
        ),
        (
            tables.library(tables.operator(), tables.operator(device_type=CPU)),
            "has the operator 'ctypes_op' twice for the device type 1",
        ),
        (
            tables.library(tables.operator(device_type=-1)),
            "'ctypes_op' has the device_type -1, expected a type of DLPack's",
        ),
    ],
)
def test_invalid_tables_are_rejected(made, text):
    rejected(made, f"^acme._native.*{text}")


def test_a_library_without_operators_is_rejected():
    made = tables.library(tables.operator())
    made.operators = None
    rejected(made, "the operators of its library are NULL")


def test_other_capsules_are_rejected():
    made = tables.library(tables.operator())
    rejected(made, "its capsule has the name b'numpy', expected 'opforge_library'", b"numpy")
    rejected(made, "its capsule has no name", None)
    with pytest.raises(PluginError, match="opforge_library is 3, expected a PyCapsule"):
        read_library(3, "acme")


def test_modules_without_the_capsule_or_operator_are_rejected():
    module = ModuleType("acme_native")
    with pytest.raises(PluginError, match="acme_native has no attribute opforge_library"):
        find_operators(module, "ctypes_op")
    module.opforge_library = tables.capsule(tables.library(tables.operator()))
    assert find_operators(module, "ctypes_op")[CPU].name == "ctypes_op"
    with pytest.raises(
        PluginError, match="has no operator 'other' in its library; it has ctypes_op"
    ):
        find_operators(module, "other")
