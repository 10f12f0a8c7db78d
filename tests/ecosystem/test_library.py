"""Operators, layers and errors as programs use them, in separate environments."""

import pytest

pytestmark = pytest.mark.slow

ATTEMPT = """
import sys
from opforge import gluon, nd, autograd
def attempt(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)
"""


def test_without_plugins(bare):
    printed = bare.python(
        f"{ATTEMPT}\n"
        "x = nd.ones((2, 3))\n"
        "print((x * 2).sum().asscalar())\n"
        "attempt(lambda: nd.softmax(x))\n"
        "attempt(lambda: gluon.nn.Dense(3))\n"
        "attempt(lambda: nd.Custom(x, op_type='tile'))\n"
        "attempt(lambda: nd.sofmax(x))\n"
        "print(hasattr(nd, 'softmax'), 'softmax' in dir(nd))\n"
    )
    assert printed.splitlines()[0] == "12.0"
    for name in ("softmax", "dense", "tile"):
        assert f"opforge-{name} provides it: pip install opforge-{name}" in printed
    assert "similar names: softmax (pip install opforge-softmax)" in printed
    assert printed.endswith("False False\n")


def test_with_plugins(full):
    printed = full.python(
        f"{ATTEMPT}\n"
        "before = [n for n in sys.modules if n.startswith('opforge_')]\n"
        "x = nd.ones((2, 4))\n"
        "net = gluon.nn.Dense(3)\n"
        "net.initialize()\n"
        "with autograd.record():\n"
        "    nd.softmax(net(x)).sum().backward()\n"
        "print(before, net.weight.grad().shape, 'opforge_tile' in sys.modules)\n"
    )
    assert printed == "[] (3, 4) False\n"


def test_a_broken_plugin_is_named_where_it_is_missed(crowded):
    source = f"{ATTEMPT}\nattempt(lambda: nd.acme_break(nd.ones(1)))\nprint(nd.tile(nd.ones(1), 2))"
    printed = crowded.python(source)
    assert "plugin acme-broken 1.0 failed to load" in printed
    assert "ImportError: libacme.so.3 is missing" in printed
    assert 'acme_broken.py", line 3' in printed
    assert "[1. 1.]" in printed


def test_strict(crowded):
    source = f"{ATTEMPT}\nattempt(lambda: nd.acme_break(nd.ones(1)))"
    printed = crowded.python(source, OPFORGE_STRICT="1")
    assert printed.startswith("PluginError plugin acme-broken 1.0 failed to load: ImportError")


def test_two_providers_and_pins(crowded):
    use = "print(nd.softmax(nd.ones((2,))).asnumpy().tolist())"
    printed = crowded.python(f"{ATTEMPT}\nattempt(lambda: nd.softmax(nd.ones((2,))))")
    assert printed.startswith("AmbiguousOperatorError operator 'softmax' is provided by acme-rival")
    assert "OPFORGE_PIN=softmax=opforge-softmax" in printed
    for pin, expected in (("acme-rival", "[3.0, 3.0]"), ("Opforge_Softmax", "[0.5, 0.5]")):
        printed = crowded.python(f"{ATTEMPT}\n{use}", OPFORGE_PIN=f"softmax={pin}")
        assert printed == f"{expected}\n"
    printed = crowded.python(f"{ATTEMPT}\n{use}", OPFORGE_PLUGINS="-acme-rival")
    assert printed == "[0.5, 0.5]\n"
    wrong = "attempt(lambda: nd.softmax(nd.ones((2,))))"
    printed = crowded.python(f"{ATTEMPT}\n{wrong}", OPFORGE_PIN="softmax=nobody")
    assert printed.startswith("PluginError operator 'softmax' is pinned to nobody")


@pytest.mark.parametrize(
    ("switch", "softmax", "tile"),
    [("none", False, False), ("softmax", True, False), ("-softmax", False, True), ("", True, True)],
)
def test_switches(full, switch, softmax, tile):
    printed = full.python(
        f"{ATTEMPT}\n"
        "attempt(lambda: nd.softmax(nd.ones((2,))).shape)\n"
        "attempt(lambda: nd.tile(nd.ones((1,)), 2).shape)\n",
        OPFORGE_PLUGINS=switch,
    )
    assert printed.count("(2,)") == softmax + tile
    assert printed.count(f"is disabled by OPFORGE_PLUGINS={switch}") == 2 - softmax - tile


THREADS = """
import sys, threading
import opforge
from opforge import nd, plugin
x = nd.ones((2, 4))
imports = []
class Watch:
    def find_spec(self, name, path=None, target=None):
        if name == 'opforge_softmax':
            imports.append(name)
            threading.Event().wait(0.05)
sys.meta_path.insert(0, Watch())
barrier = threading.Barrier(50)
answers = []
def use():
    barrier.wait()
    answers.append(nd.softmax(x).asnumpy().tolist())
threads = [threading.Thread(target=use) for _ in range(50)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert answers == [[[0.25] * 4] * 2] * 50, answers
(state,) = [s for s in plugin.states() if s.provider.name == 'opforge-softmax']
print(len(imports), state.state, state.problems)
"""


def test_fifty_threads_load_a_plugin_once(full):
    assert full.python(THREADS) == "1 loaded []\n"
