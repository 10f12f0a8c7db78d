"""The table of all calls, as text and as JSON."""

import json

import pytest

from opforge import nd, profiler


@pytest.fixture
def calls():
    """Call some operators, and note a counter and a marker."""
    profiler.set_config(aggregate_stats=True)
    profiler.set_state("run")
    x = nd.zeros((100, 100))
    nd.sqrt(x)
    for _ in range(2):
        x = x + 1
    domain = profiler.Domain("mine")
    domain.new_counter("number", 5).increment(2)
    domain.new_marker("here").mark()
    profiler.set_state("stop")


def test_columns_are_where_mxnet_has_them(calls):
    lines = profiler.dumps().split("\n")
    assert lines[:3] == [
        "",
        "Profile Statistics:",
        "\tNote the difference in units for different entries.",
    ]
    at = lines.index("operator")
    assert lines[at + 1] == "================="
    assert lines[at + 2].startswith(
        "Name                          Total Count        Time (ms)    Min Time (ms)    "
        "Max Time (ms)    Avg Time (ms)"
    )
    assert lines[at + 3].startswith(
        "----                          -----------        ---------    -------------    "
    )
    row = next(line for line in lines if line.startswith("_plus_scalar "))
    assert len(row) == len(lines[at + 2])
    assert row.split()[1] == "2"
    assert float(row.split()[-1]) == 80.0  # two arrays of 40 kB


def test_counters_have_values(calls):
    found = json.loads(profiler.dumps(format="json"))
    assert found["Counter"] == {
        "mine,counter": {"number": {"Count": 2, "Min": 5, "Max": 7, "Avg": 6}}
    }
    assert "number                                  2           5.0000" in profiler.dumps()
    assert "here" not in profiler.dumps()


def test_json_has_mxnets_keys(calls):
    found = json.loads(profiler.dumps(format="json"))
    assert found["Unit"] == {"Time": "ms", "Memory": "kB"}
    assert {name: row["Count"] for name, row in found["Time"]["operator"].items()} == {
        "_zeros": 1,
        "sqrt": 1,
        "_plus_scalar": 2,
    }
    row = found["Time"]["operator"]["_plus_scalar"]
    assert row["Min"] <= row["Avg"] <= row["Max"] <= row["Total"]
    assert found["Memory"]["Device Storage"]["Memory: cpu/0"]["Max"] >= 40


@pytest.mark.parametrize("ascending", [False, True])
@pytest.mark.parametrize(
    ("sort_by", "key"),
    [("total", "Total"), ("avg", "Avg"), ("min", "Min"), ("max", "Max"), ("count", "Count")],
)
def test_rows_are_sorted(calls, sort_by, key, ascending):
    text = profiler.dumps(format="json", sort_by=sort_by, ascending=ascending)
    found = [row[key] for row in json.loads(text)["Time"]["operator"].values()]
    assert found == sorted(found, reverse=not ascending)
    assert len(found) == 3
