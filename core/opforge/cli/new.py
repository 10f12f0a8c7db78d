"""``opforge new``: a project for a plugin, from templates, and their later changes."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..base.errors import ScaffoldError
from ..op import registry
from ..op.entry import CORE
from ..reference import rows
from .console import fail

if TYPE_CHECKING:
    from ..scaffold import Change

__all__ = ["new"]

Name = Annotated[
    str, typer.Argument(metavar="NAME", help="Name of the distribution, for instance acme-silu.")
]
Kind = Annotated[
    str,
    typer.Option(
        metavar="KIND",
        help="How the operator is written: numpy (NumPy code with a gradient), composed (of other "
        "operators; the gradient follows), native-c, native-cython or numba (native code that "
        "runs without Python's lock).",
    ),
]
Layer = Annotated[bool, typer.Option("--layer", help="With a layer around the operator.")]
Operator = Annotated[
    str,
    typer.Option(metavar="NAME", help="Name of the operator. Default: NAME, without opforge-."),
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
) -> None:
    """Make a project for a plugin: operator, tests, documentation, packaging.

    It builds and passes its tests as it is; put your operator in the place of the example.
    It needs the extra `new` of opforge, which is copier.
    """
    if (update is None) != bool(name):
        fail("opforge new: give either the NAME of a new project or --update PATH")
    try:
        if update is not None:
            _update(update)
        else:
            _create(name, kind, layer, operator, output)
    except ScaffoldError as error:
        fail(str(error))


def _create(name: str, kind: str, layer: bool, operator: str, output: Path | None) -> None:
    from ..scaffold import Project, create

    project = Project(name, kind, layer, operator)
    _check_free(project.operator)
    folder = output or Path(name)
    create(project, folder)
    has_layer = f" and layer {project.class_name}" if layer else ""
    typer.echo(
        f"Made {folder} with operator {project.operator}{has_layer}. Next:\n\n"
        f"  cd {shlex.quote(str(folder))}\n"
        "  pip install -e '.[tests]'\n"
        "  pytest\n"
        f"  opforge check {name}\n\n"
        f"Then put your operator into src/{project.package}/operators.py."
    )


def _check_free(operator: str) -> None:
    """Refuse a name that a plugin cannot have: the core's operators are found first, always."""
    rows.import_core()
    if CORE in registry.OPERATORS.providers(operator):
        fail(
            f"opforge new: {operator!r} is one of the core's own operators, and nd.{operator} "
            "would stay that one; give your operator another name with --operator"
        )


def _update(folder: Path) -> None:
    from ..scaffold import update

    changes = update(folder)
    for change in changes:
        typer.echo(f"{change.file}: {_STATES[change.state]}")
    if not changes:
        typer.echo(f"{folder} has everything of the templates.")
    _fail_for_conflicts(changes)


def _fail_for_conflicts(changes: "list[Change]") -> None:
    files = [change.file for change in changes if change.state == "conflict"]
    if files:
        fail(f"Resolve the conflicts in {', '.join(files)}, then run its tests.")
