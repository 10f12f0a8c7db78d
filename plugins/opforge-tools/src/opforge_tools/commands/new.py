"""``opforge new``: create a plugin project from templates, and update it later."""

import shlex
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from opforge.cli.printing.console import fail
from opforge.op.registry.entry import CORE
from opforge.op.registry.kinds import KINDS as NOUNS
from opforge.op.registry.table import TABLES

if TYPE_CHECKING:
    from ..scaffold import Change, Contribution

__all__ = ["complete_kind", "new"]


def complete_kind(incomplete: str) -> list[str]:
    """Return the project kinds that start with `incomplete`, for shell completion.

    Parameters
    ----------
    incomplete : str
    """
    from ..scaffold import KINDS

    return sorted(kind for kind in KINDS if kind.startswith(incomplete))


Name = Annotated[
    str, typer.Argument(metavar="NAME", help="Name of the distribution, for instance acme-silu.")
]
Kind = Annotated[
    str,
    typer.Option(
        metavar="KIND",
        autocompletion=complete_kind,
        help="How the operator is written: numpy (NumPy code with a gradient), composed (of other "
        "operators, with automatic gradient), kernel (of opforge's native kernels), native-c, "
        "native-cython or numba (native code that runs without the GIL). Or another "
        "contribution: optimizer, initializer, metric, kvstore, loss, scheduler, dataset, "
        "iterator, model, exporter, backend or module.",
    ),
]
Layer = Annotated[
    bool, typer.Option("--layer", help="Also create a layer that wraps the operator.")
]
Operator = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Name of the operator or other contribution. Default: derived from NAME.",
    ),
]
Output = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Project folder. Default: ./NAME."),
]
Update = Annotated[
    Path | None,
    typer.Option(
        metavar="PATH",
        help="Merge template changes into an existing project; your changes are kept.",
    ),
]
Add = Annotated[
    str,
    typer.Option(
        metavar="KIND",
        autocompletion=complete_kind,
        help="Add a contribution to the project in --output or the current folder: layer, or a "
        "kind as for --kind that is not compiled. Your changes are kept.",
    ),
]

#: Width of the checklist's lines, which are preceded by a box.
_STEP_WIDTH = 74

_STATES = {
    "added": "added",
    "changed": "changed",
    "removed": "removed",
    "conflict": "CONFLICT: both changed the same lines; look for <<<<<<<",
    "left": "unchanged: you deleted it, or changed it while the templates dropped it",
}


def new(
    name: Name = "",
    kind: Kind = "numpy",
    layer: Layer = False,
    operator: Operator = "",
    output: Output = None,
    update: Update = None,
    add: Add = "",
) -> None:
    """Create a plugin project: operator or other contribution, tests, documentation, packaging.

    It builds and passes its tests immediately; then replace the example with your code.
    Requires copier, which the extra `new` of opforge installs.
    """
    if bool(name) + bool(add) + (update is not None) != 1:
        fail("opforge new: pass exactly one of NAME (new project), --add KIND and --update PATH")
    if update is not None:
        _update(update)
    elif add:
        _add(output or Path(), add, operator)
    else:
        _create(name, kind, layer, operator, output)


def _create(name: str, kind: str, layer: bool, operator: str, output: Path | None) -> None:
    from ..scaffold import Project, create
    from ..scaffold.checklist import CHECKLIST, read_checklist
    from ..scaffold.name_conflicts import taken_names
    from ..scaffold.toolchain import missing_prerequisites

    project = Project(name, kind, layer, operator)
    _check_free(project.main)
    _warn(missing_prerequisites(kind))
    taken = taken_names(project)
    folder = output or Path(name)
    create(project, folder)
    typer.echo(
        f"Created {folder} with the {project.contents}. Next:\n\n"
        f"  cd {shlex.quote(str(folder))}\n"
        "  pip install -e '.[tests]'\n"
        "  pytest\n"
        f"  opforge check {name}\n\n"
        f"Then replace the example with your code ({CHECKLIST} contains this list):\n"
    )
    for step in read_checklist(folder):
        indented = textwrap.indent(textwrap.fill(step, _STEP_WIDTH), " " * 6)
        typer.echo(f"  [ ] {indented.lstrip()}")
    _warn(taken)


def _warn(sentences: list[str]) -> None:
    for sentence in filter(None, sentences):
        typer.echo(f"warning: {sentence}", err=True)


def _check_free(contribution: "Contribution") -> None:
    """Raise if the core has the name, because the core's contributions always take precedence."""
    from opforge.cli.reference.rows import import_core

    import_core()
    kind = NOUNS[contribution.noun]
    if CORE in TABLES[contribution.noun].providers(contribution.registered):
        fail(
            f"opforge new: {contribution.registered!r} is one of the core's own {kind.plural}, and "
            f"{kind.call(contribution.registered)} would still be that one; pass "
            f"another name of your {contribution.noun} with --operator"
        )


def _add(folder: Path, kind: str, name: str) -> None:
    from ..scaffold import Contribution, add
    from ..scaffold.name_conflicts import taken_contribution
    from ..scaffold.record import Record

    if name and kind != "layer":
        contribution = Contribution(kind, name)
        _check_free(contribution)
        _warn([taken_contribution(contribution, Record.read(folder).project.name)])
    _show(folder, add(folder, kind, name))


def _update(folder: Path) -> None:
    from ..scaffold import update

    _show(folder, update(folder))


def _show(folder: Path, changes: "list[Change]") -> None:
    for change in changes:
        typer.echo(f"{change.file}: {_STATES[change.state]}")
    if not changes:
        typer.echo(f"{folder} is up to date with the templates.")
    _fail_for_conflicts(changes)


def _fail_for_conflicts(changes: "list[Change]") -> None:
    files = [change.file for change in changes if change.state == "conflict"]
    if files:
        fail(f"Resolve the conflicts in {', '.join(files)}, then run the tests.")
