"""The example plugins in C, Cython and Numba build, install and pass their own tests."""

import importlib.util
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from opforge.base.instruction_sets import ISA_FLAGS

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "plugins"
#: What an example needs to be built or run.
NEEDS = {"c": "setuptools", "cython": "Cython", "numba": "numba"}
#: The same for the example of another operator, which has its own tests.
HEAVY = {"convolution": "setuptools"}
#: Number of tests of that example; those of `scaled_tanh` share 6.
TESTS = {"convolution": 8}
QUIET = ("--no-build-isolation", "--no-deps", "--no-index", "--quiet")


def run(*command, folder, path):
    """Run this Python with the packages of `path` importable."""
    path = os.pathsep.join(filter(None, [str(path), os.environ.get("PYTHONPATH", "")]))
    env = {**os.environ, "PYTHONPATH": path, "OPFORGE_PROBE": "0"}
    done = subprocess.run(
        [str(part) for part in command], cwd=folder, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.mark.slow
@pytest.mark.usefixtures("c_compiler")
@pytest.mark.parametrize("kind", NEEDS | HEAVY)
def test_an_example_installs_and_passes_its_tests(kind, tmp_path):
    if importlib.util.find_spec((NEEDS | HEAVY)[kind]) is None:
        pytest.skip(f"{(NEEDS | HEAVY)[kind]} is not installed")
    source, site = tmp_path / kind, tmp_path / "site"
    shutil.copytree(EXAMPLES / kind, source)
    tests = (source if kind in HEAVY else EXAMPLES) / "tests"
    run(sys.executable, "-m", "pip", "install", *QUIET, "--target", site, source,
        folder=tmp_path, path="")  # fmt: skip
    # In one process: Numba compiles at each import.
    code = (
        "import contextlib, sys, pytest\n"
        "from opforge.cli import main\n"
        "sys.argv = ['opforge', 'plugins', '--check']\n"
        "with contextlib.suppress(SystemExit): main()\n"
        f"sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider', {str(tests)!r}]))"
    )
    shown = run(sys.executable, "-c", code, folder=tmp_path, path=site)
    name = f"opforge-scaled-tanh-{kind[:4]}" if kind in NEEDS else "opforge-convolution"
    row = next(line for line in shown.splitlines() if name in line)
    assert " loaded" in row, shown
    assert f"{TESTS.get(kind, 6)} passed" in shown


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "file"), [("c", "_native.c"), ("cython", "_native.pyx")])
def test_the_source_archive_contains_the_compiled_sources(kind, file, tmp_path):
    source = tmp_path / kind
    shutil.copytree(EXAMPLES / kind, source)
    run(sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", tmp_path, source,
        folder=tmp_path, path="")  # fmt: skip
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as found:
        assert [name for name in found.getnames() if name.endswith(f"/{file}")]


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("make"), reason="make is not installed")
def test_the_c_example_is_built_by_make(tmp_path):
    source = tmp_path / "c"
    shutil.copytree(EXAMPLES / "c", source)
    run("make", f"PYTHON={sys.executable}", folder=source, path="")
    code = (
        "from opforge import nd\n"
        "from opforge.operator import register\n"
        "from opforge_scaled_tanh_c.operators import ScaledTanh\n"
        "register('scaled_tanh')(ScaledTanh)\n"
        "print(nd.scaled_tanh(nd.zeros((2,))).asnumpy())"
    )
    assert run(sys.executable, "-c", code, folder=tmp_path, path=source / "src") == "[0. 0.]\n"
    run("make", "clean", f"PYTHON={sys.executable}", folder=source, path="")
    assert not list(source.glob("src/*/*.so"))


#: In the extended project: eager, hybridized, trained, saved and loaded, with an epilogue.
PROGRAM = """
import numpy as np
from opforge import autograd, gluon, nd, random, sym
from opforge.symbol.compiler.compiling import compile_graph
from opforge.symbol.compiler.lowering import lower

class Net(gluon.HybridBlock):
    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.weight = self.params.get("weight", shape=(4, 0, 3, 3), allow_deferred_init=True)
            self.bias = self.params.get("bias", shape=(4,), init="zeros")
    def hybrid_forward(self, F, x, weight, bias):
        y = F.acme_convolve(x, weight, bias, kernel=(3, 3), num_filter=4, pad=1)
        return F.relu(y)

random.seed(0)  # reproducible failures
net = Net()
net.initialize()
trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01})
for size in (5, 8, 5, 8):
    x = nd.ones((3, 2, size, size))
    eager = net(x).asnumpy()
    net.hybridize()
    np.testing.assert_allclose(net(x).asnumpy(), eager, rtol=1e-6)
    with autograd.record():
        loss = (net(x) ** 2).sum()
    loss.backward()
    before = loss.asscalar()
    trainer.step(100)
    assert (net(x) ** 2).sum().asscalar() < before
    net.hybridize(False)
net.hybridize()
want = net(x).asnumpy()
net.export("net")
again = gluon.SymbolBlock.imports("net-symbol.json", ["data"], "net-0000.params")
np.testing.assert_array_equal(again(x).asnumpy(), want)
graph = sym.load("net-symbol.json")
made = compile_graph(lower(graph, {"data": x.shape}, {}), {})
assert len(made.calls) == 1, [call.label for call in made.calls]
print("all is well")
"""


@pytest.mark.slow
@pytest.mark.usefixtures("c_compiler")
def test_a_new_project_becomes_a_heavy_operator(tmp_path):
    """A project made by `opforge new`, with the convolution inserted, works and passes `check`."""
    project, site = tmp_path / "project", tmp_path / "site"
    main = "import sys; from opforge.cli import main; sys.argv = ['opforge', *sys.argv[1:]]; main()"
    new = ("new", "acme-convolve", "--kind", "native-c", "--output", project)
    run(sys.executable, "-c", main, *new, folder=tmp_path, path="")
    source = EXAMPLES / "convolution" / "src" / "opforge_convolution_example"
    for name in ("_native.c", "operators.py", "checks.py"):
        text = (source / name).read_text()
        text = text.replace('"convolve"', '"acme_convolve"').replace(
            "class Convolve", "class AcmeConvolve"
        )
        (project / "src" / "acme_convolve" / name).write_text(text)
    run(sys.executable, "-m", "pip", "install", *QUIET, "--target", site, project,
        folder=tmp_path, path="")  # fmt: skip
    built = {path.name.split(".")[0] for path in (site / "acme_convolve").glob("_native*.so")}
    assert built == {f"_native_{isa}" for isa in ISA_FLAGS}
    assert "all is well" in run(sys.executable, "-c", PROGRAM, folder=tmp_path, path=site)
    shown = run(sys.executable, "-c", main, "check", "acme-convolve", folder=tmp_path, path=site)
    assert "failed" not in shown.lower().replace("0 failed", ""), shown
