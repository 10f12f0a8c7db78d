"""``opforge new``: a project for a plugin, from templates, and their later changes."""

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
    from ..scaffold import Change, Thing

__all__ = ["complete_kind", "new"]


def complete_kind(incomplete: str) -> list[str]:
    """Return the kinds of projects that `opforge new --kind` takes.

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
        "operators; the gradient follows), kernel (of opforge's own native kernels), native-c, "
        "native-cython or numba (native code that runs without Python's lock). Or what it is of "
        "instead: optimizer, initializer, metric, kvstore, loss, scheduler, dataset, "
        "iterator, model, exporter or module.",
    ),
]
Layer = Annotated[bool, typer.Option("--layer", help="With a layer around the operator.")]
Operator = Annotated[
    str,
    typer.Option(
        metavar="NAME", help="Name of the operator or other thing. By default made from NAME."
    ),
]
Output = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Folder to make the project in. Default: NAME, here."),
]
Update = Annotated[
    Path | None,
    typer.Option(
        metavar="PATH",
        help="Bring changes of the templates into a project that was made before; keeps yours.",
    ),
]
Add = Annotated[
    str,
    typer.Option(
        metavar="KIND",
        autocompletion=complete_kind,
        help="Add another thing to the project in the folder --output, or here: a kind as for "
        "--kind, but none that is compiled; or layer. Keeps what you wrote.",
    ),
]

#: Of the checklist's lines, which have a box before them.
_STEP_WIDTH = 74

_STATES = {
    "added": "added",
    "changed": "changed",
    "removed": "removed",
    "conflict": "CONFLICT: both changed the same lines; look for <<<<<<<",
    "left": "left as it is: you deleted it, or changed it and the templates have dropped it",
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
    """Make a project for a plugin: operator or other thing, tests, documentation, packaging.

    It builds and passes its tests as it is; put your code in the place of the example.
    It needs the extra `new` of opforge, which is copier.
    """
    if bool(name) + bool(add) + (update is not None) != 1:
        fail("opforge new: give one of the NAME of a new project, --add KIND and --update PATH")
    if update is not None:
        _update(update)
    elif add:
        _add(output or Path(), add, operator)
    else:
        _create(name, kind, layer, operator, output)


def _create(name: str, kind: str, layer: bool, operator: str, output: Path | None) -> None:
    from ..scaffold import Project, create
    from ..scaffold.checklist import CHECKLIST, read_checklist
    from ..scaffold.taken import taken_names

    project = Project(name, kind, layer, operator)
    _check_free(project.main)
    taken = taken_names(project)
    folder = output or Path(name)
    create(project, folder)
    typer.echo(
        f"Made {folder} with the {project.contents}. Next:\n\n"
        f"  cd {shlex.quote(str(folder))}\n"
        "  pip install -e '.[tests]'\n"
        "  pytest\n"
        f"  opforge check {name}\n\n"
        f"Then put your own in the place of the example ({CHECKLIST} has this list):\n"
    )
    for step in read_checklist(folder):
        indented = textwrap.indent(textwrap.fill(step, _STEP_WIDTH), " " * 6)
        typer.echo(f"  [ ] {indented.lstrip()}")
    _warn(taken)


def _warn(sentences: list[str]) -> None:
    for sentence in filter(None, sentences):
        typer.echo(f"warning: {sentence}", err=True)


def _check_free(thing: "Thing") -> None:
    """Refuse a name that a plugin cannot have: what opforge itself has is found first, always."""
    from opforge.reference.rows import import_core

    import_core()
    kind = NOUNS[thing.noun]
    if CORE in TABLES[thing.noun].providers(thing.registered):
        fail(
            f"opforge new: {thing.registered!r} is one of the core's own {kind.plural}, and "
            f"{kind.place.format(name=thing.registered)} would stay that one; give your "
            f"{thing.noun} another name with --operator"
        )


def _add(folder: Path, kind: str, name: str) -> None:
    from ..scaffold import Thing, add
    from ..scaffold.record import Record
    from ..scaffold.taken import taken_thing

    if name and kind != "layer":
        thing = Thing(kind, name)
        _check_free(thing)
        _warn([taken_thing(thing, Record.read(folder).project.name)])
    _show(folder, add(folder, kind, name))


def _update(folder: Path) -> None:
    from ..scaffold import update

    _show(folder, update(folder))


def _show(folder: Path, changes: "list[Change]") -> None:
    for change in changes:
        typer.echo(f"{change.file}: {_STATES[change.state]}")
    if not changes:
        typer.echo(f"{folder} has everything of the templates.")
    _fail_for_conflicts(changes)


def _fail_for_conflicts(changes: "list[Change]") -> None:
    files = [change.file for change in changes if change.state == "conflict"]
    if files:
        fail(f"Resolve the conflicts in {', '.join(files)}, then run its tests.")
