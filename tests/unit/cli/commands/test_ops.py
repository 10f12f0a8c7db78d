"""Tests of ``opforge ops``, run as users run it, in a separate process."""

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from opforge.cli.app import app
from opforge.cli.printing.console import Console
from opforge.cli.reference import listing


def rows_of(done, prefix="fx"):
    return [row for row in json.loads(done.stdout) if row["plugin"].startswith(prefix)]


def test_ops_lists_without_import(opforge):
    done = opforge("ops", "--json", installed=["fx-good", "fx-kills"])
    assert "IMPORTED []" in done.stderr
    rows = {row["name"]: row for row in rows_of(done)}
    assert rows["fx_shift"] == {
        "name": "fx_shift",
        "kind": "operator",
        "arguments": ["data", "offset"],
        "outputs": ["output"],
        "plugin": "fx-good",
        "version": "1.0",
        "state": "not loaded",
        "doc": "Add an offset to data.",
    }
    assert rows["FxLayer"]["kind"] == "layer"
    assert rows["fx_kill"]["doc"] == ""


def test_ops_table(opforge):
    done = opforge("ops", installed=["fx-good"])
    line = next(line for line in done.stdout.splitlines() if line.startswith("fx_shift"))
    assert "data, offset" in line
    assert "Add an offset to data." in line


def test_show(opforge):
    shown = opforge("ops", "show", "fx_scale", installed=["fx-good"])
    assert "factor  float, optional, default=2.0, factor > 0  The factor." in shown.stdout
    assert "fx-good 1.0 (not loaded)" in shown.stdout
    assert "IMPORTED []" in shown.stderr
    row = json.loads(opforge("ops", "show", "fx_scale", "--json", installed=["fx-good"]).stdout)
    assert row["attributes"][0]["name"] == "factor"
    assert row["file"].endswith("fx_good.py:6")


def test_show_prints_element_types(opforge):
    shown = opforge("ops", "show", "one_hot")
    assert shown.stdout.endswith(
        "Types\n"
        "name     role    element types\n"
        "indices  input   any\n"
        "output   output  dtype, by default float32\n\n"
    )
    row = json.loads(opforge("ops", "show", "dot", "--json").stdout)
    types = "float32, float64, float16, uint8, int32, int8, int64, bfloat16"
    assert row["types"] == [
        {"name": "lhs", "role": "input", "types": types},
        {"name": "rhs", "role": "input", "types": "that of lhs"},
        {"name": "output", "role": "output", "types": "that of lhs"},
    ]


def test_copyable_text_is_never_wrapped(opforge, monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    shown = opforge("ops", "show", "fx_scale", installed=["fx-good", "fx-rival"]).stdout
    assert "    OPFORGE_PIN=fx_scale=fx-good\n" in shown
    assert [line for line in shown.splitlines() if line.endswith("fx_good.py:6")]
    why = opforge("ops", "why", "fx_scale", installed=["fx-good", "fx-rival"], code=1).stdout
    assert "\n    opforge plugins pin fx_scale fx-good" in why


def test_show_a_function_of_a_module(opforge, own_tables):
    shown = json.loads(
        opforge("ops", "show", "fx_parts.fx_whole", "--json", installed=["fx-kinds"]).stdout
    )
    assert (shown["kind"], shown["plugin"], shown["state"]) == ("function", "fx-kinds", "loaded")
    assert shown["call"].startswith("fx_parts.fx_whole(")
    assert "inner.py:" in shown["file"]


def test_show_two_providers(opforge):
    shown = opforge("ops", "show", "fx_scale", installed=["fx-good", "fx-rival"])
    assert "    OPFORGE_PIN=fx_scale=fx-good\n    OPFORGE_PIN=fx_scale=fx-rival\n" in shown.stdout
    one = opforge("ops", "show", "fx-rival::fx_scale", "--json", installed=["fx-good", "fx-rival"])
    assert json.loads(one.stdout)["version"] == "2.5"


def test_show_unknown(opforge):
    done = opforge("ops", "show", "no_such_operator", code=1)
    assert "opforge has nothing named 'no_such_operator'" in done.stderr


@pytest.mark.parametrize("name", ["Linear", "linear"])
def test_show_names_what_replaces_a_familiar_name(opforge, name):
    done = opforge("ops", "show", name, code=1)
    assert "PyTorch's Linear is nn.Dense(units) here\n" in done.stderr


def test_the_bare_command_prints_the_list(opforge):
    bare, listed = (opforge(*words, installed=["fx-good"]) for words in (["ops"], ["ops", "list"]))
    assert bare.stdout == listed.stdout


def test_a_version_and_its_deprecation(opforge):
    done = opforge("ops", "show", "fx_double@2", "--json", installed=["fx-versions"])
    row = json.loads(done.stdout)
    assert (row["operator_version"], row["deprecated"]) == (2, "")
    assert "IMPORTED []" in done.stderr
    done = opforge("ops", "show", "fx_double@7", installed=["fx-versions"], code=1)
    assert "fx_double" in done.stderr


def test_an_older_version_is_known_once_the_plugin_is_loaded(opforge):
    done = opforge("ops", "show", "fx_double@1", "--json", installed=["fx-versions"])
    row = json.loads(done.stdout)
    assert (row["operator_version"], row["deprecated"]) == (1, "2.0; use fx_double@2")


@pytest.mark.plugins
def test_check_measures(opforge):
    done = opforge("ops", "show", "fx_scale", "--check", installed=["fx-good"])
    assert "fx-good 1.0 (loaded)" in done.stdout
    for figure in ("time to load", "overhead, us per call", "throughput, elements/s"):
        assert figure in done.stdout
    assert "IMPORTED []" in done.stderr


def test_search(opforge):
    done = opforge("ops", "search", "ADD", "offset", "--json", installed=["fx-good"])
    assert [row["name"] for row in json.loads(done.stdout)] == ["fx_shift"]
    none = opforge("ops", "search", "softmx", installed=["fx-good"], code=1)
    assert "similar names: softmax" in none.stderr


def test_search_prints_the_best_matches_first_and_familiar_names(opforge, monkeypatch):
    monkeypatch.setenv("COLUMNS", "140")
    found = opforge("ops", "search", "silu", installed=["fx-good"]).stdout
    assert found == (
        "Names of other frameworks (2)\n"
        "name  of       in opforge\n"
        "SiLU  PyTorch  nn.Swish()\n"
        "silu  PyTorch  x * nd.sigmoid(x)\n\n"
    )
    found = opforge("ops", "search", "cosine").stdout
    assert found.index("CosineScheduler") < found.index("CosineDecay") < found.index("arccos")


def test_operators_of_namespaces_are_listed_and_found_as_they_are_called(opforge):
    names = {row["name"] for row in json.loads(opforge("ops", "--json").stdout)}
    assert "_contrib_isnan" in names  # in the form of entry points and the registry
    assert "_backward_abs" not in names
    assert "contrib.isnan" in opforge("ops", "search", "contrib.isna").stdout
    assert opforge("ops", "show", "contrib.isnan").stdout.startswith("contrib.isnan  operator\n")
    assert "part of the primitive set" in opforge("ops", "why", "contrib.isnan").stdout


def test_why(opforge):
    def why(name, code=0, **options):
        done = opforge("ops", "why", name, "--json", code=code, **options)
        assert "IMPORTED []" in done.stderr
        return json.loads(done.stdout)[0]

    two = ["fx-good", "fx-rival"]
    assert why("fx_shift", installed=two)["reason"] == "only provider"
    assert why("exp", installed=two)["reason"] == "primitive set"
    assert why("fx-rival::fx_scale", installed=two)["provider"] == "fx-rival"
    row = why("fx_scale", installed=two, code=1)
    assert (row["reason"], row["candidates"]) == ("ambiguous", two)
    assert row["remedy"].startswith("opforge plugins pin fx_scale fx-good")


def test_why_in_words(opforge, monkeypatch):
    monkeypatch.setenv("OPFORGE_PIN", "fx_scale=fx-rival")
    monkeypatch.setenv("OPFORGE_PLUGINS", "-fx-kills")
    two = ["fx-good", "fx-rival", "fx-kills"]
    assert opforge("ops", "why", "fx_scale", installed=two).stdout == (
        "operator fx_scale: provided by fx-rival, pinned in OPFORGE_PIN; also provided by fx-good\n"
    )
    assert opforge("ops", "why", "fx_kill", installed=two, code=1).stdout == (
        "operator fx_kill: fx-kills provides it, but is disabled by OPFORGE_PLUGINS=-fx-kills\n"
        "    change OPFORGE_PLUGINS, which is '-fx-kills'\n"
    )
    monkeypatch.setenv("OPFORGE_PIN", "fx_scale=fx-none")
    wrong = opforge("ops", "why", "fx_scale", installed=two, code=1).stdout
    assert "OPFORGE_PIN pins it to fx-none, which does not provide it" in wrong
    assert "change OPFORGE_PIN" in wrong


def test_empty_search_does_not_mention_missing_plugins(opforge):
    done = opforge("ops", "search", "nosuchthing", installed=["fx-good"], code=1)
    assert "opforge has nothing named 'nosuchthing'" in done.stderr
    assert not done.stdout
    assert "No plugin" not in opforge("ops", "search", "hyperbolic", installed=["fx-good"]).stdout


def test_list_without_plugins_suggests_an_installation(monkeypatch):
    core = [row for row in listing.contribution_rows() if row["plugin"] == "opforge"]
    monkeypatch.setattr(listing, "contribution_rows", lambda hidden: core)
    text = CliRunner().invoke(app, ["ops"]).output
    assert text.endswith("pip install 'opforge[std]'\n")


@pytest.mark.plugins
def test_show_prints_the_call_and_formulas_as_text(opforge):
    text = " ".join(opforge("ops", "show", "FullyConnected").stdout.split())
    assert "nd.FullyConnected(data, weight, bias, num_hidden, no_bias=0, flatten=1)" in text
    call = "nd.softmax(data, length, axis=-1, temperature=1.0, dtype=None, use_length=0)"
    assert call in " ".join(opforge("ops", "show", "softmax").stdout.split())
    assert "y = x W^T + b" in text and "math::" not in text


def test_a_terminal_shows_groups_first(monkeypatch, capsys):
    monkeypatch.setattr(
        "opforge.cli.commands.ops.open_console", lambda: Console(100, 24, is_terminal=True)
    )
    with pytest.raises(SystemExit) as ended:
        app(["ops"])
    assert not ended.value.code
    printed = capsys.readouterr().out
    assert "opforge ops list" in printed
    assert len(printed.splitlines()) <= 24 + len(
        {row["plugin"] for row in listing.contribution_rows()}
    )
    assert "broadcast_add" not in printed


NAMES = """
from opforge.cli.reference import listing

def keys(rows):
    return {(row["kind"], row["name"], row["plugin"]) for row in rows}

rows = keys(listing.contribution_rows())
print(len(rows), rows ^ keys(listing.contribution_names()))
"""


def test_names_are_those_of_the_rows():
    # A separate process: other tests register contributions without any metadata.
    done = subprocess.run([sys.executable, "-c", NAMES], capture_output=True, text=True, check=True)
    count, difference = done.stdout.strip().split(" ", 1)
    assert int(count) > 100
    assert difference == "set()"
