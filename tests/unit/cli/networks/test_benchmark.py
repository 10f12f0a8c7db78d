import pytest

from opforge import exporter
from opforge.base.errors import OpforgeError
from opforge.cli.networks import benchmark
from opforge.cli.networks.benchmark import Plan, exporter_for
from opforge.cli.networks.benchmark import _measure_in_turns as measure_in_turns


class Recorded:
    """Process that answers with constants and records the order of requests."""

    def __init__(self, name, log):
        self.name, self.log = name, log
        self.start = {"first": 0.5, "imported": 7}

    def ask(self, name, *arguments):
        self.log.append((self.name, name, arguments))
        return {
            "latency": [0.001, 0.003, 0.002],
            "throughput": 12.0,
            "memory": {"peak": 9, "resident": None},
        }[name]


def test_engines_alternate():
    log = []
    processes = {name: Recorded(name, log) for name in ("a", "b")}
    figures = measure_in_turns(processes, Plan(1, 3, 4.0))
    order = [name for name, what, _ in log if what == "latency"]
    assert order == ["a", "b", "b", "a", "a", "b", "b", "a"]
    assert ("a", "throughput", (3, 1.0)) in log
    assert figures["b"] == {
        "first_ms": 500.0,
        "median_ms": 2.0,
        "p99_ms": 3.0,
        "minimum_ms": 1.0,
        "requests": 12,
        "requests_per_second": 12.0,
        "imported_bytes": 7,
        "peak_bytes": 9,
        "resident_bytes": None,
    }


def test_a_program_belongs_to_an_exporter(monkeypatch):
    class Running(exporter.Exporter):
        program = "json"

    class Missing(exporter.Exporter):
        program = "no_such_package"

    monkeypatch.setattr(benchmark.exporter, "names", lambda: ["running", "missing"])
    for name, klass in (("running", Running), ("missing", Missing)):
        monkeypatch.setitem(exporter._registry._own, name, klass)
    assert exporter_for("json") == "running"
    with pytest.raises(OpforgeError, match="no_such_package is not installed; pip install no_such"):
        exporter_for("no_such_package")
    with pytest.raises(OpforgeError, match=r"\(known: json, no_such_package\); for onnxruntime:"):
        exporter_for("acme")
    monkeypatch.setattr(benchmark.exporter, "names", list)
    with pytest.raises(OpforgeError, match=r"known: none.*pip install opforge-onnx onnxruntime"):
        exporter_for("onnxruntime")
