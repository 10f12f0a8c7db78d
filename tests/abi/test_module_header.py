"""The header `opforge/module.h`: modules that it defines load, from C and from C++."""

import os
import shlex
import shutil
import subprocess
import sysconfig

import pytest

import opforge
from opforge.base.errors import PluginError
from opforge.native.abi.table import CPU
from opforge.op.abi.library import find_operators

from .conftest import load_module

OPERATORS = """
#include <opforge/module.h>

static int32_t forward(opforge_call* call) { (void)call; return OPFORGE_OK; }
#define OPERATOR static const opforge_operator __attribute__((unused))
#define NAMED(name) {OPFORGE_HEAD(opforge_operator), name, NULL, NULL, NULL, NULL, NULL, NULL, \\
                     forward, NULL, 0, OPFORGE_CPU, 0}
OPERATOR first = NAMED("first");
OPERATOR second = NAMED("second");
"""
WITH_ATTRIBUTE = """
OPFORGE_LIBRARY_OF(library, &first);
static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "extended", NULL, -1, NULL, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_extended(void) {
    PyObject* module = opforge_create_module(&definition, &library);
    if (module != NULL && PyModule_AddIntConstant(module, "LANES", 16) < 0) Py_CLEAR(module);
    return module;
}
"""


def build(compiler, folder, name, code, *options):
    """Return the extension module `name`, compiled with all warnings as errors."""
    target = folder / f"{name}{sysconfig.get_config_var('EXT_SUFFIX')}"
    python = ["-isystem", sysconfig.get_path("include")]
    subprocess.run(
        [*compiler, "-Wall", "-Wextra", "-pedantic", "-Werror", "-fPIC", "-shared", *options]
        + [f"-I{opforge.get_include()}", *python, "-o", str(target), "-"],
        input=(OPERATORS + code).encode(),
        check=True,
    )
    return load_module(target)


@pytest.fixture
def cxx_compiler():
    """The C++ compiler's command; skips the test if it is not installed."""
    command = shlex.split(os.environ.get("CXX", "g++"))
    if not shutil.which(command[0]):
        pytest.skip(f"{command[0]} is not installed")
    return command


def test_one_line_defines_a_module_in_c(c_compiler, tmp_path):
    code = "OPFORGE_MODULE(in_c, &first, &second);"
    module = build(c_compiler, tmp_path, "in_c", code, "-std=c11", "-x", "c")
    assert module.__name__ == "in_c"
    assert find_operators(module, "first")[CPU].name == "first"
    assert find_operators(module, "second")[CPU].name == "second"
    with pytest.raises(PluginError, match="no operator 'third'"):
        find_operators(module, "third")


def test_one_line_defines_a_module_in_cpp(cxx_compiler, tmp_path):
    code = "OPFORGE_MODULE(in_cpp, &second);"
    module = build(cxx_compiler, tmp_path, "in_cpp", code, "-std=c++11", "-x", "c++")
    assert find_operators(module, "second")[CPU].name == "second"


def test_the_init_function_can_be_renamed(c_compiler, tmp_path):
    """`build.extension` compiles one source for each instruction set, under a suffixed name."""
    code = "OPFORGE_MODULE(_native, &first);"
    renamed = "-DPyInit__native=PyInit__native_x86_64_v3"
    module = build(c_compiler, tmp_path, "_native_x86_64_v3", code, renamed, "-std=c11", "-x", "c")
    assert find_operators(module, "first")[CPU].name == "first"


def test_a_module_can_have_further_attributes(c_compiler, tmp_path):
    module = build(c_compiler, tmp_path, "extended", WITH_ATTRIBUTE, "-std=c11", "-x", "c")
    assert module.LANES == 16
    assert find_operators(module, "first")[CPU].name == "first"
