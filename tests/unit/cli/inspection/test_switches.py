"""Tests of environment variables with values that opforge does not understand."""

import os

import pytest

from opforge.cli.inspection.switches import check_chosen_plugins, check_switches


@pytest.fixture(autouse=True)
def clean(monkeypatch):
    for name in [*os.environ]:
        if name.startswith(("OPFORGE_", "MXNET_", "OMP_", "OPENBLAS_")):
            monkeypatch.delenv(name)


@pytest.mark.parametrize(
    ("name", "value", "message", "remedy"),
    [
        ("OPFORGE_PLUGIN", "none", "unknown variable", "did you mean OPFORGE_PLUGINS?"),
        ("OPFORGE_ZZZZZZ", "1", "unknown variable", "unset OPFORGE_ZZZZZZ"),
        ("OPFORGE_NUM_THREADS", "many", "is 'many', expected a number", "unset"),
        ("OMP_NUM_THREADS", "x", "is 'x', expected a number", "unset OMP_NUM_THREADS"),
        ("OPFORGE_NUM_THREADS", "9999", "9999 threads for", "OPFORGE_NUM_THREADS="),
        ("OPENBLAS_CORETYPE", "Haswell", "'Haswell', which may halve", "unset OPENBLAS_CORETYPE"),
        ("OPENBLAS_L2_SIZE", "512", "'512', which may halve", "unset OPENBLAS_L2_SIZE"),
        ("OPFORGE_PIN", "softmax", "expected name=distribution", "correct OPFORGE_PIN"),
    ],
)
def test_mistakes(monkeypatch, name, value, message, remedy):
    monkeypatch.setenv(name, value)
    ((subject, what, line),) = check_switches()
    assert subject == name
    assert message in what
    assert line.startswith(remedy)


def test_nothing_is_wrong(monkeypatch):
    monkeypatch.setenv("OPFORGE_NUM_THREADS", "1")
    monkeypatch.setenv("OPFORGE_TEST_SEED", "0")
    assert list(check_switches()) == []
    assert list(check_chosen_plugins()) == []


def test_variables_of_plugins_are_theirs(with_plugins, monkeypatch):
    monkeypatch.setenv("OPFORGE_GOOD_SPEED", "9")
    assert [name for name, _, _ in check_switches()] == ["OPFORGE_GOOD_SPEED"]
    with_plugins("fx-good")
    assert list(check_switches()) == []


def test_plugins_that_are_not_installed(with_plugins, monkeypatch):
    with_plugins("fx-good")
    monkeypatch.setenv("OPFORGE_PLUGINS", "-fx-god,good")
    ((_, message, remedy),) = check_chosen_plugins()
    assert "'fx-god', which is not installed" in message
    assert remedy == "did you mean fx-good?"
    monkeypatch.setenv("OPFORGE_PLUGINS", "none")
    assert list(check_chosen_plugins()) == []
