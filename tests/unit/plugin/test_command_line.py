"""Command line contributions of plugins."""

from opforge.plugin.command_line import BENCHMARKS, EXAMINATIONS, functions_of


def of_fixtures(group, *provider):
    return {name for name in functions_of(group, *provider) if name.startswith("fx_")}


def test_functions_by_group_and_distribution(with_plugins):
    with_plugins("fx-tools", "fx-good")
    assert of_fixtures(BENCHMARKS) == {"fx_laps"}
    assert of_fixtures(EXAMINATIONS, "FX_tools") == {"fx_track", "fx_weather"}
    assert of_fixtures(EXAMINATIONS, "fx-good") == set()


def test_plugins_that_are_switched_off_bring_none(with_plugins, monkeypatch):
    monkeypatch.setenv("OPFORGE_PLUGINS", "-fxtools")
    with_plugins("fx-tools")
    assert of_fixtures(BENCHMARKS) == set()
