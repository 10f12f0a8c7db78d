"""Optimizers, metrics and the other kinds on the command line, which imports none of them."""

import json

import pytest

from opforge.op.registry.kinds import KINDS

OTHERS = [noun for noun in KINDS if noun not in ("operator", "layer")]


def test_ops_lists_every_kind(opforge):
    done = opforge("ops", "--json", installed=["fx-kinds"])
    assert "IMPORTED []" in done.stderr
    rows = [row for row in json.loads(done.stdout) if row["plugin"] == "fx-kinds"]
    assert [row["kind"] for row in rows] == OTHERS
    assert {row["state"] for row in rows} == {"not loaded"}
    docs = {row["kind"]: row["doc"] for row in rows}
    assert docs["metric"] == "How many samples there were."
    assert docs["model"] == "Return a network of no layers."


def test_opforges_own_are_listed_once_each(opforge):
    done = opforge("ops", "--json")
    own = [row for row in json.loads(done.stdout) if row["plugin"] == "opforge"]
    names = {noun: [row["name"] for row in own if row["kind"] == noun] for noun in OTHERS}
    assert {"Adam", "SGD"} <= set(names["optimizer"])
    assert "Xavier" in names["initializer"] and "Zero" in names["initializer"]
    assert "zeros" not in names["initializer"]
    assert names["metric"].count("Accuracy") == 1 and "acc" not in names["metric"]
    assert {"HuberLoss", "SoftmaxCELoss"} <= set(names["loss"]) and "Loss" not in names["loss"]
    assert "CosineScheduler" in names["scheduler"]
    assert "NDArrayIter" in names["iterator"] and "ArrayDataset" in names["dataset"]


def test_the_table_has_a_section_for_each_kind(opforge):
    text = opforge("ops", installed=["fx-kinds"]).stdout
    at = [text.index(f"{KINDS[noun].plural.capitalize()} (") for noun in ("operator", *OTHERS)]
    assert at == sorted(at)


@pytest.mark.parametrize("name", ["FxSign", "fxsign", "fx-kinds::FxSign"])
def test_show_finds_them_as_the_registry_does(opforge, name):
    done = opforge("ops", "show", name, "--json", installed=["fx-kinds"])
    assert "IMPORTED []" in done.stderr
    row = json.loads(done.stdout)
    assert (row["name"], row["kind"], row["error"]) == ("FxSign", "optimizer", "")
    assert row["file"].endswith("fx_kinds.py:9")


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("HuberLoss", "gluon.loss.HuberLoss(rho=1, weight=None, batch_axis=0, **kwargs)"),
        ("HybridSequential", "gluon.nn.HybridSequential(*blocks, prefix=None, params=None)"),
        ("FxSign", "optimizer.FxSign"),
        ("fx_store", "kvstore.create('fx_store')"),
    ],
)
def test_show_prints_how_a_program_gets_one(opforge, name, call):
    row = json.loads(opforge("ops", "show", name, "--json", installed=["fx-kinds"]).stdout)
    assert row["call"] == call
    assert row["doc"] and row["file"]
    shown = opforge("ops", "show", name, installed=["fx-kinds"]).stdout
    assert f"call      {call}\n" in shown


def test_search_by_kind(opforge):
    done = opforge("ops", "search", "kvstore", "doubles", "--json", installed=["fx-kinds"])
    assert [row["name"] for row in json.loads(done.stdout)] == ["fx_store"]


def test_why(opforge):
    row = json.loads(opforge("ops", "why", "fxcount", "--json", installed=["fx-kinds"]).stdout)[0]
    assert (row["kind"], row["provider"]) == ("metric", "fx-kinds")
    two = ["fx-kinds", "fx-kinds-rival"]
    text = opforge("ops", "why", "fxsign", installed=two, code=1).stdout
    assert "optimizer fxsign: ambiguous: provided by fx-kinds, fx-kinds-rival" in text
    text = opforge("ops", "why", "adam", installed=two).stdout
    assert (
        "opforge's own, which takes precedence over plugins; also provided by fx-kinds-rival"
        in text
    )


def test_plugins(opforge):
    done = opforge("plugins", "--json", installed=["fx-kinds", "fx-good"])
    rows = {row["plugin"]: row for row in json.loads(done.stdout)}
    assert list(rows["fx-kinds"]["others"]) == OTHERS
    assert rows["fx-kinds"]["others"]["kvstore"] == ["fx_store"]
    assert rows["fx-kinds"]["problems"] == []
    assert rows["fx-good"]["others"] == {}
    for words in (["plugins"], ["plugins", "show", "fx-kinds"]):
        text = " ".join(opforge(*words, installed=["fx-kinds"]).stdout.split())
        assert "optimizer FxSign;" in text


def test_doctor_finds_conflicts(opforge):
    two = ["fx-kinds", "fx-kinds-rival"]
    found = json.loads(opforge("doctor", "--json", installed=two, code=1).stdout)
    (row,) = [row for row in found if row["message"].startswith("optimizer ")]
    assert "ambiguous: provided by fx-kinds, fx-kinds-rival" in row["message"]
    assert row["remedy"].startswith("opforge plugins pin FxSign fx-kinds")
