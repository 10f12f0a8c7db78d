"""Profiles of given calls: nothing here depends on how long anything takes."""

from dataclasses import dataclass

import pytest
from opforge_estimator.estimator.profile import profile_of


@dataclass
class Call:
    category: str
    name: str
    count: int
    total: float
    own: float


def calls(data=1.0, backward=2.0, extra=()):
    return [
        Call("Estimator", "profile", 1, 10.0, 0.0),
        Call("Estimator", "data", 5, data, 0.0),
        Call("Estimator", "fit_batch", 4, 5.0, 0.0),
        Call("Estimator", "update", 4, 0.5, 0.0),
        Call("Estimator", "LoggingHandler", 8, 0.125, 0.0),
        Call("Estimator", "Other", 4, 0.25, 0.0),
        Call("autograd", "backward", 4, backward, 0.0),
        Call("operator", "dot", 8, 3.0, 0.5),
        Call("graph", "CachedOp", 4, 4.0, 1.5),
        Call("Data", "DataLoader.next", 4, 1.0, 0.0),
        *extra,
    ]


def test_phases_sum_to_the_whole():
    found = profile_of(calls(), 4)
    assert [(row.name, row.calls, row.seconds) for row in found.phases] == [
        ("data", 5, 1.0),
        ("forward", 4, 3.0),
        ("backward", 4, 2.0),
        ("update", 4, 0.5),
        ("Other", 4, 0.25),
        ("LoggingHandler", 8, 0.125),
        ("other", 4, 3.125),
    ]
    assert sum(row.share for row in found.phases) == pytest.approx(1)
    assert sum(row.seconds for row in found.phases) == found.seconds == 10


def test_operators_are_sorted_by_their_own_time():
    found = profile_of(calls(), 4)
    assert [(row.name, row.calls, row.seconds, row.share) for row in found.operators] == [
        ("CachedOp", 4, 1.5, 0.15),
        ("dot", 8, 0.5, 0.05),
    ]


def test_backward_passes_of_handlers_are_not_counted_twice():
    found = {row.name: row.seconds for row in profile_of(calls(backward=6.0), 4).phases}
    assert (found["forward"], found["backward"]) == (0.0, 5.0)


def test_advice_where_waiting_for_data_takes_long():
    assert profile_of(calls(data=1.0), 4).advice is None
    slow = profile_of(calls(data=4.0), 4)
    assert slow.advice.startswith("Waiting for data takes 40% of the time.")
    assert "num_workers=2" in slow.advice and "prefetch=4" in slow.advice
    assert slow.advice in str(slow) and slow.advice in slow._repr_html_()


def test_text():
    lines = str(profile_of(calls(), 4)).splitlines()
    assert lines[0] == "Profile of 4 batches: 10,000.000 ms"
    assert lines[2].split() == ["Phase", "Calls", "Time", "(ms)", "Share"]
    assert lines[5].split() == ["forward", "4", "3,000.000", "30.0%"]
    assert lines[-1].split() == ["dot", "8", "500.000", "5.0%"]
    assert len({len(line) for line in lines[2:11]}) == 1
    assert repr(profile_of(calls(), 1)).startswith("Profile of 1 batch: ")


def test_text_of_many_operators():
    extra = [Call("operator", f"op{i:02}", 1, 0.0, 0.0) for i in range(12)]
    found = profile_of(calls(extra=extra), 4)
    assert str(found).endswith("... and 4 other operators")
    assert "op11" in found._repr_html_() and len(found.operators) == 14


def test_html_is_escaped():
    page = profile_of(calls(extra=[Call("operator", "<b>", 1, 0.5, 0.25)]), 4)._repr_html_()
    assert "<td>&lt;b&gt;</td><td>1</td><td>250.000</td><td>2.5%</td>" in page
    assert page.count("<table>") == 2


def test_to_pandas():
    pytest.importorskip("pandas")
    frame = profile_of(calls(), 4).to_pandas()
    assert list(frame.columns) == ["kind", "name", "calls", "seconds", "share"]
    assert frame[frame.kind == "phase"].share.sum() == pytest.approx(1)
    assert frame[frame.kind == "operator"].name.tolist() == ["CachedOp", "dot"]
