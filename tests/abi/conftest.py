"""Plugins in C that are built for the tests of the native interface, once a session."""

import importlib.util
import subprocess
import sys
import sysconfig
from importlib.machinery import ExtensionFileLoader
from pathlib import Path

import pytest

import opforge

PLUGINS = Path(__file__).with_name("plugins")


def compile_module(compiler, folder, name, source="checks.c", options=(), include=None):
    """Return the extension module `name`, built from a source beside this file."""
    target = folder / f"{name}{sysconfig.get_config_var('EXT_SUFFIX')}"
    subprocess.run(
        [*compiler, "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"]
        + [f"-DMODULE={name}", *options, f"-I{include or opforge.get_include()}"]
        + [f"-I{sysconfig.get_path('include')}", "-o", str(target), str(PLUGINS / source)],
        check=True,
    )
    return target


def load_module(path):
    """Return an extension module from its file."""
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
    """The test plugin, built for this version of the interface."""
    return load_module(build("checks"))


@pytest.fixture(scope="session")
def heavy(build):
    """A plugin that uses what came with version 1.2."""
    return load_module(build("heavy", source="heavy.c"))


@pytest.fixture(scope="session")
def former_checks(build):
    """The test plugin, built for version 1.1."""
    return load_module(build("former_checks", "-DOPFORGE_TARGET_MINOR=1"))


@pytest.fixture(scope="session")
def old_checks(build):
    """The same plugin, built for version 1.0."""
    return load_module(build("old_checks", "-DOPFORGE_TARGET_MINOR=0"))
