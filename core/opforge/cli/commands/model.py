"""``opforge model``: what a saved model needs, its conversion, outputs, comparisons and speed."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from ...base.errors import OpforgeError
from ...base.text_lines import visible
from ...base.text_tables import Column, TextTable
from ..printing.console import (
    fail,
    open_console,
    print_json,
    print_plain,
    print_table,
    print_whole,
)

__all__ = ["model"]

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
File = Annotated[
    Path, typer.Argument(help="A graph (prefix-symbol.json) or arrays (prefix-0001.params).")
]

Model = Annotated[
    Path, typer.Argument(help="A graph (prefix-symbol.json), or a file such as net.onnx.")
]
Params = Annotated[
    Path | None, typer.Option("--params", help="Parameters of a graph [default: the only ones].")
]
Shapes = Annotated[
    list[str] | None,
    typer.Option("--shape", metavar="NAME=N,N", help="Shape of an input, where it is open."),
]
Inputs = Annotated[
    list[str] | None,
    typer.Option("--input", metavar="[NAME=]FILE", help="Array of NumPy (.npy) for an input."),
]

model = typer.Typer(
    help="Inspect, convert, run, compare, quantize and measure saved models.",
    no_args_is_help=True,
)


@model.callback()
def _group() -> None:
    """Inspect, convert, run, compare, quantize and measure saved models."""


@model.command("check")
def check(file: File, as_json: Json = False) -> None:
    """Show the requirements of a model; exit status 1 if it cannot be loaded here."""
    from ..reference import rows
    from ..reference.model_file import explain

    rows.import_core()
    try:
        report = explain(file)
    except OSError as error:
        fail(
            f"{file} cannot be read: {error.strerror}. Pass the file of a graph "
            "(prefix-symbol.json) or of arrays (prefix-0001.params)"
        )
    except OpforgeError as error:
        fail(str(error))
    if as_json:
        print_json(report)
    elif report["kind"] == "arrays":
        _print_arrays(report)
    else:
        _print_graph(report)
    if not report["loadable"]:
        raise typer.Exit(1)


@model.command("convert")
def convert(
    source: Model,
    target: Annotated[
        Path,
        typer.Argument(
            help="prefix-symbol.json, a file such as net.onnx, or .params or .safetensors for the "
            "parameters alone."
        ),
    ],
    params: Params = None,
    shapes: Shapes = None,
) -> None:
    """Write a model in another format."""
    from ..networks.files import read, write

    sizes = _sizes(shapes)
    with _explain_errors():
        written = write(read(source, params, sizes), target, sizes)
    print_plain(open_console(), f"wrote {visible(', '.join(map(str, written)))}")


@model.command("run")
def run(
    source: Model,
    inputs: Inputs = None,
    params: Params = None,
    output: Annotated[
        Path | None, typer.Option("--output", help="File (.npz) for the outputs.")
    ] = None,
) -> None:
    """Print what a model computes from arrays in files."""
    import numpy as np

    from ..networks.files import read
    from ..networks.running import read_inputs
    from ..networks.running import run as results_of

    with _explain_errors():
        network = read(source, params)
        found = results_of(network, read_inputs(inputs or [], network.inputs))
        if output is not None:
            arrays: dict[str, Any] = dict(found)
            np.savez(output, **arrays)
    headings = ("output", "shape", "type", "mean", "least", "largest")
    table = TextTable([Column(heading) for heading in headings])
    for name, array in found.items():
        values = array.astype("float64")
        numbers = [f"{value:.6g}" for value in (values.mean(), values.min(), values.max())]
        shape = " x ".join(map(str, array.shape))
        table.rows.append([visible(name), shape, array.dtype.name, *numbers])
    print_table(open_console(), table)


@model.command("compare")
def compare(
    first: Model,
    second: Model,
    inputs: Inputs = None,
    params: Params = None,
    second_params: Annotated[
        Path | None, typer.Option("--second-params", help="Parameters of the second graph.")
    ] = None,
    tolerance: Annotated[
        float, typer.Option(help="Largest difference, relative to the largest element.")
    ] = 1e-4,
) -> None:
    """Show where two models differ; exit status 1 if they do.

    The first is run by opforge, the second by the program of its format if there is one, such as
    ONNX Runtime. Layers are compared by their names.
    """
    from ..networks.comparing import compare as differences_of
    from ..networks.files import read
    from ..networks.other_programs import run_there
    from ..networks.running import read_inputs, run

    with _explain_errors():
        network = read(first, params)
        arrays = read_inputs(inputs or [], network.inputs)
        there = run_there(second, arrays, second_params)
        rows = differences_of(run(network, arrays, layers=True), there, tolerance)
    if not rows:
        fail(f"{first} and {second} have no layers of the same name; compare the outputs of run")
    table = TextTable([Column("layer"), Column("shape"), Column("difference"), Column("")])
    for row in rows:
        shape = " x ".join(map(str, row.shape))
        mark = "" if row.is_same else "differs"
        table.rows.append([visible(row.name), shape, f"{row.largest:.1e}", mark])
    console = open_console()
    print_table(console, table)
    different = [row.name for row in rows if not row.is_same]
    if different:
        print_plain(console, f"\nThe first difference is in {visible(different[0])}.")
        raise typer.Exit(1)
    print_plain(console, f"\nAll {len(rows)} layers of the same name agree.")


@model.command("quantize")
def quantize(
    source: Model,
    target: Annotated[Path, typer.Argument(help="File of the small model, as for convert.")],
    calibrate: Annotated[
        list[str],
        typer.Option(
            metavar="[NAME=]FILE", help="Examples (.npy) for an input, from which ranges are taken."
        ),
    ],
    labels: Annotated[
        Path | None, typer.Option(help="Index of the class of each example (.npy).")
    ] = None,
    mode: Annotated[
        str, typer.Option(help="entropy: ranges preserve distributions; naive: extremes.")
    ] = "entropy",
    exclude: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Node that stays in float32.")
    ] = None,
    batch: Annotated[
        int, typer.Option(min=1, metavar="N", help="Examples that are computed at once.")
    ] = 32,
    params: Params = None,
    as_json: Json = False,
) -> None:
    """Write a model of 8-bit integers; show size, speed and accuracy before and after.

    Layers are listed with their error: the root mean square of the differences, in units of that of
    the original values.
    """
    from ..networks.files import read, write
    from ..networks.quantizing import examples_of, measure
    from ..networks.quantizing import quantize as quantized
    from ..networks.running import read_arrays
    from ..printing.quantization_tables import print_quantization

    with _explain_errors():
        network = read(source, params)
        examples = examples_of(read_arrays(calibrate, network.inputs), network, labels)
        small = quantized(network, examples, mode, exclude or [], batch)
        report = measure(network, small, examples, batch)
        sizes = {name: (1, *array.shape[1:]) for name, array in examples.inputs.items()}
        report["files"] = [str(file) for file in write(small, target, sizes)]
    if as_json:
        print_json(report)
    else:
        print_quantization(report)


@model.command("bench")
def bench(
    source: Model,
    against: Annotated[
        str | None,
        typer.Option(metavar="PROGRAM", help="Measure another program too, such as onnxruntime."),
    ] = None,
    shapes: Shapes = None,
    inputs: Inputs = None,
    batch: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="First size of all inputs.")
    ] = None,
    clients: Annotated[
        int, typer.Option(min=1, metavar="N", help="Threads that predict at the same time.")
    ] = 4,
    threads: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Threads for one request [default: all cores]."),
    ] = None,
    seconds: Annotated[
        float, typer.Option(min=0.01, help="Duration of each measurement of each program.")
    ] = 2.0,
    rows: Annotated[int, typer.Option(min=0, metavar="N", help="Number of operators.")] = 10,
    params: Params = None,
    as_json: Json = False,
) -> None:
    """Measure latency, throughput and memory of predictions, and the slowest operators.

    Inputs are random where no file is given. A request goes from arrays of NumPy to arrays of
    NumPy. All clients share one network. Each program has a separate process; two programs take
    turns, with the same inputs, threads and clients.
    """
    from ...native.threads import parallel
    from ..networks.benchmark import Plan, measure
    from ..networks.files import read
    from ..networks.request_inputs import make_inputs
    from ..networks.running import read_arrays
    from ..printing.benchmark_tables import print_benchmark

    sizes = _sizes(shapes)
    with _explain_errors():
        network = read(source, params, sizes)
        arrays = make_inputs(network, read_arrays(inputs or [], network.inputs), sizes, batch)
        plan = Plan(threads or parallel.get_num_threads(), clients, seconds)
        report = measure(source, params, network, arrays, plan, against)
    if as_json:
        print_json({"model": str(source), **report})
    else:
        print_benchmark(report, rows)


def _sizes(shapes: list[str] | None) -> dict[str, tuple[int, ...]]:
    """Return the shapes in options such as ``data=1,3,224,224``."""
    found = {}
    for text in shapes or []:
        name, separator, sizes = text.partition("=")
        parts = sizes.split(",")
        if not separator or not all(part.strip().isdigit() for part in parts):
            fail(f"--shape {text}: expected NAME=N,N,..., such as data=1,3,224,224")
        found[name] = tuple(int(part) for part in parts)
    return found


@contextmanager
def _explain_errors() -> Iterator[None]:
    """End the command with the text of an error of opforge or of the file system."""
    from ..reference import rows

    rows.import_core()
    try:
        yield
    except OSError as error:
        fail(f"{error.filename} cannot be opened: {error.strerror}")
    except (OpforgeError, ValueError) as error:
        fail(str(error))


def _print_arrays(report: dict[str, Any]) -> None:
    console = open_console()
    title = f"{report['count']} arrays, {report['bytes']} bytes"
    columns = [Column("name"), Column("shape", whole=True), Column("type", whole=True)]
    table = TextTable(columns, title=title)
    for row in report["arrays"]:
        shape = " x ".join(map(str, row["shape"]))
        table.rows.append([visible(cell) for cell in (row["name"], shape, row["dtype"])])
    print_table(console, table)


def _print_graph(report: dict[str, Any]) -> None:
    console = open_console()
    facts = [
        f"{report['nodes']} nodes, including {len(report['inputs'])} variables",
        f"file format of MXNet {report['mxnet_version']}",
        f"primitive operators: {', '.join(report['primitive']) or 'none'}",
    ]
    print_plain(console, "\n".join(map(visible, facts)))
    if report["operators"]:
        title = "Operators beyond the primitive set"
        if not report["has_bill"]:
            title += " (the file does not name their plugins)"
        headings = ("operator", "count", "plugin", "saved with", "installed", "state")
        table = TextTable([Column(heading) for heading in headings], title=f"\n{title}")
        for row in report["operators"]:
            cells = [row["name"], str(row["count"]), row["provider"], row["version"]]
            cells += [row["installed"], row["state"]]
            table.rows.append([visible(cell) for cell in cells])
        print_table(console, table)
    texts = [row["text"] for row in report["operators"] if row["text"]]
    for text in texts:
        print_plain(console, f"\n{visible(text)}")
    verdict = "It can be loaded." if report["loadable"] else "It cannot be loaded here."
    print_plain(console, f"\n{console.bold(verdict)}")
    if report["install"]:
        print_whole(visible(f"If you trust the source of the file: {report['install']}"))
