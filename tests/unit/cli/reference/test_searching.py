"""Search of contributions, and of names of other frameworks."""

import json

import pytest

from opforge.base.familiar_names import familiar_names
from opforge.cli.reference import listing, searching
from opforge.cli.reference.searching import familiar_hints, not_found_text, search


def names(*words, kind=None):
    return [row["name"] for row in search(words) if kind in (None, row["kind"])]


@pytest.mark.parametrize(
    ("word", "kind", "name"),
    [
        ("huber", "loss", "HuberLoss"),
        ("scheduler", "scheduler", "CosineScheduler"),
        ("COSINE", "scheduler", "CosineScheduler"),
        ("cross_entropy", "loss", "SoftmaxCrossEntropyLoss"),
        ("cross_entropy", "metric", "CrossEntropy"),
        ("ndarrayiter", "iterator", "NDArrayIter"),
        ("hybrid", "layer", "HybridSequential"),
        ("array_dataset", "dataset", "ArrayDataset"),
        ("xavier", "initializer", "Xavier"),
        ("adam", "optimizer", "Adam"),
        ("silu", "PyTorch", "SiLU"),
        ("cross_entropy", "PyTorch", "cross_entropy"),
        ("linear", "PyTorch", "Linear"),
        ("ReduceLROnPlateau", "Keras", "ReduceLROnPlateau"),
        ("state_dict", "PyTorch", "Module.state_dict"),
        ("swish", "PyTorch", "SiLU"),
    ],
)
def test_names_are_found_by_their_parts(word, kind, name):
    assert name in names(word, kind=kind)


def test_words_without_letters_find_nothing():
    assert search(["_"]) == search([]) == []


def test_the_order_is_exact_prefix_part_inside_description(monkeypatch):
    rows = {
        "arccos": "Return an angle.",
        "sin_cos": "Return both.",
        "tan": "Quotient of sine and cosine.",
        "cosh": "Return the hyperbolic one.",
        "_contrib_cos": "Return it.",
        "cos": "Return the ratio.",
        "acos_tan": "Return nothing of it.",
        "macos": "In the middle of a word: discos.",
        "sinus": "Microscopic.",
    }
    blank = {"kind": "operator", "plugin": "acme"}
    rows = [{"name": name, "doc": doc, **blank} for name, doc in rows.items()]
    monkeypatch.setattr(searching, "contribution_rows", lambda: rows)
    expected = ["_contrib_cos", "cos", "cosh", "sin_cos", "arccos", "acos_tan", "macos", "tan"]
    assert names("cos", kind="operator") == expected


def test_all_words_must_match_together_or_in_any_order():
    assert names("softmax", "cross", "entropy", "loss")[0] == "SoftmaxCrossEntropyLoss"
    assert "SoftmaxCrossEntropyLoss" in names("loss", "softmax")
    assert names("huber", "nosuchword") == []


def test_familiar_names_have_the_keys_of_contributions():
    (row,) = (row for row in search(["nn.dense", "linear"]) if row["name"] == "Linear")
    assert row.keys() == listing.contribution_rows()[0].keys()
    assert (row["kind"], row["doc"]) == ("PyTorch", "nn.Dense(units)")
    assert json.dumps(row)


@pytest.mark.parametrize("framework", ["PyTorch", "Keras"])
def test_every_familiar_name_finds_itself(framework):
    for own, name, code in familiar_names():
        if own == framework:
            assert any(code in hint for hint in familiar_hints(name)), name


def test_hints_ignore_case_and_underscores():
    assert familiar_hints("relu_6") == [
        "PyTorch's ReLU6 is nd.clip(x, 0, 6) here",
        "PyTorch's relu6 is nd.clip(x, 0, 6) here",
    ]
    (hint,) = familiar_hints("zero_grad")
    assert hint.startswith("PyTorch's Optimizer.zero_grad is not needed: ")
    assert not hint.endswith("here")


def test_similar_names_of_all_kinds():
    assert "similar names: HuberLoss" in not_found_text("HuberLos")
    assert "CosineScheduler" in not_found_text("cosine_shceduler")
    assert "similar" not in not_found_text("Linear")


def test_names_of_missing_plugins_come_with_the_command_that_installs_them(monkeypatch):
    monkeypatch.setattr(
        searching,
        "providers",
        lambda noun: ({"AcmeGelu": "acme-gelu"} if noun == "layer" else {}, ""),
    )
    assert "AcmeGelu (pip install acme-gelu)" in not_found_text("acme_gelo")
    assert "layer 'AcmeGelu'" in not_found_text("acme_gelu")
