"""C plugins, built once per session for the tests of the native interface."""

import importlib.util
import subprocess
import sys
import sysconfig
from contextlib import suppress
from importlib.machinery import ExtensionFileLoader
from pathlib import Path

import pytest

import opforge
from opforge.base.context import Context
from opforge.op.abi.devices import forget_devices
from opforge.op.registry import registry
from opforge.op.registry.entry import Entry
from opforge.op.registry.table import TABLES
from opforge.plugin_api import native

from .declarations import Undo

PLUGINS = Path(__file__).with_name("plugins")


def compile_module(compiler, folder, name, source="checks.c", options=(), include=None):
    """Return the extension module `name`, built from a source next to this file."""
    target = folder / f"{name}{sysconfig.get_config_var('EXT_SUFFIX')}"
    subprocess.run(
        [*compiler, "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"]
        + [f"-DMODULE={name}", *options, f"-I{include or opforge.get_include()}"]
        + [f"-I{sysconfig.get_path('include')}", "-o", str(target), str(PLUGINS / source)],
        check=True,
    )
    return target


def load_module(path):
    """Load an extension module from its file."""
    name = path.name.partition(".")[0]
    spec = importlib.util.spec_from_file_location(
        name, path, loader=ExtensionFileLoader(name, str(path))
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules[name] = module
    return module


@pytest.fixture(scope="session")
def build(c_compiler, tmp_path_factory):
    """Return a function that builds a variant of the test plugin and returns its file."""
    folder = tmp_path_factory.mktemp("abi")

    def make(name, *options, include=None, source="checks.c"):
        return compile_module(c_compiler, folder, name, source, options, include)

    return make


@pytest.fixture(scope="session")
def checks(build):
    """Return the test plugin, built for this version of the interface."""
    return load_module(build("checks"))


@pytest.fixture(scope="session")
def heavy(build):
    """Return a plugin with expensive operators."""
    return load_module(build("heavy", source="heavy.c"))


@pytest.fixture(scope="session")
def pretend_module(build):
    """Return the extension module of the pretended device."""
    return load_module(build("pretend", source="pretend.c"))


@pytest.fixture
def pretend(pretend_module, monkeypatch):
    """Return a function that makes a context of the pretended device, which a plugin provides."""
    monkeypatch.setattr(Context, "devtype2str", {**Context.devtype2str})
    monkeypatch.setattr(Context, "devstr2type", {**Context.devstr2type})
    body = {
        "name": "pretend",
        "memory": pretend_module,
        "kernels": {"opforge": pretend_module.core, "opforge-sigmoid": pretend_module.sigmoid},
    }
    device = type("Pretend", (native.Device,), body)
    with suppress(Undo), registry.transaction():
        TABLES["device"].add(Entry("pretend", device, "opforge-pretend", "1.0", "plugin"))
        yield lambda device_id=0: Context("pretend", device_id)
        forget_devices()
        raise Undo


@pytest.fixture(scope="session")
def devices(build):
    """Return a plugin with operators for several types of devices."""
    return load_module(build("devices", source="devices.c"))
