"""A plugin with an optimizer, a metric and a key-value store, from ``opforge new`` to removal.

Its project is of one kind, and the other two come to it by ``opforge new --add``.
"""

import json
import shutil

import pytest

pytestmark = pytest.mark.slow

#: A training that uses all three by name.
TRAINING = """
from opforge import autograd, gluon, metric, nd
weight = gluon.Parameter("weight", shape=(2,), init="zeros")
weight.initialize()
trainer = gluon.Trainer(
    [weight], "AcmeStep", {"learning_rate": 0.1}, kvstore="acme_sums"
)
wanted = nd.array([1.0, -2.0])
for _ in range(200):
    with autograd.record():
        loss = ((weight.data() - wanted) ** 2).sum()
    loss.backward()
    trainer.step(1)
near = metric.create("acmenear", tolerance=0.1)
near.update([wanted], [weight.data()])
print(near.get())
"""

#: Error text for each name once the plugin is removed.
WITHOUT = """
from opforge import kvstore, metric, optimizer
for make, name in (
    (optimizer.create, "AcmeStep"), (metric.create, "AcmeNear"), (kvstore.create, "acme_sums")
):
    try:
        make(name)
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])
"""

#: Prints whether listing imported the plugin.
LISTING = """
import sys
from opforge import kvstore, metric, optimizer
assert {"AcmeStep"} <= set(dir(optimizer)) and {"AcmeNear"} <= set(dir(metric))
sys.argv = ["opforge", *sys.argv[1:]]
from opforge.cli.app import app
try:
    app()
finally:
    assert "acme_training" not in sys.modules
"""


@pytest.fixture(scope="module")
def project(authors, tmp_path_factory):
    """Return the folder of the project, with the author's edits between the commands."""
    folder = tmp_path_factory.mktemp("project") / "acme-training"
    authors.run(
        *("opforge", "new", "acme-training", "--kind", "optimizer", "--operator", "AcmeStep"),
        *("--output", folder),
    )
    module = folder / "src/acme_training/optimizers.py"
    module.write_text(module.read_text().replace("moving average", "author's average"))
    for kind, name in (("metric", "AcmeNear"), ("kvstore", "acme_sums")):
        authors.run("opforge", "new", "--add", kind, "--operator", name, "--output", folder)
    assert "author's average" in module.read_text()
    return folder


@pytest.fixture(scope="module")
def installed(project, environment, wheels, build_wheel, tmp_path_factory):
    """Return an environment with its wheel."""
    source = tmp_path_factory.mktemp("acme") / "source"
    shutil.copytree(project, source)
    return environment(
        wheels["opforge"], wheels["opforge-tools"], build_wheel(source, source / "wheel")
    )


def test_its_own_tests_and_examples_pass(installed, project):
    done = installed.run(
        *("python", "-m", "pytest", "-q", "-p", "no:cacheprovider"),
        *("-c", project / "pyproject.toml", "--doctest-modules", "--doctest-glob=README.md"),
        *(project / "tests", project / "README.md", "--pyargs", "acme_training"),
    )
    # The battery, one for each contribution, three examples and the README's.
    assert "8 passed" in done.stdout


def test_the_battery_passes(installed):
    report = json.loads(installed.run("opforge", "check", "acme-training", "--json").stdout)
    assert report["passed"]
    kinds = [row["kind"] for row in report["reports"]]
    assert kinds == ["distribution", "optimizer", "metric", "kvstore"]


def test_there_is_nothing_to_update(authors, project):
    text = authors.run("opforge", "new", "--update", project).stdout
    assert text.endswith("is up to date with the templates.\n")


def test_it_is_listed_without_being_imported(installed):
    rows = json.loads(installed.run("python", "-c", LISTING, "ops", "--json").stdout)
    found = {(row["kind"], row["name"]) for row in rows if row["plugin"] == "acme-training"}
    assert found == {("optimizer", "AcmeStep"), ("metric", "AcmeNear"), ("kvstore", "acme_sums")}
    plugins = json.loads(installed.run("python", "-c", LISTING, "plugins", "--json").stdout)
    (plugin,) = [row for row in plugins if row["plugin"] == "acme-training"]
    assert plugin["state"] == "not loaded" and not plugin["problems"]
    others = {"optimizer": ["AcmeStep"], "metric": ["AcmeNear"], "kvstore": ["acme_sums"]}
    assert plugin["others"] == others
    assert installed.faults() == []


def test_it_is_used_and_uninstalled(installed):
    assert installed.python(TRAINING) == "('acme_near', 1.0)\n"
    with installed.without("acme-training"):
        optimizer, metric, store = installed.python(WITHOUT).splitlines()
        text = installed.run("opforge", "ops", "show", "AcmeStep", code=1).stderr
    assert optimizer.startswith("ValueError Cannot find optimizer AcmeStep.")
    assert metric.startswith("ValueError Cannot find metric AcmeNear.")
    assert "acme_sums" in store and "Error" in store
    assert "AcmeStep" in text
