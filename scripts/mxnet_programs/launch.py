"""Run a program, notebook or page of cells written for MXNet, on the library that this Python has.

    python launch.py FILES PROGRAM [ARGUMENT ...]

Nothing is downloaded: a download of ``.../NAME`` is a copy of ``FILES/NAME``. Random parameters and
``mx.nd.random`` are drawn by NumPy, from seeds that depend on the names of parameters, so that the
numbers of two libraries can be compared.
"""

import ast
import collections
import collections.abc
import importlib.util
import json
import os
import random
import re
import runpy
import shutil
import sys
import zlib
from pathlib import Path

import mxnet as mx
import numpy as np

CELL = re.compile(r"^```(?:\{\.python[^}]*\}|python)[^\n]*\n(.*?)^```", re.DOTALL | re.MULTILINE)


def answer_downloads(folder):
    """Let the functions that download copy files of `folder`, by their names."""
    import urllib.request

    test_utils = importlib.import_module("mxnet.test_utils")
    paths = sorted(Path(folder).rglob("*"), key=lambda path: (len(path.parts), path), reverse=True)
    files = {path.name: path for path in paths}

    def found(url):
        url = getattr(url, "full_url", url)
        name = url.split("?")[0].rstrip("/").rsplit("/", 1)[-1]
        if name not in files:
            raise FileNotFoundError(f"no made-up file for {url}")
        return files[name]

    def download(url, fname=None, dirname=None, overwrite=False, path=None, **ignored):
        source = found(url)
        target = Path(dirname or ".") / (fname or path or source.name)
        if target.is_dir():
            target = target / source.name
        if not target.exists() or overwrite:
            target.parent.mkdir(parents=True, exist_ok=True)
            partial = target.with_name(f"{target.name}.{os.getpid()}")
            shutil.copyfile(source, partial)
            os.replace(partial, target)  # other ranks may read it
        return str(target)

    def retrieve(url, filename=None, *ignored):
        return download(url, filename), None

    urllib.request.urlretrieve = retrieve
    urllib.request.urlopen = lambda url, *ignored, **others: found(url).open("rb")
    mx.gluon.utils.download = test_utils.download = download
    if "opforge" not in sys.modules:
        import mxnet.gluon.data.vision.datasets as datasets

        mx.gluon.utils.check_sha1 = datasets.check_sha1 = lambda *ignored: True
        datasets.download = download
    else:
        from opforge.gluon import downloading

        downloading._receive = lambda url, partial, *ignored: shutil.copyfile(found(url), partial)
    if importlib.util.find_spec("requests"):
        import requests

        requests.get = lambda url, *ignored, **others: Answer(found(url).read_bytes())


def newer_protobuf(program):
    """Import Protocol Buffers as new as ONNX needs, if an older one comes first (for mxboard)."""
    if "onnx" not in Path(program).read_text(encoding="utf-8"):
        return
    for folder in sys.path:
        if (Path(folder) / "google" / "protobuf" / "runtime_version.py").exists():
            import google

            google.__path__ = [str(Path(folder) / "google"), *google.__path__]
            break


def made_up_models():
    """Let `pretrained=True` of the model zoo load parameters drawn from the names of parameters."""
    vision = mx.gluon.model_zoo.vision

    def get_model_file(name, root=None):
        path = Path(os.environ["MXNET_HOME"]) / "models" / f"{name}.params"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            net = vision.get_model(name, prefix=f"{name}_")
            net.initialize(mx.init.Xavier("gaussian", "in", 1))
            side = 299 if name == "inceptionv3" else 224
            net(mx.nd.zeros((1, 3, side, side)))
            net.save_parameters(str(path))
        return str(path)

    mx.gluon.model_zoo.model_store.get_model_file = get_model_file
    if "opforge" in sys.modules:
        import opforge_models.building

        opforge_models.building.model_file = get_model_file


class Answer:
    """What programs use of the answer to a request."""

    status_code = 200
    ok = True

    def __init__(self, content):
        self.content = content

    def raise_for_status(self):
        """Do nothing, because the file was found."""

    def iter_content(self, chunk_size=1):
        """Yield the content."""
        yield self.content


def seeded(name, shape):
    """Return the generator of the parameter `name`."""
    return np.random.RandomState(zlib.crc32(f"{name}{tuple(shape)}".encode()))


def fixed_initializers():
    """Draw parameters by NumPy, with the distributions of the initializers."""

    def uniform(self, name, array):
        array[:] = seeded(name, array.shape).uniform(-self.scale, self.scale, array.shape)

    def normal(self, name, array):
        array[:] = seeded(name, array.shape).normal(0, self.sigma, array.shape)

    def xavier(self, name, array):
        shape = array.shape
        if len(shape) < 2:
            raise ValueError(f"Xavier initializes no vector; {name} has the shape {shape}")
        others = np.prod(shape[2:]) if len(shape) > 2 else 1.0
        fan_in, fan_out = shape[1] * others, shape[0] * others
        fan = {"avg": (fan_in + fan_out) / 2, "in": fan_in, "out": fan_out}[self.factor_type]
        scale = np.sqrt(self.magnitude / fan)
        draw = seeded(name, shape)
        if self.rnd_type == "uniform":
            array[:] = draw.uniform(-scale, scale, shape)
        else:
            array[:] = draw.normal(0, scale, shape)

    mx.init.Uniform._init_weight = uniform
    mx.init.Normal._init_weight = normal
    mx.init.Xavier._init_weight = xavier


def fixed_draws():
    """Draw `mx.nd.random`, `mx.random` and `mx.nd.random_uniform` by NumPy."""
    draw = np.random.RandomState(7)

    def result(values, dtype, ctx, out):
        if out is None:
            return mx.nd.array(values, dtype=dtype or "float32", ctx=ctx)
        out[:] = values
        return out

    def function(name, draw_values, keys, defaults, usual="float32"):
        stock = getattr(mx.nd.random, name)

        def drawn(*given, shape=None, dtype=None, ctx=None, out=None, **others):
            values = dict(zip((*keys, "shape"), given, strict=False))
            shape = values.pop("shape", shape)
            values = {**dict(zip(keys, defaults, strict=True)), **values, **others}
            values = [values[key] for key in keys]
            if any(isinstance(value, mx.nd.NDArray) for value in values):
                return stock(*values, dtype=dtype, out=out)
            shape = out.shape if out is not None else shape or (1,)
            dtype = usual if dtype in (None, "None") else dtype
            return result(draw_values(*values, shape), dtype, ctx, out)

        for module in (mx.nd.random, mx.random):
            setattr(module, name, drawn)
        setattr(mx.nd, f"random_{name}", drawn)
        if hasattr(mx.nd, name):
            setattr(mx.nd, name, drawn)

    function("uniform", draw.uniform, ("low", "high"), (0, 1))
    function("normal", draw.normal, ("loc", "scale"), (0, 1))
    function("randint", draw.randint, ("low", "high"), (0, 1), "int32")


def old_names():
    """Give `collections` and IPython the names that Python programs of MXNet's time use."""
    for name in collections.abc.__all__:
        if not hasattr(collections, name):
            setattr(collections, name, getattr(collections.abc, name))
    if importlib.util.find_spec("IPython"):
        import IPython.display

        IPython.display.set_matplotlib_formats = lambda *formats, **ignored: None


def cells(path):
    """Return the code of a notebook or of a page."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        found = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
        sources = ["".join(cell["source"]) for cell in found]
    else:
        sources = CELL.findall(text)
    return [re.sub(r"^[ \t]*[%!]+[A-Za-z].*$", "", source, flags=re.M) for source in sources]


def print_plots():
    """Print the mean and the deviation of the numbers that a page plots."""
    from matplotlib.axes import Axes

    def printing(stock):
        def drawn(self, *given, **others):
            for value in given:
                values = np.asarray(value.asnumpy() if hasattr(value, "asnumpy") else value)
                if values.dtype.kind in "biuf":
                    values = values.astype(np.float64)
                    print(f"{stock.__name__}: {values.mean():.5g} {values.std():.5g}")
            return stock(self, *given, **others)

        return drawn

    for name in ("plot", "scatter", "imshow"):
        setattr(Axes, name, printing(getattr(Axes, name)))


def run_cells(path):
    """Run the cells of a page in one namespace; print the value at the end of a cell."""
    import types

    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    module.display = print
    if importlib.util.find_spec("matplotlib"):
        print_plots()
    for number, source in enumerate(cells(path), 1):
        name = f"{path.name}, cell {number}"
        tree = ast.parse(source, name)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, name, "exec"), module.__dict__)
        if last:
            value = eval(compile(ast.Expression(last.value), name, "eval"), module.__dict__)
            if value is not None:
                print(repr(value))


def main():
    """Prepare the library, and run the program."""
    files, program, *arguments = sys.argv[1:]
    os.environ["MPLBACKEND"] = "agg"
    random.seed(0)
    np.random.seed(0)
    mx.random.seed(0)
    newer_protobuf(program)
    answer_downloads(files)
    made_up_models()
    fixed_initializers()
    fixed_draws()
    old_names()
    sys.argv = [program, *arguments]
    sys.path[0] = str(Path(program).resolve().parent)
    if program.endswith((".md", ".ipynb")):
        run_cells(Path(program))
    else:
        runpy.run_path(program, run_name="__main__")


if __name__ == "__main__":
    main()
