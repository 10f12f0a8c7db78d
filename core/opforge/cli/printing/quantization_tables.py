"""Tables of ``opforge model quantize``."""

from collections.abc import Mapping
from typing import Any

from ...base.text_lines import visible
from ...base.text_tables import Column, TextTable
from .console import open_console, print_plain, print_table

__all__ = ["print_quantization"]

_MIB = 2.0**20


def print_quantization(report: Mapping[str, Any]) -> None:
    """Print a report of `opforge.cli.networks.quantizing.measure`, with its files."""
    console = open_console()
    print_table(console, _figures(report))
    same = f"{report['agreement']:.1%} of {report['examples']} examples"
    print_plain(console, f"\nThe largest output is the same for {same}.\n")
    table = TextTable([Column("layer"), Column("error", whole=True, right=True)])
    table.rows += [[visible(name), f"{error:.2%}"] for name, error in report["layers"].items()]
    print_table(console, table)
    print_plain(console, f"\nwrote {visible(', '.join(report['files']))}")


def _figures(report: Mapping[str, Any]) -> TextTable:
    """Return a row for each figure, before and after."""
    columns = [Column(""), Column("before", whole=True, right=True)]
    table = TextTable([*columns, Column("after", whole=True, right=True)])
    size, speed = report["bytes"], report["ms"]
    table.rows.append(["parameters (MiB)", *(f"{count / _MIB:.2f}" for count in size)])
    table.rows.append(["one example (ms)", *(f"{number:.3f}" for number in speed)])
    if "accuracy" in report:
        table.rows.append(["accuracy", *(f"{share:.2%}" for share in report["accuracy"])])
    return table
