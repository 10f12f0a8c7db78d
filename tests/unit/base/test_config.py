import sys

import pytest

from opforge.base import config


def test_defaults_and_aliases(monkeypatch):
    for name in config.SWITCHES["OPFORGE_ENGINE_TYPE"].names:
        monkeypatch.delenv(name, raising=False)
    assert config.get("OPFORGE_ENGINE_TYPE") == "ThreadedEngine"
    monkeypatch.setenv("MXNET_ENGINE_TYPE", "NaiveEngine")
    assert config.get("OPFORGE_ENGINE_TYPE") == "NaiveEngine"
    monkeypatch.setenv("OPFORGE_ENGINE_TYPE", "Other")
    assert config.get("OPFORGE_ENGINE_TYPE") == "Other"


def test_numbers_and_truth(monkeypatch):
    monkeypatch.setenv("OPFORGE_NUM_THREADS", "4,2")
    assert config.get_int("OPFORGE_NUM_THREADS", 1) == 4
    monkeypatch.setenv("OPFORGE_NUM_THREADS", "many")
    assert config.get_int("OPFORGE_NUM_THREADS", 3) == 3
    monkeypatch.setenv("OPFORGE_STRICT", "yes")
    assert config.get_bool("OPFORGE_STRICT")
    monkeypatch.setenv("OPFORGE_STRICT", "0")
    assert not config.get_bool("OPFORGE_STRICT")


@pytest.mark.parametrize(
    ("text", "want"),
    [("0", 0), ("1", 1 << 20), ("", 64 << 20), ("-1", 64 << 20), ("9" * 30, sys.maxsize)],
)
def test_graphs_may_be_kept_without_a_bound_or_not_at_all(monkeypatch, text, want):
    monkeypatch.setenv("OPFORGE_GRAPH_LIMIT_MB", text)
    assert config.graph_limit() == want


def test_every_switch_is_documented():
    assert all(s.doc.endswith((".", ")")) and s.names for s in config.SWITCHES.values())
