"""`run.py` reinstalls what has changed and nothing else."""

import importlib.util
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def run(monkeypatch, tmp_path):
    spec = importlib.util.spec_from_file_location("run_of_checkout", ROOT / "run.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "INSTALLED", tmp_path / "installed.json")
    return module


@pytest.fixture
def plugin(run, monkeypatch, tmp_path):
    """A plugin with a source, in a checkout with the core's headers."""
    for name in (
        "core/opforge/include/abi.h",
        *(f"core/opforge/{n}" for n in run.PLUGIN_BUILD[1:]),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    folder = tmp_path / "plugins" / "opforge-acme"
    (folder / "src" / "acme").mkdir(parents=True)
    (folder / "pyproject.toml").write_text("")
    (folder / "src" / "acme" / "_native.c").write_text("int x;")
    monkeypatch.setattr(run, "ROOT", tmp_path)
    return folder


def test_a_plugin_is_stale_after_a_change_of_its_sources_only(run, plugin):
    before = run.plugin_fingerprint(plugin)
    (plugin / "src" / "acme" / "_native.so").write_text("built")
    (plugin / "src" / "acme.egg-info").mkdir()
    (plugin / "src" / "acme.egg-info" / "SOURCES.txt").write_text("")
    (plugin / "tests").mkdir()
    (plugin / "tests" / "test_acme.py").write_text("")
    assert run.plugin_fingerprint(plugin) == before
    (plugin / "src" / "acme" / "_native.c").write_text("int y;")
    assert run.plugin_fingerprint(plugin) != before


@pytest.mark.parametrize("is_compiled", [True, False])
def test_compiled_plugins_depend_on_the_headers_of_the_core(run, plugin, is_compiled):
    if is_compiled:
        (plugin / "setup.py").write_text("")
    before = run.plugin_fingerprint(plugin)
    (run.ROOT / "core/opforge/include/abi.h").write_text("#define VERSION 2")
    assert (run.plugin_fingerprint(plugin) != before) is is_compiled


def test_the_paths_that_plugins_depend_on_exist(run):
    assert all((ROOT / "core" / "opforge" / name).exists() for name in run.PLUGIN_BUILD)


def test_requirements_are_installed_once(run, monkeypatch):
    calls = []
    monkeypatch.setattr(run, "pip", lambda *arguments: calls.append(arguments))
    for wanted in (["numpy"], ["numpy"], ["numpy", "pytest"]):
        run.install_requirements(run.State(), {"group test": wanted, "core": ["numpy"]})
    assert calls == [("install", "numpy"), ("install", "numpy", "pytest")]


def test_plugins_get_their_requirements(run):
    (needed,) = run.plugin_requirements().values()
    assert {"mpi4py>=4.0", "opencv-python-headless>=4.10"} <= set(needed)
    assert not any(word.startswith("opforge") for word in needed)
    # mpi4py does not contain an MPI library.
    assert any(word.startswith("mpich") for word in run.group("demo"))


def test_core_and_plugins_whose_wheels_are_missing_are_stale(run, monkeypatch, tmp_path):
    monkeypatch.setattr(run, "WHEELS", tmp_path)
    state = run.State()
    everything = run.Distributions(state)
    assert everything.stale == [*run.PLUGINS, run.ROOT]
    monkeypatch.setattr(run, "pip", lambda *arguments: None)
    monkeypatch.setattr(run, "build_wheel", lambda folder: Path(folder.name))
    everything.install()
    (tmp_path / "opforge-0.1.0-py3-none-any.whl").touch()
    assert run.Distributions(run.State()).stale == run.PLUGINS


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        ((), ["--part=core", "--part=rest"]),
        (("--stress", "2"), ["--part=core", "--part=rest"]),
        (("tests/unit/test_random.py::test_seed",), []),
    ],
)
def test_tests_run_in_two_parts_unless_some_are_named(run, monkeypatch, arguments, parts):
    calls = []
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(run, "install", lambda *groups: None)
    monkeypatch.setattr(run, "make_core_environment", lambda: Path("core"))
    monkeypatch.setattr(run, "pytest", lambda python, *words: calls.append(words) or 5)
    assert run.test(*arguments) == 5
    assert [word for words in calls for word in words if word in parts] == parts
    assert all(set(arguments) <= set(words) for words in calls)


def test_ccache_is_used_where_it_is_installed(run, monkeypatch, capsys):
    monkeypatch.setenv("CC", "gcc")
    monkeypatch.setenv("CXX", "g++")
    monkeypatch.delenv("CCACHE_BASEDIR", raising=False)
    monkeypatch.setattr(run.shutil, "which", lambda name: f"/usr/bin/{name}")
    assert run.use_ccache()
    assert (run.os.environ["CC"], run.os.environ["CXX"]) == ("ccache gcc", "ccache g++")
    assert not run.use_ccache()  # already in use
    text = "cache_miss\t3\ndirect_cache_hit\t10\npreprocessed_cache_hit\t2\n"
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: SimpleNamespace(stdout=text))
    run.report_ccache({"cache_miss": 1, "direct_cache_hit": 4, "preprocessed_cache_hit": 0})
    assert capsys.readouterr().out == "ccache: 8 of 10 compilations were cached\n"
