import pytest
from opforge_tools.testing._battery.checks.operator_checks import leaks

from opforge.op.declaring.declaration import OperatorProp


def leaking(keep):
    class Keeps(OperatorProp):
        """Add one."""

        name = "keeps_something"

        def compose(self, F, data):
            keep(data)
            return data + 1

    return Keeps


def test_operators_without_leaks_pass(outcome):
    assert outcome("leaks", leaking(lambda data: None)).samples == 1000


@pytest.mark.keeps_memory
def test_arrays_objects_and_memory(outcome):
    kept = []
    found = outcome("leaks", leaking(kept.append))
    assert "Python objects; data of single calls are kept alive" in found.message
    samples = [[(20, 30)]]
    found = outcome("leaks", leaking(kept.append), samples=samples)
    assert "bytes of arrays" in found.message
    found = outcome("leaks", leaking(lambda data: kept.append(bytearray(100_000))))
    assert found.status == "failed"


@pytest.mark.parametrize(
    ("growths", "status", "samples"),
    [
        ([500, 500], "failed", 1000),
        ([0, 0], "passed", 1000),
        ([500, 100, 500], "failed", 1500),  # other code freed 400 objects meanwhile
        ([100, 500, 500], "failed", 1500),
        ([600, 0, 0], "passed", 1500),  # a cache grew
        ([0, 600, 0], "passed", 1500),
    ],
)
def test_other_code_of_the_process(outcome, monkeypatch, growths, status, samples):
    counts = [0]
    for growth in growths:
        counts.append(counts[-1] + growth)
    others = dict.fromkeys(leaks._MEASURES, 0)
    known = iter(counts)
    monkeypatch.setattr(leaks, "_count_objects", lambda: others | {"Python objects": next(known)})
    found = outcome("leaks", leaking(lambda data: None))
    assert found.status == status
    if status == "passed":
        assert found.samples == samples
    else:
        assert f"{samples:,} calls" in found.message and f"leave {counts[-1]:,} " in found.message
