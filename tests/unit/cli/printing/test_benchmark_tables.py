from opforge.cli.printing.benchmark_tables import print_benchmark

FIGURES = {
    "first_ms": 100.0,
    "median_ms": 2.0,
    "p99_ms": 4.0,
    "minimum_ms": 1.0,
    "requests": 10,
    "requests_per_second": 500.0,
    "imported_bytes": 2**20,
    "peak_bytes": 3 * 2**20,
    "resident_bytes": None,
}
OPERATORS = [
    {"name": "conv0", "type": "Convolution", "ms": 1.5, "share": 0.75},
    {"name": "relu0\x1b", "type": "Activation", "ms": 0.5, "share": 0.25},
]
REPORT = {
    "inputs": {"data": {"shape": [1, 3], "dtype": "float32"}},
    "threads": 2,
    "clients": 1,
    "engines": {"opforge": FIGURES},
    "operators": OPERATORS,
}


def printed(report, most, capsys):
    print_benchmark(report, most)
    return [line.split("  ") for line in capsys.readouterr().out.splitlines()]


def rows_of(lines):
    return {line[0]: [cell.strip() for cell in line[1:] if cell.strip()] for line in lines}


def test_one_engine(capsys):
    lines = printed(REPORT, 1, capsys)
    rows = rows_of(lines)
    assert lines[0] == ["inputs: data 1x3 float32"]
    assert rows["latency, median (ms)"] == ["2.000"]
    assert rows["throughput, 1 client (requests/s)"] == ["500.0"]
    assert rows["memory, peak (MiB)"] == ["3.0"] and rows["memory, resident (MiB)"] == ["-"]
    assert rows["conv0"] == ["Convolution", "1.500", "75.0 %"]
    assert not any("relu0" in name for name in rows)


def test_two_engines_and_their_ratio(capsys):
    other = {**FIGURES, "median_ms": 1.0, "resident_bytes": 2**20}
    report = {
        **REPORT,
        "clients": 4,
        "engines": {"opforge": FIGURES, "acme": other},
        "difference": 1e-6,
    }
    lines = printed(report, 9, capsys)
    rows = rows_of(lines)
    assert rows["latency, median (ms)"] == ["2.000", "1.000", "2.00"]
    assert rows["throughput, 4 clients (requests/s)"] == ["500.0", "500.0", "1.00"]
    assert rows["memory, resident (MiB)"] == ["-", "1.0", "-"]
    assert ["The outputs differ by 1.0e-06 of the largest element."] in lines
    assert r"relu0\x1b" in rows
