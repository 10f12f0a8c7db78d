"""Write ``docs/reference/hooks.md`` from the docstrings of the hooks; `--check` only compares.

Needs opforge in the environment of this Python.
"""

import inspect
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from opforge.op.calling.documentation import split_sections
from opforge.op.registry.kinds import KINDS
from opforge.plugin import hookspecs
from opforge.plugin.discovery import COMMANDS

_COMMAND = (
    "command's name = `module:attribute` of a function or a `typer.Typer`, which is "
    "[`opforge NAME`](../howto/add_a_command.md)"
)

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "reference" / "hooks.md"

_INTRODUCTION = """\
% Written by scripts/hooks_page.py from plugin/hookspecs.py; change that.

# Hooks

"""
_RULES = """
## Rules

- A marked function has the name of a hook and may take any of its arguments. Other names and
  arguments are rejected when the plugin is loaded, with an error that names the function.
  Functions without the marker are not called.
- To implement a hook that only later versions of opforge have, mark it with
  `@hookimpl(optionalhook=True)`.
- The hooks of each plugin are called separately. There is no order among plugins, so `tryfirst` and
  `trylast` have no effect: if two provide the same name, that is a
  [conflict](../howto/choose_plugins.md), which the user resolves.
- Hooks may get more arguments; implementations that do not take them stay valid. No hook is
  removed without a new major version of opforge.

## Registration without hooks

An entry point registers the object that it names. opforge imports it when a program first uses
the name, and nothing else of the plugin except its package. If that fails, the other names of the
plugin stay usable. An operator needs an entry point for its `name` and for each of its `aliases`, a
layer one with the name of the class.

| location | meaning |
| --- | --- |
| entry point group `opforge` | plugin's name = its package, or the module with its hooks |
| entry point group `opforge.ops` | operator's name = `module:Class` |
| entry point group `opforge.layers` | layer's name = `module:Class` |
{groups}
| module `checks` of the package | samples for the [battery](../howto/test_an_operator.md) |
| `plugin_api.ranks.join` | the ranks: `size`, `rank` and `sum(name, addend)` |
| `library` of a declaration | [C functions](abi.md) |

[Publish a plugin](../tutorials/publish_a_plugin.md) shows an example.
"""


def hooks() -> dict[str, Callable[..., Any]]:
    """Return the hooks by name, in the order of the source."""
    found = {}
    for name, value in vars(hookspecs).items():
        if inspect.isfunction(value) and hasattr(value, "opforge_spec"):
            found[name] = value
    return found


def row(name: str, hook: Callable[..., Any]) -> tuple[str, str, str]:
    """Return the row of a hook in the table: its name, its arguments and its summary."""
    arguments = ", ".join(f"`{argument}`" for argument in inspect.signature(hook).parameters)
    return f"`{name}`", arguments or "none", _doc(hook).partition("\n")[0]


def page() -> str:
    """Return the page."""
    rows = [("hook", "arguments", "purpose"), ("---", "---", "---")]
    rows += [row(name, hook) for name, hook in hooks().items()]
    table = "".join(f"| {' | '.join(cells)} |\n" for cells in rows)
    sections = [_section(name, hook) for name, hook in hooks().items()]
    return "".join(
        [
            _INTRODUCTION,
            _doc(hookspecs),
            "\n\n",
            table,
            *sections,
            _RULES.replace("{groups}", _groups()),
        ]
    )


def _groups() -> str:
    """Return the rows of the groups except those of operators and layers, commands last."""
    others = [kind for kind in KINDS.values() if kind.noun not in ("operator", "layer")]
    rows = [
        f"| entry point group `{kind.group}` | {kind.noun}'s name = `module:object`, "
        f"which is `{kind.call('KIND:OPERATOR' if kind.noun == 'rule' else 'NAME')}` |"
        for kind in others
    ]
    return "\n".join([*rows, f"| entry point group `{COMMANDS}` | {_COMMAND} |"])


def _section(name: str, hook: Callable[..., Any]) -> str:
    """Return the section of a hook."""
    signature = str(inspect.signature(hook)).replace("collections.abc.", "")
    text, sections = split_sections(_doc(hook))
    parts = [f"## {name}", _code(f"def {name}{signature}"), text]
    for title, section in sections:
        body = inspect.cleandoc("\n".join(section.splitlines()[2:]))
        if title == "Examples":
            parts.append(_code(re.sub(r"^(>>>|\.\.\.) ?", "", body, flags=re.MULTILINE)))
        else:
            kind, _, description = body.partition("\n")
            parts.append(f"{title}: {kind}. {' '.join(description.split())}")
    return "\n" + "\n\n".join(parts) + "\n"


def _doc(target: Any) -> str:
    """Return a docstring with Markdown's marks for code."""
    return (inspect.getdoc(target) or "").replace("``", "`")


def _code(text: str) -> str:
    return f"```python\n{text}\n```"


def main() -> int:
    """Write or compare the page; return 1 if it is out of date."""
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(page(), encoding="utf-8")
        return 0
    if PAGE.read_text(encoding="utf-8") == page():
        return 0
    print(f"{PAGE} does not match {hookspecs.__file__}: run scripts/hooks_page.py")
    return 1


if __name__ == "__main__":
    sys.exit(main())
