"""The commands of ``opforge``; each prints a table, or JSON with ``--json``."""

import typer

from .bench import bench
from .check import check
from .docs import docs
from .doctor import doctor
from .model import model
from .new import new
from .ops import ops
from .plugins import plugins
from .stubs import stubs

__all__ = ["app"]

app = typer.Typer(
    name="opforge",
    help="Operators, plugins and speed of opforge. Listing imports no plugin.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(ops, name="ops")
app.add_typer(plugins, name="plugins")
app.command("doctor")(doctor)
app.add_typer(bench, name="bench")
app.add_typer(model, name="model")
app.command("new")(new)
app.command("stubs")(stubs)
app.command("docs")(docs)
app.command("check")(check)
