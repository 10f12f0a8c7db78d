"""Broken, hostile and conflicting plugins, all installed together with a working one.

The program survives, the good plugin works, and each broken one is reported with a remedy.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from .sources import MODULE

pytestmark = pytest.mark.slow

GOOD = MODULE.replace("{first}", "").replace("{doc}", "Treble data.")
TWICE = GOOD.replace("return [Operator]", "return [Operator, type('Other', (Operator,), {{}})]")

#: Plugin -> (source, requirements, text of the error, text of the remedy).
BROKEN = {
    "import-error": ("raise ImportError('libacme.so.3 is missing')", (), "libacme.so.3", "disable"),
    "missing-module": ("import acme_nowhere", ("acme-nowhere>=2",), "acme_nowhere", "acme-nowhere"),
    "exits": ("import sys; sys.exit('goodbye')", (), "goodbye", "disable"),
    "recursion": ("def f():\n    return f()\nf()", (), "RecursionError", "disable"),
    "declaration": (
        GOOD.replace("name =", "variadic = 'n'\n    name ="),
        (),
        "variadic = 'n' is not an attribute",
        "disable",
    ),
    "no-class": (
        GOOD.replace("[Operator]", "['Operator']"),
        (),
        "not an operator declaration",
        "-U",
    ),
    "twice": (TWICE, (), "registered twice by acme-twice", "disable"),
    "signature": (
        GOOD.replace("opforge_operators()", "opforge_operators(registry)"),
        (),
        "Argument(s) {'registry'}",
        "disable",
    ),
    "unknown-hook": (
        GOOD.replace("opforge_operators()", "opforge_operator()"),
        (),
        "unknown hook 'opforge_operator'",
        "disable",
    ),
    "too-new": (
        "from opforge.plugin_api import Shiny",
        ("opforge>=99",),
        "cannot import name 'Shiny'",
        "opforge>=99, but opforge 0.1.0 is installed: pip install -U opforge",
    ),
    "too-old": (
        "from opforge.plugin_api import Removed",
        ("opforge<0.1",),
        "cannot import name 'Removed'",
        "pip install -U acme-too-old",
    ),
}
#: Computes for more than a second: waiting for a busy machine does not count as slow.
SLOW = """
import time
end = time.thread_time() + 1.1
while time.thread_time() < end:
    pass
"""
#: Plugins that load, or must not be loaded here.
OTHERS = {
    "good": GOOD,
    "kills": "import os; os._exit(66)",
    "slow": SLOW + GOOD,
    "prints": "print('thank you for using acme-prints')\n" + GOOD,
    "twin-a": GOOD,
    "twin-b": GOOD,
    "drift": GOOD.replace('"{operator}"', '"acme_other_name"'),
}
LIVES = """
import json, sys
from opforge import nd
x = nd.ones((2,))
said = {}
for name in sys.argv[1:]:
    try:
        said[name] = getattr(nd, name)(x).asnumpy().tolist()
    except Exception as error:
        said[name] = f"{type(error).__name__}: {error}"
print(json.dumps(said))
"""


def operator(plugin):
    return f"acme_{plugin.replace('-', '_')}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Install every plugin into one folder."""
    folder = tmp_path_factory.mktemp("broken")
    sources = {name: row[0] for name, row in BROKEN.items()} | OTHERS
    for plugin, source in sources.items():
        module = operator(plugin)
        info = folder / f"{module}-1.0.dist-info"
        info.mkdir()
        requires = BROKEN[plugin][1] if plugin in BROKEN else ()
        lines = ["Metadata-Version: 2.1", f"Name: acme-{plugin}", "Version: 1.0"]
        lines += [f"Requires-Dist: {text}" for text in requires]
        (info / "METADATA").write_text("\n".join(lines) + "\n")
        entry = "twin" if plugin.startswith("twin") else plugin
        names = ["acme_twin"] if plugin.startswith("twin") else []
        points = f"[opforge]\n{entry} = {module}\n[opforge.ops]\n"
        points += "".join(f"{name} = {module}:Operator\n" for name in [*names, module][:1])
        (info / "entry_points.txt").write_text(points)
        text = source.replace("{operator}", names[0] if names else module)
        (folder / f"{module}.py").write_text(text.replace("{{}}", "{}"))
    return folder


@pytest.fixture(scope="module")
def run(folder, tmp_path_factory):
    """Return a function that runs Python with the plugins; acme-kills is disabled by settings."""
    settings = tmp_path_factory.mktemp("settings") / "opforge.toml"
    settings.write_text('[plugins]\ndisabled = ["acme-kills"]\n')

    def run(*command, code=0, **switches):
        clean = {k: v for k, v in os.environ.items() if not k.startswith("OPFORGE_")}
        path = os.pathsep.join([str(folder), *filter(None, sys.path)])
        done = subprocess.run(
            [sys.executable, *command],
            env={**clean, "PYTHONPATH": path, "OPFORGE_CONFIG": str(settings), **switches},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="module")
def opforge(run):
    """Return a function that runs the command line and reads its JSON."""

    def opforge(*arguments, code=0, **switches):
        program = "from opforge.cli import main; main()"
        return json.loads(run("-c", program, *arguments, "--json", code=code, **switches))

    return opforge


@pytest.fixture(scope="module")
def said(run):
    """Results of a program for each operator, in one process."""
    plugins = [*BROKEN, "good", "kills", "slow", "drift"]
    text = run("-c", LIVES, *map(operator, plugins), "acme_twin", operator("prints"))
    return json.loads(text.replace("thank you for using acme-prints\n", ""))


def test_the_program_lives_and_the_others_work(said):
    for plugin in ("good", "slow", "prints"):
        assert said[operator(plugin)] == [3, 3], plugin


@pytest.mark.parametrize("plugin", BROKEN)
def test_the_error_names_the_plugin_with_advice(said, plugin):
    text = said[operator(plugin)]
    assert text.startswith("MXNetError"), text
    _, _, report = text.partition(f"plugin acme-{plugin} 1.0 failed to load:")
    _, _, message, remedy = BROKEN[plugin]
    assert message in report
    assert remedy in report.partition("To fix it: ")[2]


def test_a_disabled_plugin_does_nothing(said):
    assert "acme-kills 1.0 provides it but is disabled in " in said["acme_kills"]
    assert "opforge plugins enable acme-kills" in said["acme_kills"]


def test_conflicts_name_their_providers(said):
    assert "is provided by acme-twin-a, acme-twin-b" in said["acme_twin"]
    assert "opforge plugins pin acme_twin acme-twin-a" in said["acme_twin"]


def test_metadata_that_names_something_else(said):
    expected = "names acme_drift:Operator, whose name is 'acme_other_name'"
    assert expected in said["acme_drift"]


def test_plugins_names_each(opforge):
    rows = {row["plugin"]: row for row in opforge("plugins", "--check", code=1)}
    for plugin, (_, _, message, remedy) in BROKEN.items():
        row = rows[f"acme-{plugin}"]
        assert row["state"] == "failed", plugin
        assert message in row["error"] + row["traceback"], plugin
        assert remedy in row["remedy"], plugin
    assert {rows[f"acme-{name}"]["state"] for name in ("good", "slow", "prints", "twin-a")} == {
        "loaded"
    }
    assert rows["acme-kills"]["state"] == "disabled"
    assert rows["acme-kills"]["remedy"] == "opforge plugins enable acme-kills"


def test_doctor_names_each(opforge, tmp_path):
    # Without the settings: the doctor also survives plugins that end its process.
    nothing = tmp_path / "empty.toml"
    nothing.write_text("")
    rows = opforge("doctor", code=1, OPFORGE_CONFIG=str(nothing))
    found = {}
    for row in rows:
        found.setdefault(row["subject"], []).append(f"{row['message']} -> {row['remedy']}")
    expected = {f"acme-{name}": ("fails to load", row[3]) for name, row in BROKEN.items()}
    expected |= {
        "acme-kills": ("ended the process with status 66", "opforge plugins disable acme-kills"),
        "acme-slow": ("s to load", "opforge plugins disable acme-slow"),
        "acme-prints": ("thank you for using acme-prints", "report it to its authors"),
        "acme-drift": ("entry point 'acme_drift' in the group", "pip install -U acme-drift"),
        "acme_twin": (
            "ambiguous: provided by acme-twin-a, acme-twin-b",
            "opforge plugins pin acme_twin",
        ),
        "twin": (
            "acme-twin-a and acme-twin-b use the same entry point name",
            "OPFORGE_PLUGINS=-acme-",
        ),
    }
    for subject, (message, remedy) in expected.items():
        texts = found.get(subject, [])
        assert any(message in text and remedy in text for text in texts), (subject, texts)


def test_strict_mode_stops_the_program(run):
    text = run("-c", LIVES, operator("import-error"), OPFORGE_STRICT="1")
    assert "PluginError: plugin acme-import-error 1.0 failed to load" in text
