"""Run a program, notebook or page of cells written for MXNet, on the library that this Python has.

    python launch.py FILES PROGRAM [ARGUMENT ...]

Nothing is downloaded: a download of ``.../NAME`` is a copy of ``FILES/NAME``. Random parameters and
``mx.nd.random`` are drawn by NumPy, from seeds that depend on the names of parameters, so that the
numbers of two libraries can be compared. The last line of the standard error names the library.
"""

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

    import mxnet.test_utils

    files = {path.name: path for path in sorted(Path(folder).rglob("*"), reverse=True)}

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
            shutil.copyfile(source, target)
        return str(target)

    urllib.request.urlretrieve = lambda url, filename=None, *ignored: (download(url, filename), None)
    urllib.request.urlopen = lambda url, *ignored, **others: open(found(url), "rb")
    mx.gluon.utils.download = mx.test_utils.download = download
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
    """Draw `mx.nd.random` and `mx.random` by NumPy."""
    draw = np.random.RandomState(7)

    def result(values, dtype, ctx, out):
        if out is None:
            return mx.nd.array(values, dtype=dtype or "float32", ctx=ctx)
        out[:] = values
        return out

    def function(name, draw_values):
        stock = getattr(mx.nd.random, name)

        def drawn(first=None, second=None, shape=None, dtype=None, ctx=None, out=None, **others):
            defaults = {"uniform": (0, 1), "normal": (0, 1)}[name]
            keys = {"uniform": ("low", "high"), "normal": ("loc", "scale")}[name]
            first = others.get(keys[0], defaults[0] if first is None else first)
            second = others.get(keys[1], defaults[1] if second is None else second)
            if isinstance(first, mx.nd.NDArray) or isinstance(second, mx.nd.NDArray):
                return stock(first, second, dtype=dtype, out=out)
            if dtype in (None, "None"):
                dtype = "float32"
            shape = out.shape if out is not None else shape or (1,)
            return result(draw_values(first, second, shape), dtype, ctx, out)

        for module in (mx.nd.random, mx.random):
            setattr(module, name, drawn)

    function("uniform", draw.uniform)
    function("normal", draw.normal)


def old_names():
    """Give NumPy and `collections` the names that Python programs of MXNet's time use."""
    for name in collections.abc.__all__:
        if not hasattr(collections, name):
            setattr(collections, name, getattr(collections.abc, name))


def cells(path):
    """Return the code of a notebook or of a page."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        found = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
        sources = ["".join(cell["source"]) for cell in found]
    else:
        sources = CELL.findall(text)
    return [re.sub(r"^\s*[%!].*$", "", source, flags=re.MULTILINE) for source in sources]


def run_cells(path):
    """Run the cells of a page in one namespace."""
    import types

    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    module.display = print
    for number, source in enumerate(cells(path), 1):
        code = compile(source, f"{path.name}, cell {number}", "exec")
        exec(code, module.__dict__)


def main():
    """Prepare the library, and run the program."""
    files, program, *arguments = sys.argv[1:]
    os.environ["MPLBACKEND"] = "agg"
    random.seed(0)
    np.random.seed(0)
    mx.random.seed(0)
    answer_downloads(files)
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
