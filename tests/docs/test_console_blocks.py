"""Run the console blocks of the documentation, and compare the output with that on the page.

The lines below a command are its output, in which ``...`` matches anything; without such lines only
the exit status counts. The commands of a page share a folder. Commands that cannot run here have a
reason in `NOT_RUN`; those of `opforge` among them are still parsed, with their options.
"""

import doctest
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from opforge.cli.app import app

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted(path for path in ROOT.glob("docs/*/*.md") if "_build" not in path.parts),
]
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LIKE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

#: How a command begins -> why it is not run.
NOT_RUN = {
    # Programs that are not opforge's.
    ".venv/": "the environment of a contributor",
    "ccache ": "caches the reader's compiler",
    "cp ": "copies what another command built",
    "echo ": "writes a file that only the next command reads",
    "gdb ": "a debugger",
    "mkdir ": "makes a folder for a command that is not run",
    "nm ": "reads a file of the reader's build",
    "perf ": "a profiler of the system",
    "rm ": "removes what a command made that is not run",
    "towncrier ": "reads the fragments of a repository",
    "uvicorn ": "serves until it is stopped; tests/docs/test_serve_page.py sends requests",
    "export ": "sets a variable for pip or a later program",
    "git ": "changes a repository",
    "mpiexec ": "needs an MPI; tests of opforge-mpi start ranks",
    "pip ": "installs from an index, or builds",
    "pytest": "a whole suite",
    "python ": "a program of the reader's, or a build",
    "python3 ": "makes an environment, and runs for minutes",
    "tox ": "makes environments",
    "twine ": "sends to an index",
    # Commands that take long, or that need what the page does not make.
    "opforge bench": "measures for minutes; tests/benchmarks runs the cases",
    "opforge catalogue build": "needs a folder of wheels; tests/ecosystem builds one",
    "opforge check": "runs the battery; tests/conformance does, for each plugin",
    "opforge doctor": "loads each plugin in a process of its own; tests/ecosystem does",
    "opforge lock": "loads each plugin in a separate process; tests/ecosystem does",
    "opforge model bench": "needs a saved model; tests/docs/test_serve_page.py runs it with one",
    "opforge model check": "needs a saved model; tests/unit/cli/commands/test_model.py has one",
    "opforge plugins plan": "needs a wheel, or an index; tests/ecosystem builds one",
    "opforge plugins show acme-training": "the page's own project is not installed",
    "opforge plugins verify": "editable installations are changed ones",
    "opforge profile": "needs a program of the reader's; tests/unit/cli/commands has one",
    "opforge stubs": "writes beside the installed packages",
    "opforge ops why AcmeStep": "the page's own project is not installed",
    "opforge ops show silu": "the page's own project is not installed",
}
#: Of these, what follows is parsed by a program or by a plugin.
NOT_PARSED = re.compile(r"opforge (profile|bench (engines|image|detection|mpi|training)) .*")

GELU = '''\
from opforge.plugin_api import HybridBlock, OperatorProp


class Gelu(OperatorProp):
    """Bend the data smoothly."""

    name = "gelu"


class GeluLayer(HybridBlock):
    """Bend the input."""
'''


@dataclass(frozen=True)
class Command:
    """One command of a page, without variables before it, and what the page shows below it."""

    line: int
    text: str
    shown: str

    @property
    def why_not(self) -> str:
        """Why it is not run; empty if it is."""
        reasons = (why for start, why in NOT_RUN.items() if self.text.startswith(start))
        return next(reasons, "")

    @property
    def arguments(self) -> list[str]:
        """What follows the program's name, up to where its output goes."""
        return shlex.split(self.text.partition(" > ")[0], comments=True)[1:]


def commands_of(page: Path) -> list[Command]:
    text = page.read_text(encoding="utf-8")
    found = []
    for block in BLOCK.finditer(text):
        start = text.count("\n", 0, block.start()) + 2
        lines = block[1].splitlines()
        at = [number for number, line in enumerate(lines) if line.startswith("$ ")]
        for here, following in zip(at, [*at[1:], len(lines)], strict=True):
            command = re.sub(r"^\$ ([A-Z_]+=\S+ )*", "", lines[here])
            found.append(Command(start + here, command, "\n".join(lines[here + 1 : following])))
    return found


def with_commands() -> list[object]:
    """Return the pages that have such blocks."""
    found = ((page, commands_of(page)) for page in PAGES)
    return [pytest.param(*pair, id=pair[0].stem) for pair in found if pair[1]]


@pytest.fixture
def opforge(tmp_path, monkeypatch, only_plugin, fake_dist):
    """Return a function that runs ``opforge`` where the plugins that pages speak of are."""
    only_plugin("opforge-softmax", "opforge-tile", "opforge-normalization", "opforge-tools")
    fake_dist("acme-fast-ops", operators={"fast": "acme_fast_ops:Fast"})
    fake_dist("acme-slow", operators={"slow": "acme_slow:Slow"})
    points = {"operators": {"gelu": "acme_gelu:Gelu"}, "layers": {"Gelu": "acme_gelu:GeluLayer"}}
    fake_dist("acme-gelu", **points, files={"acme_gelu.py": GELU})
    settings = tmp_path / "opforge.toml"
    settings.touch()
    monkeypatch.setenv("OPFORGE_CONFIG", str(settings))
    monkeypatch.delenv("COLUMNS", raising=False)
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return lambda arguments: CliRunner().invoke(app, arguments, prog_name="opforge")


@pytest.mark.plugins
@pytest.mark.parametrize(("page", "commands"), with_commands())
def test_console_blocks(page, commands, opforge, monkeypatch):
    for command in commands:
        where = f"{page.name}:{command.line}: {command.text}"
        if command.text.startswith("cd "):
            monkeypatch.chdir(*command.arguments)
        elif not command.why_not:
            assert command.text.startswith("opforge "), f"{where}: give a reason in NOT_RUN"
            done = opforge(command.arguments)
            assert done.exit_code == 0, f"{where}\n{done.output}"
            alike = doctest.OutputChecker().check_output(command.shown, done.output, LIKE)
            assert alike or not command.shown, f"{where} prints\n{done.output}"
        elif command.text.startswith("opforge ") and not NOT_PARSED.match(command.text):
            done = opforge([*command.arguments, "--help"])
            assert done.exit_code == 0, f"{where}\n{done.output}"


def test_every_reason_is_needed_and_most_commands_of_opforge_run_somewhere():
    commands = [command for page in PAGES for command in commands_of(page)]
    texts = [command.text for command in commands]
    stale = [start for start in NOT_RUN if not any(text.startswith(start) for text in texts)]
    assert not stale
    ran = {c.arguments[0] for c in commands if c.text.startswith("opforge ") and not c.why_not}
    assert {"ops", "plugins", "docs", "new"} <= ran
