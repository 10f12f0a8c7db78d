"""Fill the tables of docs/reference/performance_figures.md from docs/explanation/figures.

    python scripts/performance_tables.py                     write tables from stored figures
    python scripts/performance_tables.py --measure           measure everything first
    python scripts/performance_tables.py --measure NAME ...  measure some, for instance threads

Names are those of the stored files. Measuring takes about ten minutes on an idle machine and needs
opforge with its plugins, PyTorch, ONNX Runtime, matplotlib, and an interpreter with MXNet as
`OPFORGE_ORACLE`.
"""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from opforge_tools.benchmarks import charts, reports
from opforge_tools.benchmarks.pages import filled
from opforge_tools.benchmarks.reports import NONE, Sheet

EXPLANATION = Path(__file__).resolve().parents[1] / "docs" / "explanation"
PAGE = EXPLANATION.parent / "reference" / "performance_figures.md"
FIGURES = EXPLANATION / "figures"
RUNS = ("cases-1", "cases-2")
#: Stored figures -> arguments of ``opforge bench`` that measure them.
COMMANDS = {
    "cases-1": ["--against", "torch"],
    "sizes": ["sizes", "--against", "torch"],
    "threads": ["threads"],
    "memory": ["memory", "--against", "torch"],
    "import": ["import"],
    "tracing": ["tracing"],
    "engines": ["engines", "--against", "onnxruntime"],
    "cases-2": ["--against", "torch"],
}
#: Benchmarks of plugins against MXNet, whose interpreter is `OPFORGE_ORACLE`.
PLUGINS = ("image", "detection")
COMMANDS |= {
    name: [name, "--against", "mxnet", "--mxnet-python", os.environ.get("OPFORGE_ORACLE", "python")]
    for name in PLUGINS
}
#: Cases that the README's chart shows -> their labels.
OVERVIEW = {
    "ResNet-18 of 32x32, training step, batch 32": "ResNet-18, training step",
    "ResNet-18, inference, one picture of 224x224, hybridized": "ResNet-18, prediction",
    "LeNet, training step, batch 64, hybridized": "LeNet, training step",
    "MLP 784-128-64-10, training step, batch 64, hybridized": "MLP, training step",
    "LSTM 128 to 256, 35 steps of 32, both": "LSTM, forward and backward",
    "encoder layer 8x128x256, hybridized, both": "Transformer layer, forward and backward",
    "LSTM 256, 64 words, one at a time": "LSTM, word by word",
    "convolution, 32x64x56x56, 64 of 3x3, both": "3x3 convolution, forward and backward",
    "chain of 12 elementwise operators, 1e7": "12 elementwise operators",
    "add, 4 elements": "Adding 4 numbers",
}


def measure(names: Sequence[str]) -> None:
    """Run the named benchmarks; store their results and draw the charts."""
    for name in names:
        arguments = COMMANDS[name]
        print(f"opforge bench {' '.join(arguments)}", flush=True)
        program = "from opforge.cli import main; main()"
        command = [sys.executable, "-c", program, "bench", *arguments, "--json"]
        found = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        (FIGURES / f"{name}.json").write_text(found, encoding="utf-8")
    last = stored("cases-2")
    charts.draw_ratios(last["rows"], last["peers"][0], FIGURES / "ratios.svg")
    charts.draw_overview(overview(), "PyTorch", FIGURES / "overview.svg")
    engines = stored("engines")
    charts.draw_ratios(engines["rows"], engines["peers"][0], FIGURES / "engines.svg")
    charts.draw_sizes(stored("sizes")["rows"], FIGURES / "sizes.svg")


def overview() -> dict[str, float]:
    """Return the ratios of the README's chart: the slower of two runs for opforge."""
    runs = [
        {row["name"]: row["ratios"].get("torch") for row in stored(run)["rows"]} for run in RUNS
    ]
    return {label: max(run[name] for run in runs) for name, label in OVERVIEW.items()}


def stored(name: str) -> dict[str, Any]:
    """Return a stored report."""
    report: dict[str, Any] = json.loads((FIGURES / f"{name}.json").read_text(encoding="utf-8"))
    return report


def two_runs(first: dict[str, Any], second: dict[str, Any]) -> list[Sheet]:
    """Return a table for each group of cases, the two runs side by side."""
    (peer,) = first["peers"]
    columns = ["case", "target", "opforge", peer, "ratio", "noise"]
    columns += [f"{name}, run 2" for name in ("opforge", peer, "ratio", "noise")]
    columns += ["rate", "of limit"]
    again = {row["name"]: row for row in second["rows"]}
    found: dict[str, Sheet] = {}
    for row in first["rows"]:
        sheet = found.setdefault(row["group"], Sheet(row["group"], columns))
        other = again[row["name"]]
        sheet.rows.append(
            [
                row["name"],
                reports.target(row),
                *_figures(row, peer),
                *_figures(other, peer),
                reports.rate(other),
                reports.share(other),
            ]
        )
    return list(found.values())


def _figures(row: dict[str, Any], peer: str) -> list[str]:
    ratio = row["ratios"].get(peer)
    times = [reports.figure(row.get(library)) for library in ("opforge", peer)]
    return [*times, NONE if ratio is None else f"{ratio:.2f}", reports.noise(row, [peer])]


def markdown(sheet: Sheet) -> str:
    """Return a sheet as a Markdown table, with numbers aligned right."""
    lines = [sheet.columns, ["---", *["---:"] * (len(sheet.columns) - 1)], *sheet.rows]
    title = [f"**{sheet.title}**", ""] if sheet.title else []
    table = [f"| {' | '.join(cells)} |" for cells in lines] if sheet.columns else []
    return "\n".join([*title, *table, *(f"\n{note}" for note in sheet.notes)]) + "\n"


def blocks() -> dict[str, str]:
    """Return the text of each marked section of the page."""
    first, second = (stored(name) for name in RUNS)
    found = {"cases": "\n".join(map(markdown, two_runs(first, second)))}
    for name in ("sizes", "threads", "memory", "import", "tracing", "engines"):
        sheets = reports.sheets(stored(name))
        for sheet in sheets:
            sheet.notes.clear()  # the machine is described once
        found[name] = "\n".join(map(markdown, sheets))
    for name in PLUGINS:
        if (FIGURES / f"{name}.json").exists():  # measuring them requires MXNet
            found[name] = "\n".join(map(markdown, reports.sheets(stored(name))))
    found["machine"] = f"{reports.machine_line(first['machine'])}.\n"
    limits = [[f"run {n}", *_limits(r)] for n, r in enumerate((first, second), 1)]
    found["limits"] = markdown(Sheet("", ["", "copy", "matrix product"], limits))
    return found


def _limits(report: dict[str, Any]) -> list[str]:
    limits = report["limits"]
    return [
        f"{limits['bytes_per_second'] / 1e9:.1f} GB/s",
        f"{limits['flops_per_second'] / 1e9:.0f} GFLOP/s",
    ]


def main() -> None:
    """Measure if requested, and write the page."""
    option, names = sys.argv[1:2], sys.argv[2:]
    if option not in ([], ["--measure"]) or set(names) - set(COMMANDS):
        sys.exit(__doc__)
    if option:
        if not charts.can_draw():
            sys.exit("the charts need matplotlib: pip install matplotlib")
        measure(names or list(COMMANDS))
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(filled(page, blocks()), encoding="utf-8")


if __name__ == "__main__":
    main()
