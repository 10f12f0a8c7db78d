"""Sheets: what is said of each kind of report, figures and failures."""

import pytest
from opforge_tools.benchmarks import reports
from opforge_tools.benchmarks.cases import select

MACHINE = {
    "processor": "Processor X",
    "cores": 2,
    "caches": ["L1 32K"],
    "memory_gib": 4.0,
    "system": "Linux 6",
    "python": "3.12.1",
    "threads": 2,
    "instruction_set": "x86_64_v3",
    "versions": {"opforge": "0.1", "torch": "2.13"},
}
LIMITS = {"bytes_per_second": 40e9, "flops_per_second": 300e9}


def figure(median, spread=0.01):
    return {"median": median, "lowest": median, "spread": spread, "count": 9}


def row(**fields):
    return {
        "name": "softmax",
        "group": "rows",
        "target": 0.8,
        "target_share": None,
        "opforge": figure(2e-3),
        "torch": figure(4e-3, 0.12),
        "ratios": {"torch": 0.5},
        "bytes_per_second": 32e9,
        "flops_per_second": None,
        "share": 0.8,
        **fields,
    }


def cases(*rows, peer="torch"):
    report = {"kind": "cases", "machine": MACHINE, "limits": LIMITS, "peers": [peer]}
    return reports.sheets({**report, "rows": list(rows)})


def test_a_case_is_one_row_of_its_group():
    sheet, last = cases(row())
    assert sheet.title == "rows"
    assert dict(zip(sheet.columns, sheet.rows[0], strict=True)) == {
        "case": "softmax",
        "opforge": "2.00 ms",
        "torch": "4.00 ms",
        "ratio to torch": "0.50",
        "target": "0.8",
        "noise": "12%",
        "rate": "32.0 GB/s",
        "of limit": "80%",
    }
    assert "copying 40.0 GB/s" in last.notes[0]
    assert "Processor X (L1 32K), 2 cores" in last.notes[1]
    assert "torch 2.13" in last.notes[1]


def test_failures_appear_in_row_and_notes():
    error = {"error": "ShapeError: no\nsuch rows"}
    sheet, _ = cases(row(opforge=error, ratios={}, bytes_per_second=None, share=None))
    assert sheet.rows[0][1:4] == ["failed", "4.00 ms", "-"]
    assert sheet.notes == ["softmax: opforge failed: ShapeError: no such rows"]


def test_a_case_without_its_plugin_is_skipped_with_the_reason():
    missing = {"skipped": "OperatorNotFoundError: no 'softmax'\npip install opforge-softmax"}
    without = row(opforge=missing, ratios={}, bytes_per_second=None, share=None)
    del without["torch"]
    sheet, _ = cases(without)
    assert sheet.rows[0][1:4] == ["skipped", "-", "-"]
    (note,) = sheet.notes
    assert note.startswith("softmax: opforge skipped: OperatorNotFoundError")
    assert note.endswith("pip install opforge-softmax")


def test_a_peer_without_the_case_has_a_dash():
    without = row(ratios={})
    del without["torch"]
    sheet, _ = cases(without)
    assert sheet.rows[0][2:4] == ["-", "-"]


def test_a_target_to_pytorch_is_not_shown_beside_a_ratio_to_numpy():
    sheet, _ = cases(row(numpy=figure(1e-3), ratios={"numpy": 2.0}), peer="numpy")
    assert sheet.rows[0][3:5] == ["2.00", "-"]


def test_targets_and_rates():
    shares, products = cases(
        row(target=None, target_share=0.5),
        row(group="products", target=None, flops_per_second=2e11),
    )[:2]
    assert shares.rows[0][4] == "50% of limit"
    assert products.rows[0][4] == "-"
    assert products.rows[0][6] == "200.0 GFLOP/s"


def test_sizes():
    points = [{"elements": n, "seconds": n * 1e-9, "per_element": 1e-9} for n in (1, 1000)]
    rows = [{"name": "add", "points": points, "worst": 1.0, "worst_at": 1000}]
    report = {"kind": "sizes", "machine": MACHINE, "rows": {"opforge": rows, "torch": rows}}
    own, peer = reports.sheets(report)
    assert own.title.endswith("opforge")
    assert peer.title.endswith("torch")
    assert own.rows == [["1", "1.00"], ["1,000", "1.00"], ["worst step", "1.00 at 1,000"]]


def test_threads():
    rows = [
        {"name": "exp", "one": 2e-3, "several": 1e-3, "speedup": 2.0, "share": 0.9},
        {"name": "softmax", "skipped": "missing"},
    ]
    report = {"kind": "threads", "machine": MACHINE, "limits": LIMITS, "rows": rows}
    (sheet,) = reports.sheets(report)
    assert sheet.rows[0] == ["exp", "2.00 ms", "1.00 ms", "2.00", "90%"]
    assert sheet.rows[1][:2] == ["softmax", "skipped"]
    assert "softmax: missing" in sheet.notes


def test_memory():
    peak = {"step": 2**20, "beyond_import": 2**21}
    rows = [{"name": "step", "opforge": peak, "torch": {"error": "no torch"}}]
    libraries = ["opforge", "torch"]
    report = {"kind": "memory", "machine": MACHINE, "libraries": libraries, "rows": rows}
    (sheet,) = reports.sheets(report)
    assert sheet.rows == [["step", "1.0 MiB", "2.0 MiB", "failed", "-"]]
    assert sheet.notes[0] == "step: torch: no torch"


def test_imports():
    rows = [
        {"name": "numpy", "plugins": 0, "seconds": 0.09, "beyond_numpy": 0.0},
        {"name": "opforge", "plugins": 100, "seconds": 0.1, "beyond_numpy": 0.01},
    ]
    (sheet,) = reports.sheets({"kind": "import", "machine": MACHINE, "rows": rows})
    assert sheet.rows == [["numpy", "0", "90.0 ms", "-"], ["opforge", "100", "100 ms", "10.0 ms"]]


def test_an_unknown_kind_is_a_key_error():
    with pytest.raises(KeyError):
        reports.sheets({"kind": "weather"})


def test_the_listing_shows_the_expressions():
    (sheet,) = reports.listing(select("^data movement: tile"))
    assert sheet.is_text
    (cells,) = sheet.rows
    assert cells[0] == "tile, 100x1000 by 80"
    assert "np.tile(t, (times, 1))" in cells


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.9999e-3, "1000 µs"),
        (-7.35e-3, "-7.35 ms"),
        (1e-3, "1.00 ms"),
        (123.4e-6, "123 µs"),
        (0.999, "999 ms"),
        (2, "2.00 s"),
    ],
)
def test_times(value, text):
    assert reports.seconds(value) == text
