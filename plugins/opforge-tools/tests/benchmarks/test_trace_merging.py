"""Traces of several processes in one."""

import json

import pytest
from opforge_tools.benchmarks.trace_merging import merge_traces, read_trace

from opforge import nd, profiler
from opforge.base.errors import MXNetError
from opforge.profiler.trace import BASE


def written(path, rank, monkeypatch):
    if rank is None:
        monkeypatch.delenv("PMI_RANK", raising=False)
    else:
        monkeypatch.setenv("PMI_RANK", str(rank))
    profiler.set_config(filename=str(path))
    profiler.set_state("run")
    with profiler.Domain("mine").new_task("task"):
        nd.zeros((2,))
    profiler.dump()
    return read_trace(path)


def of(trace, name):
    return [event for event in trace["traceEvents"] if event["name"] == name]


def test_ranks_are_the_processes_numbers(monkeypatch, tmp_path):
    traces = [written(tmp_path / f"{rank}.json", rank, monkeypatch) for rank in (2, 0)]
    merge_traces([tmp_path / "2.json", tmp_path / "0.json"], tmp_path / "all.json")
    merged = read_trace(tmp_path / "all.json")
    assert [event["pid"] for event in of(merged, "_zeros")] == [2, 0]
    assert [e["args"]["sort_index"] for e in of(merged, "process_sort_index")] == [2, 0]
    assert [e["args"]["name"][:7] for e in of(merged, "process_name")] == ["rank 2:", "rank 0:"]
    assert merged[BASE] == traces[0][BASE]
    late = (traces[1][BASE] - traces[0][BASE]) / 1000
    shifts = [
        now["ts"] - before["ts"]
        for before, now in zip(of(traces[1], "_zeros"), of(merged, "_zeros")[1:], strict=True)
    ]
    assert shifts == pytest.approx([late], abs=0.01)
    ids = [event["id"] for event in of(merged, "task")]
    assert ids[0] == ids[1] != ids[2] == ids[3]


@pytest.mark.parametrize("ranks", [(0, 0), (None, None)])
def test_processes_without_ranks_of_their_own_are_numbered(monkeypatch, tmp_path, ranks):
    for number, rank in enumerate(ranks):
        written(tmp_path / f"{number}.json", rank, monkeypatch)
    merge_traces([tmp_path / "0.json", tmp_path / "1.json"], tmp_path / "0.json")
    merged = read_trace(tmp_path / "0.json")
    assert [event["pid"] for event in of(merged, "_zeros")] == [0, 1]
    merge_traces([tmp_path / "0.json", tmp_path / "1.json"], tmp_path / "all.json")
    again = read_trace(tmp_path / "all.json")
    assert sorted({event["pid"] for event in of(again, "_zeros")}) == [0, 1, 2]


def test_a_trace_of_another_program_is_taken(tmp_path):
    event = {"name": "f", "ph": "X", "ts": 5, "dur": 1, "tid": 1}
    (tmp_path / "other.json").write_text(json.dumps({"traceEvents": [event]}))
    merge_traces([tmp_path / "other.json"], tmp_path / "all.json")
    assert read_trace(tmp_path / "all.json")["traceEvents"] == [{**event, "pid": 0}]


@pytest.mark.parametrize("text", ["", "[1]", '{"traceEvents": 3}', "\x80"])
def test_invalid_traces_are_named(tmp_path, text):
    (tmp_path / "bad.json").write_text(text, encoding="latin-1")
    with pytest.raises(MXNetError, match=r"bad\.json is not a trace: "):
        merge_traces([tmp_path / "bad.json"], tmp_path / "all.json")
    assert not (tmp_path / "all.json").exists()
