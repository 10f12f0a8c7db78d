"""The README lists the plugins of this repository, and its figures and links are correct."""

import json
import re
from pathlib import Path

import pytest

import opforge
from opforge.cli.reference.declarations import installed_layers, installed_operators

ROOT = Path(__file__).resolve().parents[2]
PLUGINS = sorted(path.parent for path in ROOT.glob("plugins/*/pyproject.toml"))


def test_the_table_has_a_row_for_each_plugin_and_no_other():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(opforge-\w+)` \|", text, re.MULTILINE)
    assert sorted(rows) == [path.name for path in PLUGINS]


def test_the_first_screen_has_both_commands_their_requirements_and_the_chart():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    first_screen = "\n".join(text.splitlines()[:30])
    section = first_screen.partition("## Try it")[2].partition("\n## ")[0]
    for part in ("run.py demo", "run.py test", "compiler", "minutes", "figures/overview.svg"):
        assert part in section


@pytest.mark.parametrize("page", ["README.md", "docs/index.md", "docs/howto/install.md"])
def test_opforge_is_installed_from_wheels_where_they_are_built(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    commands = [m.start() for m in re.finditer(r"^\$ pip install '?opforge", text, re.MULTILINE)]
    assert all(text.find("PIP_FIND_LINKS=") in range(start) for start in commands)


def number(text):
    return int(text.replace(",", ""))


@pytest.fixture(scope="module")
def facts():
    """Return the rows of the README's table of facts by their first column."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    table = text.partition("Measured, and checked by a test:")[2].partition("\n\n## ")[0]
    return dict(re.findall(r"^\| ([^|]+) \| (.+) \|$", table, re.MULTILINE))


def holds(stated, found):
    """Tell whether the README's number is at most the real one, and not much less."""
    return 0.8 * found <= stated <= found


def test_the_number_of_faster_cases(facts):
    said = re.search(r"at least (\d+) of (\d+)", facts["compared with PyTorch 2.13"])
    for run in ("cases-1", "cases-2"):
        path = ROOT / "docs" / "explanation" / "figures" / f"{run}.json"
        rows = json.loads(path.read_text(encoding="utf-8"))["rows"]
        ratios = [row["ratios"]["torch"] for row in rows if "torch" in row["ratios"]]
        assert number(said[2]) == len(ratios)
        assert holds(number(said[1]), sum(ratio < 1 for ratio in ratios))


def test_the_numbers_of_mxnet_names(facts):
    said = list(map(number, re.findall(r"[\d,]*\d", facts["of MXNet 1.9.1's operators"])))
    page = (ROOT / "docs" / "reference" / "mxnet-api.md").read_text(encoding="utf-8")
    for row in (r"`nd`", "all, with the modules below"):
        found = re.search(rf"^\| {row} \| (\d+) \| (\d+) \|", page, re.MULTILINE)
        present, total, said = said[0], said[1], said[2:]
        assert total == int(found[1])
        assert holds(present, int(found[2]))


@pytest.mark.plugins
def test_the_numbers_of_operators_and_layers(facts):
    said = map(int, re.findall(r"\d+", facts["operators and layers"]))
    for stated, things in zip(said, (installed_operators(), installed_layers()), strict=True):
        assert holds(stated, sum(not thing.name.startswith("_") for thing in things))


def test_the_number_of_tests(facts):
    files = [*ROOT.glob("tests/**/test_*.py"), *ROOT.glob("plugins/*/tests/**/test_*.py")]
    functions = sum(
        len(re.findall(r"^\s*def test_\w+", path.read_text(encoding="utf-8"), re.MULTILINE))
        for path in files
    )
    said = number(re.search(r"[\d,]+", facts["tests"])[0])
    assert 0.9 * said <= functions <= 1.2 * said


def test_features_that_it_calls_missing_are_missing():
    assert opforge.context.num_gpus() == 0


def test_linked_files_exist():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#:]+)\)", text)
    assert links
    assert [link for link in links if not (ROOT / link).is_file()] == []
