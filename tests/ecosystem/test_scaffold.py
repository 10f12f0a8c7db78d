"""Unmodified projects of `opforge new`: built, installed, tested, checked, trained with, removed.

A project of each kind, all in one environment that has opforge and its tools only as wheels.
"""

import json
import shutil

import pytest

pytestmark = pytest.mark.slow

KINDS = ("numpy", "composed", "kernel", "native-c", "native-cython", "numba")

#: Only `opforge check` tries native plugins in a separate process.
QUICK = {"OPFORGE_PROBE": "0"}

#: One training step on arrays and one hybridized; then the model is saved and loaded again.
TRAINING = """
import numpy as np
from opforge import autograd, gluon, nd

class Net(gluon.HybridBlock):
    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.weight = self.params.get("weight", shape=(2, 3), init="ones")
            self.act = gluon.nn.{layer}(beta=2)
    def hybrid_forward(self, F, x, weight):
        hidden = F.FullyConnected(x, weight, no_bias=True, num_hidden=2)
        return self.act(F.{operator}(hidden, beta=0.5))

net = Net()
net.initialize()
trainer = gluon.Trainer(net.collect_params(), "sgd", {{"learning_rate": 0.01}})
x = nd.array([[0.5, -1.0, 2.0]])
losses = []
for hybridize in (False, True):
    if hybridize:
        net.hybridize()
    with autograd.record():
        loss = (net(x) ** 2).sum()
    loss.backward()
    trainer.step(1)
    losses.append(loss.asscalar())
assert losses[1] < losses[0], losses
net.export("{operator}")
again = gluon.SymbolBlock.imports("{operator}-symbol.json", ["data"], "{operator}-0000.params")
np.testing.assert_array_equal(again(x).asnumpy(), net(x).asnumpy())
"""

LOADING = """
from opforge import sym
try:
    sym.load("acme_{operator}-symbol.json")
except Exception as error:
    print(type(error).__name__, error)
"""


def names_of(kind):
    """Return the names of distribution, operator and layer of a kind."""
    words = kind.split("-")
    return f"acme-{kind}", "_".join(["acme", *words]), "".join(w.title() for w in ["acme", *words])


@pytest.fixture(scope="module")
def projects(authors, tmp_path_factory):
    """Return the folder with a project of each kind."""
    folder = tmp_path_factory.mktemp("projects")
    for kind in KINDS:
        authors.run(
            *("opforge", "new", f"acme-{kind}", "--kind", kind, "--layer"),
            *("--output", folder / kind),
        )
    return folder


@pytest.fixture(scope="module")
def installed(c_compiler, projects, environment, wheels, build_wheel, tmp_path_factory):
    """Return an environment with the wheels of all of them."""
    made = []
    for kind in KINDS:
        # Outside the project, so that its tests use the installed package.
        source = tmp_path_factory.mktemp(kind) / "source"
        shutil.copytree(projects / kind, source)
        made.append(build_wheel(source, source / "wheel"))
    return environment(wheels["opforge"], wheels["opforge-tools"], *made)


def test_the_wheel_has_every_template(projects):
    for name in (".gitignore", ".github/workflows/tests.yml", "src/acme_numpy/py.typed"):
        assert (projects / "numpy" / name).is_file(), name


@pytest.mark.parametrize("kind", KINDS)
def test_its_own_tests_and_examples_pass(installed, projects, kind):
    folder = projects / kind
    done = installed.run(
        *(
            "python",
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-c",
            folder / "pyproject.toml",
        ),
        *("--doctest-modules", "--doctest-glob=README.md"),
        *(folder / "tests", folder / "README.md", "--pyargs", names_of(kind)[1]),
        **QUICK,
    )
    assert "6 passed" in done.stdout


@pytest.mark.parametrize("kind", KINDS)
def test_check(installed, kind):
    done = installed.run("opforge", "check", f"acme-{kind}", "--json")
    report = json.loads(done.stdout)
    assert report["passed"] and len(report["reports"]) == 3


def test_ops(installed):
    rows = json.loads(installed.run("opforge", "ops", "--json").stdout)
    found = {(row["plugin"], row["name"]) for row in rows if row["plugin"].startswith("acme-")}
    assert found == {(f"acme-{kind}", name) for kind in KINDS for name in names_of(kind)[1:]}
    assert all(row["doc"] for row in rows)


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_is_trained_and_saved_and_names_missing_plugins(installed, kind):
    name, operator, layer = names_of(kind)
    installed.python(TRAINING.format(operator=operator, layer=layer), **QUICK)
    with installed.without(name):
        printed = installed.python(LOADING.format(operator=operator.removeprefix("acme_")))
    assert printed.startswith("MXNetError")
    assert operator in printed and f"pip install '{name}>=0.1.0'" in printed, printed
