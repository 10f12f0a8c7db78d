"""Compare the outputs of symbol files in opforge and in MXNet 1.9.1.

    python scripts/mxnet_symbols.py FOLDER --oracle PYTHON [NAME ...]

FOLDER has files ``*.json`` that MXNet wrote, of any version. opforge loads each and infers shapes
from the first input shape that fits; both libraries then compute the outputs, for prediction and
for training, and the gradients of the parameters. The parameters are random, or those of a file
NAME-0000.params next to NAME-symbol.json. The table has the largest differences of both from
opforge's results in float64, relative to the largest element of each array; where an operator
accepts float32 alone, those of opforge from MXNet's. The status is 1 if opforge's exceeds 1e-4 and
four times MXNet's, or if opforge fails where MXNet does not.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

#: Shapes of inputs by patterns of their names; the first that fits the network is used. Batch
#: normalizations in training need several images.
IMAGE = r"^(data|x|image|input|input_0|0)$"
SHAPES = [(IMAGE, (4, 3, 112, 112)), (IMAGE, (2, 3, 224, 224))]
SHAPES += [
    (IMAGE, (1, 3, side, side)) for side in (299, 300, 128, 64, 48, 32, 28, 24, 12, 512, 640)
]
SHAPES += [
    (IMAGE, (2, *shape))
    for shape in [(15, 24, 24), (1, 224, 224), (1, 28, 28), (784,), (1, 32, 100), (1, 32, 256)]
]
SHAPES += [(r"^data$", shape) for shape in [(1, 20), (1, 5, 20), (20, 1), (1, 1), (1, 100)]]
#: Shapes of further inputs.
OTHERS = {"im_info": (1, 3), "rois": (1, 5)}
#: Part of a file's name -> shapes of its inputs, which no general shape fits.
FILES = {
    "__cnn-symbol": {"data": (50, 56)},
    "cnocr": {"data": (4, 1, 32, 280), "label": (4, 4)},
    "lstm_ptb": {"data": (35, 4), "softmax_label": (35, 4)},
    "static_bert_qa": {"data0": (1, 384), "data1": (1, 384), "data2": (1,)},
    "ISLProject2021": {"data": (1, 3, 32, 224, 224)},
    "crfasrnn": {"data0": (4, 6), "data1": (4, 6), "data2": (4, 6)},
}
KINDS = ("prediction", "training", "gradients")
LIMIT = 1e-4
HERE = Path(__file__).resolve()


def main() -> int:
    """Print a row for each file; return 1 if one differs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("names", nargs="*", metavar="NAME", help="parts of names of files")
    parser.add_argument("--oracle", metavar="PYTHON", help="a Python that has MXNet 1.9.1")
    parser.add_argument("--compute", metavar="WORK", help=argparse.SUPPRESS)
    parser.add_argument("--shapes", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_intermixed_args()
    if options.compute:
        compute(options.folder, Path(options.compute))
        return 0
    if options.shapes:
        return int(isinstance(fitting_shapes(options.folder), str))
    if not options.oracle:
        parser.error("--oracle is needed")
    failed = 0
    for path in sorted(options.folder.glob("*.json")):
        if not options.names or any(name in path.name for name in options.names):
            text, passes = row(path, options.oracle)
            print(f"{path.name[:70]:70} {text}", flush=True)
            failed += not passes
    return int(failed > 0)


def row(path: Path, oracle: str) -> tuple[str, bool]:
    """Return the cells of a file, and whether it passes."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        if (error := prepare(path, work)) is not None:
            done = execute([oracle], path, "--shapes")
            fails = done.returncode != 0
            return f"{error}; MXNet: {'fails too' if fails else 'works'}", fails
        errors, names = {}, ("opforge", "mxnet")
        ours = [sys.executable, "-m", "opforge.mxnet"]
        runs = {"float64": ours, "opforge": ours, "mxnet": [oracle]}
        for name, python in runs.items():
            (work / name).mkdir()
            done = execute(python, path, "--compute", str(work / name))
            if done.returncode:
                lines = (done.stderr.strip() or f"status {done.returncode}").splitlines()
                errors[name] = next((x for x in lines[::-1] if "Error" in x), lines[-1])[:150]
        exact = "float64"
        if "DTypeError" in errors.get("float64", ""):
            exact = "mxnet"
            del errors["float64"]
        if errors:
            return "; ".join(f"{n}: {text}" for n, text in errors.items()), "mxnet" in errors
        mine, other = ([difference(work, name, exact, kind) for kind in KINDS] for name in names)
        shape = json.loads((work / "shapes.json").read_text())["inputs"]
        text = "  ".join(f"{a:7.1e} {b:7.1e}" for a, b in zip(mine, other, strict=True))
        good = all(a <= max(LIMIT, 4 * b) for a, b in zip(mine, other, strict=True))
        return f"{text}  {next(iter(shape.values()))}{'' if good else '  DIFFERS'}", good


def execute(python: list[str], path: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run this script in a separate process."""
    settings = {**os.environ, "PYTHONWARNINGS": "ignore", "MXNET_SUBGRAPH_BACKEND": "NONE"}
    command = [*python, str(HERE), str(path), *options]
    return subprocess.run(
        command, env=settings, capture_output=True, text=True, check=False, timeout=600
    )


def without_dropout(path: Path) -> str:
    """Return a graph in which no values are dropped, as their choice is random."""
    graph = json.loads(path.read_text(encoding="utf-8"))
    for node in graph["nodes"]:
        if node["op"] == "Dropout":
            # Versions of MXNet differ in the key of attributes.
            key = next((key for key in ("attrs", "attr", "param") if key in node), "attrs")
            node.setdefault(key, {})["p"] = "0"
    return json.dumps(graph)


def prepare(path: Path, work: Path) -> str | None:
    """Write shapes and random parameters of a file; return an error in words if it has none."""
    import opforge.mxnet

    opforge.mxnet.install()
    with warnings.catch_warnings(action="ignore"):  # of unknown shapes
        found = fitting_shapes(path)
    if isinstance(found, str):
        return found
    write(work, *found)
    return None


def stored_parameters(path: Path) -> dict:
    """Return the parameters of a checkpoint by name; none if it has no file of them."""
    import mxnet as mx

    files = sorted(path.parent.glob(path.name.removesuffix("-symbol.json") + "-*.params"))
    arrays = mx.nd.load(str(files[0])) if files else {}
    return {key.partition(":")[2]: array.asnumpy() for key, array in arrays.items()}


def fitting_shapes(path: Path) -> tuple[dict, dict, dict, dict] | str:
    """Return shapes of inputs, arguments and states in the library at hand, and stored parameters.

    Return an error in words if no shapes of inputs fit.
    """
    import mxnet as mx

    try:
        symbol = mx.sym.load_json(without_dropout(path))
    except (mx.MXNetError, ValueError, KeyError) as error:
        return f"load: {type(error).__name__}: {str(error).splitlines()[0][:150]}"
    stored = stored_parameters(path)
    error = ""
    for inputs in possible_inputs(path, symbol.list_arguments()):
        try:
            shapes, outputs, states = symbol.infer_shape(**inputs)
        except mx.MXNetError as wrong:
            error = error or f"shapes: {str(wrong).splitlines()[0][:150]}"
            continue
        if shapes is None or any(0 in shape for shape in [*outputs, *shapes]):
            error = error or "shapes of some inputs are not known"
            continue
        arguments = dict(zip(symbol.list_arguments(), shapes, strict=True))
        auxiliary = dict(zip(symbol.list_auxiliary_states(), states, strict=True))
        known = {**arguments, **auxiliary}
        if any(known[name] != stored[name].shape for name in known.keys() & stored.keys()):
            error = error or "the stored parameters have other shapes"
            continue
        return inputs, arguments, auxiliary, stored
    return error or f"no shape is known for one of {symbol.list_arguments()[:3]}"


def possible_inputs(path: Path, arguments: list) -> list[dict]:
    """Return dicts of shapes of inputs, to be tried in this order."""
    of_file = [shapes for part, shapes in FILES.items() if part in path.name]
    others = {name: OTHERS[name] for name in arguments if name in OTHERS}
    general = [
        {**{n: shape for n in arguments if re.search(pattern, n)}, **others}
        for pattern, shape in SHAPES
    ]
    return of_file or [inputs for inputs in general if inputs]


def write(work: Path, inputs: dict, arguments: dict, states: dict, stored: dict) -> None:
    """Write the shapes of inputs and all values, which are random where none are stored."""
    draw = np.random.default_rng(0)
    values = {}
    for name, shape in arguments.items():
        if name in inputs:
            # A matrix may be indices of words.
            values[name] = draw.uniform(0, 1 if len(shape) > 2 else 9, shape)
        elif name.endswith("label"):
            values[name] = np.zeros(shape)
        elif name.endswith(("gamma", "scale")):
            values[name] = draw.uniform(0.2, 0.5, shape)
        elif name.endswith("parameters"):  # of a recurrent layer
            values[name] = draw.normal(0, 0.1, shape)
        else:
            values[name] = draw.normal(0, (1.5 / max(1, np.prod(shape[1:]))) ** 0.5, shape)
    for name, shape in states.items():
        values[name] = draw.uniform(0.5, 1.5, shape) if "var" in name else np.zeros(shape)
    values |= {name: stored[name] for name in values.keys() & stored.keys()}
    np.savez(work / "values.npz", **{n: v.astype("float32") for n, v in values.items()})
    parts = {"inputs": inputs, "states": list(states)}
    (work / "shapes.json").write_text(json.dumps(parts))


def compute(path: Path, work: Path) -> None:
    """Compute outputs and gradients, and store them."""
    import mxnet as mx

    values = np.load(work.parent / "values.npz")
    parts = json.loads((work.parent / "shapes.json").read_text())
    kind = "float64" if work.name == "float64" else "float32"
    graph = without_dropout(path).replace('"dtype": "float32"', f'"dtype": "{kind}"')
    symbol = mx.sym.load_json(graph)
    arrays = {n: mx.nd.array(values[n], dtype=kind) for n in symbol.list_arguments()}
    states = {n: mx.nd.array(values[n], dtype=kind) for n in symbol.list_auxiliary_states()}
    trained = [n for n in arrays if n not in parts["inputs"] and not n.endswith("label")]
    gradients = {name: mx.nd.zeros(arrays[name].shape, dtype=kind) for name in trained}
    bound = symbol.bind(mx.cpu(), arrays, gradients, aux_states=states)
    store(work / "prediction.npz", bound.forward(is_train=False))
    mx.random.seed(0)
    store(work / "training.npz", bound.forward(is_train=True))
    draw = np.random.default_rng(1)
    heads = [mx.nd.array(draw.normal(size=each.shape), dtype=kind) for each in bound.outputs]
    bound.backward(heads)
    store(work / "gradients.npz", gradients.values())


def store(path: Path, arrays: object) -> None:
    """Store arrays by their index."""
    np.savez(path, **{str(i): array.asnumpy() for i, array in enumerate(arrays)})


def difference(work: Path, name: str, reference: str, kind: str) -> float:
    """Return the largest relative difference of arrays from those of a reference."""
    found, exact = (np.load(work / each / f"{kind}.npz") for each in (name, reference))
    worst = 0.0
    for key in exact.files:
        a, b = (each[key].astype("float64") for each in (found, exact))
        if a.shape != b.shape or (np.isnan(a) != np.isnan(b)).any():
            return float("nan")
        if a.size:
            gap = np.nanmax(np.abs(a - b), initial=0)
            worst = max(worst, float(gap / max(np.nanmax(np.abs(b), initial=0), 1e-6)))
    return worst


if __name__ == "__main__":
    sys.exit(main())
