"""A plugin's subgraph backend, which replaces layers by an operator of the plugin."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.plugins

PLUGIN = Path(__file__).parents[2] / "fixtures" / "distributions" / "fx_backend"

#: A network, and the functions with which programs look at it.
NETWORK = """
import sys
import numpy as np
from opforge import autograd, gluon, nd, sym

folder = sys.argv[1]
x = nd.array(np.linspace(-1, 1, 12).reshape(4, 3))
net = gluon.nn.HybridSequential(prefix="net_")
with net.name_scope():
    net.add(gluon.nn.Dense(5, activation="relu"), gluon.nn.Dense(4, activation="relu"))
    net.add(gluon.nn.Dense(2))
net.initialize(init="xavier")

def gradients():
    with autograd.record():
        loss = (net(x) ** 2).sum()
    loss.backward()
    return {n: p.grad().asnumpy() for n, p in net.collect_params().items() if p.grad_req != "null"}

def check(actual, expected):
    np.testing.assert_allclose(actual.asnumpy(), expected, rtol=1e-5, atol=1e-6)
"""
COMPARED = """
net.hybridize()
expected, of_parameters = net(x).asnumpy(), gradients()
net.optimize_for(x, backend="fx_dense")
names = [n.operation.name for n in net._graph.last_trace().symbol.nodes() if n.operation]
assert names == ["fx_dense_relu", "fx_dense_relu", "FullyConnected"], names
check(net(x), expected)
for name, value in gradients().items():
    np.testing.assert_allclose(value, of_parameters[name], rtol=1e-4, atol=1e-5, err_msg=name)
"""
EXPORTED = """
expected = net(x).asnumpy()
net.optimize_for(x, backend="fx_dense", packed=True)
net.export(f"{folder}/net")
files = f"{folder}/net-symbol.json", ["data"], f"{folder}/net-0000.params"
check(gluon.SymbolBlock.imports(*files)(x), expected)
"""
MISSING = """
def load():
    sym.load(f"{folder}/net-symbol.json")

def optimize():
    net.hybridize(backend="fx_dense")

for use in (load, optimize):
    try:
        use()
    except RuntimeError as error:
        print(repr(str(error)))
"""


def run(program, folder, path=PLUGIN):
    environment = {**os.environ, "PYTHONPATH": str(path), "OPFORGE_CONFIG": os.devnull}
    command = [sys.executable, "-c", NETWORK + program, str(folder)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    return done.stdout


def test_results_and_gradients_are_the_same(tmp_path):
    run(COMPARED, tmp_path)


def test_exported_networks_need_the_plugin_of_their_operators(tmp_path):
    run(EXPORTED, tmp_path)
    operator, backend = run(MISSING, tmp_path, tmp_path).splitlines()
    assert "fx_dense_relu" in operator and "fx-backend" in operator
    assert "Cannot find backend fx_dense" in backend
