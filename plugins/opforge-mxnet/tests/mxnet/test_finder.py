"""``import mxnet`` gives opforge's own modules, and never hides a real MXNet unasked."""

import importlib
import importlib.util
import pickle
import sys
from multiprocessing import spawn
from types import ModuleType

import pytest

import opforge
from opforge.mxnet import install, uninstall


@pytest.fixture
def installed():
    """Modules of MXNet's names for one test; a real MXNet in this environment does not matter."""
    install(force=True)
    yield
    uninstall()


@pytest.fixture
def real_mxnet(tmp_path, monkeypatch):
    """A package called mxnet on sys.path."""
    (tmp_path / "mxnet").mkdir()
    (tmp_path / "mxnet" / "__init__.py").write_text("real = True\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    uninstall()
    sys.modules.pop("mxnet", None)


@pytest.mark.parametrize(
    ("name", "real"),
    [
        ("mxnet", "opforge"),
        ("mxnet.nd", "opforge.ndarray"),
        ("mxnet.ndarray", "opforge.ndarray"),
        ("mxnet.ndarray.ndarray", "opforge.ndarray.ndarray"),
        ("mxnet.nd.ndarray", "opforge.ndarray.ndarray"),
        ("mxnet.nd.random", "opforge.ndarray.random"),
        ("mxnet.init", "opforge.initializer"),
        ("mxnet.gluon.nn", "opforge.gluon.nn"),
        ("mxnet.gluon.data.batchify", "opforge.gluon.data.batchify"),
    ],
)
def test_modules_are_opforges_own(installed, name, real):
    before = importlib.import_module(real)
    assert importlib.import_module(name) is before
    assert sys.modules[real] is before
    assert before.__spec__.name == real  # untouched: reload and pickle go on working


@pytest.mark.parametrize("path", ["gluon.data.vision", "gluon.data.vision.transforms"])
def test_modules_of_plugins_inside_packages(installed, path):
    module = importlib.import_module(f"mxnet.{path}")
    assert module is importlib.import_module(f"opforge.{path}")
    assert module.__spec__.name == f"opforge_image.{path}"


def test_short_names_load_no_second_copy(installed):
    importlib.import_module("mxnet.nd.creation")
    assert "opforge.nd.creation" not in sys.modules


def test_namespaces_that_are_no_files_are_found(installed):
    assert importlib.import_module("mxnet.nd.linalg") is opforge.nd.linalg


def test_import_statements_of_programs(installed):
    scope = {}
    exec(
        "import mxnet as mx\nfrom mxnet import gluon, nd\nfrom mxnet.gluon import nn\n"
        "from mxnet.gluon.data import DataLoader\n",
        scope,
    )
    assert scope["mx"] is opforge
    assert scope["nd"] is opforge.nd
    assert scope["nn"] is opforge.gluon.nn
    assert scope["DataLoader"] is opforge.gluon.data.DataLoader


def test_pickles_of_mxnets_names_are_read(installed):
    # Protocol 0 names the class in words, as a pickle that MXNet wrote does.
    data = pickle.dumps(opforge.gluon.nn.Sequential, protocol=0)
    assert b"opforge.gluon.nn" in data
    found = pickle.loads(data.replace(b"opforge.gluon.nn", b"mxnet.gluon.nn"))
    assert found is opforge.gluon.nn.Sequential


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("mxnet.nothing", ["opforge has no module 'nothing'", "autograd, ", "gluon"]),
        ("mxnet.metrics", ["Did you mean mxnet.metric?"]),
        ("mxnet.gluon.dat", ["opforge.gluon has no module 'dat'", "mxnet.gluon.data"]),
    ],
)
def test_missing_modules_suggest_available_ones(installed, name, words):
    with pytest.raises(ModuleNotFoundError) as caught:
        importlib.import_module(name)
    assert caught.value.name == name
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_other_modules_are_none_of_its_business(installed):
    assert importlib.util.find_spec("mxnet_of_somebody") is None


def test_import_errors_inside_modules_propagate(installed, tmp_path, monkeypatch):
    (tmp_path / "broken.py").write_text("import nothing_at_all\n")
    monkeypatch.setattr(opforge, "__path__", [*opforge.__path__, str(tmp_path)])
    with pytest.raises(ModuleNotFoundError, match="nothing_at_all"):
        importlib.import_module("mxnet.broken")


def test_a_real_mxnet_is_not_hidden(real_mxnet):
    with pytest.raises(ImportError, match=r"a real MXNet is installed at .*install\(force=True\)"):
        install()
    assert importlib.import_module("mxnet").real


def test_a_real_mxnet_is_hidden_when_asked(real_mxnet):
    install(force=True)
    assert importlib.import_module("mxnet") is opforge


def test_a_real_mxnet_that_appears_later_is_not_hidden(tmp_path, monkeypatch):
    if importlib.util.find_spec("mxnet") is not None:
        pytest.skip("this environment has a real MXNet from the start")
    install()
    try:
        (tmp_path / "mxnet.py").write_text("real = True\n")
        monkeypatch.syspath_prepend(str(tmp_path))
        with pytest.raises(ImportError, match="a real MXNet is installed"):
            importlib.import_module("mxnet")
    finally:
        uninstall()


@pytest.mark.parametrize("force", [False, True])
def test_an_imported_mxnet_stays(real_mxnet, force):
    importlib.import_module("mxnet")
    with pytest.raises(ImportError, match=r"is already imported, from .*before the first"):
        install(force)


def test_a_folder_named_mxnet_is_ignored(tmp_path, monkeypatch):
    if importlib.util.find_spec("mxnet") is not None:
        pytest.skip("this environment has a real MXNet")
    (tmp_path / "mxnet").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path))
    install()
    try:
        assert importlib.import_module("mxnet") is opforge
    finally:
        uninstall()


def test_installing_twice_is_once(installed):
    count = len(sys.meta_path)
    install()
    assert len(sys.meta_path) == count


def test_uninstalling_leaves_opforge(installed):
    importlib.import_module("mxnet.nd")
    uninstall()
    assert not [name for name in sys.modules if name.partition(".")[0] == "mxnet"]
    assert isinstance(sys.modules["opforge.ndarray"], ModuleType)
    uninstall()  # nothing left to undo


def test_the_version_is_that_of_mxnets_api():
    before = opforge.__version__
    install(force=True)
    try:
        assert importlib.import_module("mxnet").__version__ == "1.9.1"
    finally:
        uninstall()
    assert opforge.__version__ == before


def test_prepared_processes_are_like_this_one():
    before = spawn.get_preparation_data("child")
    install(force=True)
    try:
        install()  # keeps `force`
        prepared = spawn.get_preparation_data("child")
        assert prepared.keys() - before.keys() == {"opforge.mxnet"}
        function, arguments = prepared["opforge.mxnet"].__reduce__()
        assert function is install and arguments == (True,)
    finally:
        uninstall()
    assert spawn.get_preparation_data("child").keys() == before.keys()
