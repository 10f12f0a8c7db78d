"""`library.load` of plugins in C that are not installed."""

import os
import shutil
import subprocess
import sys

import pytest

import opforge

pytestmark = pytest.mark.plugins

PACKAGE = """
from opforge.plugin_api import Attribute, hookimpl, native

class Scale(native.NativeOperator):
    "Multiply by a number."
    name = "abi_scale"
    library = native.load("fx_loaded._native")
    scale = Attribute(float, default=2.0)
    saves = ()
    dtypes = ("float64",)

@hookimpl
def opforge_operators():
    return [Scale]
"""
PROGRAM = """
import sys
import opforge as mx
from opforge import nd, sym

def error_of(path):
    try:
        mx.library.load(path)
    except mx.MXNetError as error:
        print(error)
    else:
        print("loaded")
path = sys.argv[1]
"""
USED = """
assert not hasattr(nd, "abi_scale")
assert mx.library.load(path) is None
x = nd.array([1.0, 2.0], dtype="float64")
x.attach_grad()
with mx.autograd.record():
    y = nd.abi_scale(x, scale=3)
y.backward()
print(y.asnumpy().tolist(), x.grad.asnumpy().tolist())
print(sym.abi_scale(sym.var("x")).eval(x=x)[0].asnumpy().tolist())
mx.library.load(path, verbose=False)
"""


@pytest.fixture(scope="module")
def native(build):
    """Return the file of a library with the name that the package imports."""
    return build("_native")


@pytest.fixture
def package(native, tmp_path):
    """Return the folder of a plugin's package with the library."""
    folder = tmp_path / "src" / "fx_loaded"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text(PACKAGE)
    shutil.copy(native, folder)
    return folder


def run(program, path, **environment):
    """Return what a program prints to standard output and to standard error."""
    command = [sys.executable, "-c", PROGRAM + program, str(path)]
    environment = {**os.environ, "OPFORGE_CONFIG": os.devnull, **environment}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    return done.stdout, done.stderr


@pytest.mark.parametrize("chosen", ["_native", "__init__"])
def test_operators_are_registered_for_the_process(package, chosen):
    (path,) = package.glob(f"{chosen}*")
    results, found = run(USED, path)
    assert results.splitlines() == ["[3.0, 6.0] [3.0, 3.0]", "[2.0, 4.0]"]
    assert found == "Found 1 operators in library\n\tOp[0] abi_scale\n"


@pytest.mark.parametrize("layout", ["src", "flat"])
def test_the_entry_points_of_the_project_register_its_operators(package, layout):
    code = PACKAGE.replace("hookimpl, ", "").partition("@hookimpl")[0]
    (package / "__init__.py").write_text("")
    (package / "operators.py").write_text(code)
    folder = package.parents[1] if layout == "src" else package.parent
    (folder / "pyproject.toml").write_text(
        "[project.entry-points.'opforge.ops']\n"
        "abi_scale = 'fx_loaded.operators:Scale'\nother = 'another_package:Operator'\n"
    )
    (path,) = package.glob("_native*")
    results, found = run(USED, path)
    assert results.splitlines() == ["[3.0, 6.0] [3.0, 3.0]", "[2.0, 4.0]"]
    assert found == "Found 1 operators in library\n\tOp[0] abi_scale\n"


def test_links_lead_to_the_package(package, tmp_path):
    (path,) = package.glob("_native*")
    link = tmp_path / "lib.so"
    link.symlink_to(path)
    assert run(USED, link)[0].startswith("[3.0, 6.0]")


def test_installed_plugins_are_loaded_as_such(package):
    info = package.parent / "fx_loaded-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: fx-loaded\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[opforge]\nloaded = fx_loaded\n[opforge.ops]\nabi_scale = fx_loaded:Scale\n"
    )
    program = """
mx.library.load(path)
print([entry.provider for entry in mx.op.registry.registry.OPERATORS.versions("abi_scale")])
"""
    (path,) = package.glob("_native*")
    results, found = run(program, path, PYTHONPATH=str(package.parent))
    assert results == "['fx-loaded']\n"
    assert "abi_scale" in found


def error_of(path, program="error_of(path)", **environment):
    return run(program, path, **environment)[0].rstrip("\n")


def test_unsuitable_paths_are_rejected(tmp_path, native):
    assert error_of("/nowhere/lib.so") == "load path /nowhere/lib.so does NOT exist"
    text, folder = tmp_path / "lib.txt", tmp_path / "lib.so"
    text.write_text("")
    folder.mkdir()
    for path in (text, folder):
        assert error_of(path) == f"load path {path} is NOT a library file"
    program = "import os; os.chdir(os.path.dirname(path)); error_of(os.path.basename(path))"
    assert error_of(native, program) == f"load path {native.name} is not an absolute path"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", "is not a shared library"),
        (b"import opforge", "is not a shared library"),
        (b"\x7fELF", "is not an extension module with C functions for opforge"),
        (b"\x7fELF opforge_library", "is not an extension module with C functions for opforge"),
        (b"\x7fELF _opRegSize", "is a library for MXNet's core"),
    ],
)
def test_other_files_are_rejected(tmp_path, content, text):
    file = tmp_path / "lib.so"
    file.write_bytes(content)
    assert text in error_of(file)


def test_a_library_without_declarations_is_rejected(native):
    assert "which a plugin's package declares" in error_of(native)


def test_a_damaged_library_is_rejected(package):
    (file,) = package.glob("_native*")
    file.write_bytes(file.read_bytes()[:64] + b" opforge_library PyInit_")
    program = "error_of(path); error_of(path); print('fx_loaded' in sys.modules)"
    first, second, kept = error_of(file, program).splitlines()
    assert first == second and "Error loading library: fx_loaded in" in first
    assert kept == "False"


def test_a_library_of_another_version_is_rejected(package, build, tmp_path):
    header = tmp_path / "include" / "opforge"
    shutil.copytree(os.path.join(opforge.get_include(), "opforge"), header)
    text = (header / "abi.h").read_text()
    (header / "abi.h").write_text(
        text.replace("#define OPFORGE_ABI_MAJOR 2", "#define OPFORGE_ABI_MAJOR 3")
    )
    file = shutil.copy(build("_newer", include=header.parent), package)
    main = package / "__init__.py"
    main.write_text(PACKAGE.replace("_native", "_newer"))
    assert "was built for version 3." in error_of(file)


def test_names_that_exist_are_rejected(package):
    (file,) = package.glob("_native*")
    main = package / "__init__.py"
    main.write_text(
        main.read_text().replace("[Scale]", "[Scale, Other]")
        + """
from opforge.plugin_api import OperatorProp

class Other(OperatorProp):
    "Return the input."
    name = "FullyConnected"

    def compose(self, F, data):
        return data
"""
    )
    program = "error_of(path); print(hasattr(nd, 'abi_scale'), nd.FullyConnected.__name__)"
    error, kept = error_of(file, program).splitlines()
    assert error.startswith("library.load: operator 'FullyConnected' is registered already, by opf")
    assert kept == "False FullyConnected"


def test_a_module_of_the_same_name_is_reported(package):
    (file,) = package.glob("_native*")
    program = "import types; sys.modules['fx_loaded'] = types.ModuleType('x'); error_of(path)"
    assert "cannot be imported, because a built-in module has its name" in error_of(file, program)


def test_errors_of_the_package_keep_their_class(package):
    (file,) = package.glob("_native*")
    (package / "__init__.py").write_text("from opforge.plugin_api import hookimpl")
    assert "the package fx_loaded has no hooks, and no pyproject.toml" in error_of(file)
