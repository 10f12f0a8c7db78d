"""The finder of modules that other distributions provide for a package."""

import importlib
import runpy
import sys
from types import ModuleType

import pytest

from opforge.base.foreign_modules import ForeignModules


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Return the modules provided for a package ``fx_host``, by name; it also has one itself."""
    for path, text in (
        ("fx_host/__init__.py", ""),
        ("fx_host/own.py", "mine = True\n"),
        ("fx_guest/__init__.py", ""),
        ("fx_guest/room.py", ""),
    ):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    brought = {}
    finder = ForeignModules("fx_host", [str(tmp_path / "fx_host")], brought.get)
    monkeypatch.setattr(sys, "meta_path", [finder, *sys.meta_path])
    yield brought
    for name in [name for name in sys.modules if name.startswith("fx_")]:
        del sys.modules[name]


def test_foreign_modules_and_submodules_are_imported(package):
    package["guest"] = lambda: importlib.import_module("fx_guest")
    host = importlib.import_module("fx_host")
    assert importlib.import_module("fx_host.guest.room") is sys.modules["fx_guest.room"]
    assert host.guest is sys.modules["fx_host.guest"] is sys.modules["fx_guest"]
    assert host.guest.__spec__.name == "fx_guest"
    with pytest.raises(ModuleNotFoundError, match=r"'fx_host\.guest\.attic'"):
        importlib.import_module("fx_host.guest.attic")


def test_a_module_may_be_inside_that_of_another_package(package):
    package["guest"] = lambda: importlib.import_module("fx_guest")
    added = ModuleType("fx_other_attic")
    package["guest.attic"] = package["guest.room"] = lambda: added
    assert importlib.import_module("fx_host.guest.attic") is added
    assert importlib.import_module("fx_host.guest.room") is sys.modules["fx_guest.room"]


def test_the_packages_own_go_before(package):
    package["own"] = lambda: ModuleType("other")
    assert importlib.import_module("fx_host.own").mine


def test_a_folder_without_python_files_is_not_the_packages_own(package, tmp_path):
    (tmp_path / "fx_host" / "guest" / "__pycache__").mkdir(parents=True)
    package["guest"] = lambda: importlib.import_module("fx_guest")
    assert importlib.import_module("fx_host.guest") is sys.modules["fx_guest"]


def test_other_names_do_not_call_the_loaders(package):
    def fail():
        raise AssertionError("this is none of its names")

    package.update({"_private": fail, "room": fail})
    with pytest.raises(ModuleNotFoundError, match="_private"):
        importlib.import_module("fx_host._private")
    with pytest.raises(ModuleNotFoundError, match=r"fx_host\.nothing"):
        importlib.import_module("fx_host.nothing")
    assert importlib.import_module("fx_guest.room").__name__ == "fx_guest.room"


def test_an_error_of_the_module_is_the_imports(package):
    def fail():
        raise ImportError("acme is not installed", name="acme")

    package["guest"] = fail
    with pytest.raises(ImportError, match="acme is not installed"):
        importlib.import_module("fx_host.guest")
    assert "fx_host.guest" not in sys.modules


def test_python_runs_the_real_module_or_its_main(package, tmp_path, capsys):
    (tmp_path / "fx_guest/__main__.py").write_text("print('main')\n")
    (tmp_path / "fx_guest/room.py").write_text("print('room')\n")
    package["guest"] = lambda: importlib.import_module("fx_guest")
    runpy.run_module("fx_host.guest", run_name="__main__")
    assert capsys.readouterr().out == "main\n"
    runpy.run_module("fx_host.guest.room", run_name="__main__")
    assert capsys.readouterr().out.endswith("room\n")


def test_a_package_without_a_main_is_not_run(package):
    package["guest"] = lambda: importlib.import_module("fx_guest")
    with pytest.raises(ImportError, match=r"fx_host\.guest has no __main__"):
        runpy.run_module("fx_host.guest", run_name="__main__")
