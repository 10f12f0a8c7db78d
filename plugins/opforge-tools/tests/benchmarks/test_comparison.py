"""The comparison: turns, ratios, and rows that tell what failed."""

import pytest
from opforge_tools.benchmarks import comparison
from opforge_tools.benchmarks.case import Array, Case
from opforge_tools.benchmarks.limits import Limits
from opforge_tools.benchmarks.processes import Failure, Missing

FAST = Case(
    "fast",
    "calls",
    opforge="o",
    torch="t",
    numpy="n",
    sizes={"n": 1000},
    arrays={"a": Array(("n",))},
    target=0.5,
    nbytes="8 * n",
)
SECONDS = {"opforge": 2e-6, "torch": 4e-6, "numpy": 1e-6}


class Stub:
    """Stands for a process; a case named after a library fails there."""

    made = []

    def __init__(self, library, threads):
        self.library, self.closed, self.log = library, False, []
        self.made.append(self)

    def prepare(self, case, threads):
        self.log.append((case.name, threads))
        if case.name == f"{self.library} fails":
            raise Failure("ValueError: no")
        if case.name == f"{self.library} misses":
            raise Missing("OperatorNotFoundError: pip install opforge-x")
        self.dies = case.name == f"{self.library} dies"

    def round(self, seconds):
        if self.dies:
            raise Failure("the process ended")
        self.log.append("round")
        return [SECONDS[self.library]]

    def close(self):
        self.closed = True


@pytest.fixture
def stubs(monkeypatch):
    monkeypatch.setattr(Stub, "made", [])
    monkeypatch.setattr(comparison, "Process", Stub)
    return Stub.made


def test_ratios_and_shares(stubs):
    said = []
    limits = Limits(bytes_per_second=8e9, flops_per_second=1e12)
    (row,) = comparison.compare([FAST], ["torch", "numpy"], 2, limits, 3, said.append)
    assert said == ["fast"]
    assert row["ratios"] == {"torch": 0.5, "numpy": 2.0}
    assert row["opforge"]["count"] == 3
    assert row["bytes_per_second"] == 8000 / 2e-6
    assert row["share"] == pytest.approx(0.5)
    assert [stub.log for stub in stubs] == [[("fast", 2), "round", "round", "round"]] * 3
    assert all(stub.closed for stub in stubs)


def test_a_library_without_the_case_is_not_asked(stubs):
    (row,) = comparison.compare([Case("own", "calls", opforge="o")], ["torch"], 1)
    assert "torch" not in row
    assert row["ratios"] == {}
    assert row["share"] is None
    assert [stub.library for stub in stubs] == ["opforge"]


@pytest.mark.parametrize("how", ["fails", "dies"])
def test_a_failure_leaves_the_other_figures_and_the_next_case(stubs, how):
    cases = [Case(f"opforge {how}", "calls", opforge="o", torch="t"), FAST]
    broken, fine = comparison.compare(cases, ["torch"], 1)
    assert "error" in broken["opforge"]
    assert broken["torch"]["median"] == SECONDS["torch"]
    assert broken["ratios"] == {}
    assert fine["ratios"] == {"torch": 0.5}
    assert [stub.library for stub in stubs] == ["opforge", "torch", "opforge"]


def test_a_case_without_its_plugin_is_skipped_in_all_libraries(stubs):
    cases = [Case("opforge misses", "calls", opforge="o", torch="t"), FAST]
    skipped, fine = comparison.compare(cases, ["torch"], 1)
    assert skipped["opforge"] == {"skipped": "OperatorNotFoundError: pip install opforge-x"}
    assert "torch" not in skipped
    assert fine["ratios"] == {"torch": 0.5}
    assert [stub.library for stub in stubs] == ["opforge", "torch"]


def test_processes_are_closed_when_measuring_is_interrupted(stubs):
    def interrupt(name):
        if name == "second":
            raise KeyboardInterrupt

    second = Case("second", "calls", opforge="o")
    with pytest.raises(KeyboardInterrupt):
        comparison.compare([FAST, second], ["torch"], 1, report=interrupt)
    assert all(stub.closed for stub in stubs)
