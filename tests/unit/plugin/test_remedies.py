"""Tests of the commands that fix a plugin."""

import pytest

from opforge.plugin.remedies import failure_remedy, metadata_remedy, reinstall_line


@pytest.fixture
def project(tmp_path, monkeypatch, write_metadata):
    """Return the folder of acme-native, which is installed in editable mode."""
    folder, metadata = tmp_path / "x y", tmp_path / "site"
    (folder / "src" / "acme").mkdir(parents=True)
    (folder / "src" / "acme" / "__init__.py").write_text("")
    metadata.mkdir()
    write_metadata(metadata, "acme-native", "1.0", {}, folder)
    monkeypatch.syspath_prepend(str(metadata))
    monkeypatch.syspath_prepend(str(folder / "src"))
    return folder


def test_installed_ones(installed):
    installed("fx-versions", "fx-good")
    assert failure_remedy("fx-versions").endswith("is installed: pip install -U opforge")
    wanted = "pip install -U fx-good, or report it to its authors, or disable it: opforge plugins"
    assert failure_remedy("fx-good").startswith(wanted)
    assert "opforge plugins disable nothing" in failure_remedy("nothing")
    assert metadata_remedy("fx-good") == "pip install -U fx-good, or report it to its authors"
    assert metadata_remedy("nothing") == "pip install -U nothing, or report it to its authors"


@pytest.mark.plugins
@pytest.mark.parametrize(
    "error",
    [
        "ImportError: cannot import name '_native' from 'acme' (/x/__init__.py)",
        "ImportError: cannot import name '_native' from partially initialized module 'acme' (most",
        "ModuleNotFoundError: No module named 'acme._native'",
        "ImportError: acme._native is built for none of baseline, x86_64_v3; build the plugin",
        "ImportError: /x/_native.so: undefined symbol: foo",
        "PluginError: acme._native was built for version 0.9: upgrade the plugin, or rebuild it",
    ],
)
@pytest.mark.parametrize("source", ["src/acme/_native.c", "setup.py"])
def test_unbuilt_modules_suggest_a_build(project, error, source):
    (project / source).write_text("acme._native")
    line = failure_remedy("acme-native", error)
    assert line.startswith(f"build it: pip install -e '{project}', or disable it")


@pytest.mark.plugins
@pytest.mark.parametrize(
    "error",
    [
        "ImportError: cannot import name 'Renamed' from 'acme.operators' (/x/operators.py)",
        "ImportError: cannot import name 'Renamed' from 'acme' (/x/__init__.py)",
        "ModuleNotFoundError: No module named 'acme.gone'",
        "ModuleNotFoundError: No module named 'else'",
        "ValueError: x",
        "loading it ended the process by SIGSEGV",
    ],
)
def test_other_errors_suggest_a_fix(project, error):
    (project / "pyproject.toml").write_text('dependencies = ["else"]')
    line = failure_remedy("acme-native", error)
    assert line.startswith(f"fix it in '{project}', or disable it")
    assert "build" not in line


@pytest.mark.plugins
def test_a_crash_is_to_be_corrected_and_built(project):
    line = failure_remedy("acme-native", "acme is in quarantine")
    assert line.startswith(f"fix its native code in '{project}' and build it: pip install -e '")
    assert "or load it anyway with OPFORGE_PROBE=0" in line


@pytest.mark.plugins
def test_a_newer_interface(project):
    line = failure_remedy("acme-native", "acme was built for version 1.9: upgrade opforge")
    assert line.startswith("pip install -U opforge, or disable it")


@pytest.mark.plugins
def test_metadata_are_written_by_an_installation(project):
    line = metadata_remedy("acme-native")
    assert line.endswith(f"and reinstall it: pip install -e '{project}'")


def test_files_that_changed():
    assert reinstall_line("acme", "1.0") == "pip install --force-reinstall --no-deps acme==1.0"
