"""Charts of measurements, if matplotlib is installed."""

import sys

import pytest
from opforge_tools.benchmarks import charts

pytest.importorskip("matplotlib", reason="charts need opforge[bench]")

ROWS = [
    {"name": "add", "target": 0.5, "ratios": {"torch": 0.3, "numpy": 2.0}},
    {"name": "dot", "target": None, "ratios": {"torch": 1.4}},
    {"name": "softmax", "target": 0.8, "ratios": {}},
]
PNG = b"\x89PNG"


@pytest.mark.parametrize("peer", ["torch", "numpy"])
def test_ratios_are_drawn(tmp_path, peer, monkeypatch):
    monkeypatch.delitem(sys.modules, "matplotlib.pyplot", raising=False)  # other tests use it
    charts.draw_ratios(ROWS, peer, tmp_path / "ratios.png")
    assert (tmp_path / "ratios.png").read_bytes().startswith(PNG)
    assert "matplotlib.pyplot" not in sys.modules, "a chart must not need a window"


def test_the_same_figures_give_the_same_file(tmp_path):
    for name in ("a.svg", "b.svg"):
        charts.draw_ratios(ROWS, "torch", tmp_path / name)
    text = (tmp_path / "a.svg").read_text()
    assert text == (tmp_path / "b.svg").read_text()
    assert ">softmax<" not in text and ">dot<" in text  # a case without the peer is left out


def test_sizes_are_drawn(tmp_path):
    points = [{"elements": n, "per_element": 1e-9 * n} for n in (1, 10)]
    rows = [{"name": "add", "points": points}]
    charts.draw_sizes({"opforge": rows, "torch": rows}, tmp_path / "sizes.png")
    assert (tmp_path / "sizes.png").read_bytes().startswith(PNG)


def test_an_overview_has_each_label_and_its_ratio(tmp_path):
    charts.draw_overview({"add": 0.5, "a slow one": 1.25}, "PyTorch", tmp_path / "a.svg")
    text = (tmp_path / "a.svg").read_text(encoding="utf-8")
    for shown in ("add", "a slow one", "0.50", "1.25", "time relative to PyTorch"):
        assert shown in text
