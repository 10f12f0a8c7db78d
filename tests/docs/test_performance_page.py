"""The page of performance figures shows all stored figures."""

import importlib.util
import json
from pathlib import Path

import pytest
from opforge_tools.benchmarks import CASES

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def script():
    path = ROOT / "scripts" / "performance_tables.py"
    spec = importlib.util.spec_from_file_location("performance_tables", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_up_to_date(script):
    page = script.PAGE.read_text(encoding="utf-8")
    assert script.filled(page, script.blocks()) == page, "run scripts/performance_tables.py"


@pytest.mark.parametrize("run", ["cases-1", "cases-2"])
def test_both_runs_have_every_case_with_a_target_of_the_groups_that_they_measured(script, run):
    report = json.loads((script.FIGURES / f"{run}.json").read_text(encoding="utf-8"))
    assert report["peers"] == ["torch"]
    targets = {row["name"]: row["target"] for row in report["rows"] if row["target"]}
    groups = {row["group"] for row in report["rows"]}
    wanted = [case for case in CASES if case.target and case.group in groups]
    assert targets == {case.name: case.target for case in wanted}
    assert {row["name"] for row in report["rows"]} <= {case.name for case in CASES}
    failed = [
        row["name"]
        for row in report["rows"]
        if any({"error", "skipped"} & set(row.get(library, {})) for library in ("opforge", "torch"))
    ]
    assert not failed


def test_charts_exist(script):
    for name in ("ratios", "sizes", "overview"):
        assert (script.FIGURES / f"{name}.svg").read_text(encoding="utf-8").startswith("<?xml")


def test_the_overview_shows_the_slower_of_both_runs(script):
    text = (script.FIGURES / "overview.svg").read_text(encoding="utf-8")
    assert len(script.overview()) == len(script.OVERVIEW)
    for label, ratio in script.overview().items():
        assert f">{label}<" in text
        assert f">{ratio:.2f}<" in text
    readme = (script.EXPLANATION.parents[1] / "README.md").read_text(encoding="utf-8")
    lowest, highest = min(script.overview().values()), max(script.overview().values())
    assert f"from {lowest:.2f} to {highest:.2f}](docs/explanation/figures/overview.svg)" in readme
