"""Additional sections on the pages of operators: a plot, and costs.

Plots are drawn by calling the operators. Costs come from declarations, and from the cases of
``opforge bench`` that call the operator, with the stored figures of the page on performance.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from opforge_tools.benchmarks import CASES, charts, reports

from opforge import autograd, nd
from opforge.cli.reference.declarations import installed_operators
from opforge.op.registry.naming import public_name
from opforge.op.registry.registry import lookup

FIGURES = Path(__file__).resolve().parents[1] / "explanation" / "figures"
METHOD = "../../../performance_figures.md"
PAGE = re.compile(r"reference/operators/[^/]+/operators/[^/]+")
TITLE = re.compile(r"^# (.+)$", re.MULTILINE)


class Facts:
    """Source-read handler that adds plots and costs to pages."""

    def __init__(self, app: Any) -> None:
        self._source = Path(app.srcdir)
        entries = (lookup(operator.name) for operator in installed_operators())
        self._declarations = {public_name(entry.name): entry.prop_class for entry in entries}
        report = json.loads((FIGURES / "cases-2.json").read_text(encoding="utf-8"))
        self._machine = reports.machine_line(report["machine"])
        self._rows = {row["name"]: row for row in report["rows"]}

    def add(self, page: str, source: list[str]) -> None:
        """Insert a plot below the signature of an operator, and its costs before its versions."""
        if not PAGE.fullmatch(page):
            return
        name = TITLE.search(source[0])[1].replace("\\", "")
        declaration = self._declarations[name]
        opening, mark, rest = source[0].partition("\n## ")
        if has_curve(declaration):
            picture = self._source / f"{page}.svg"
            draw(name, declaration, picture)
            opening += f"\n![{name} and its slope from -4 to 4]({picture.name})\n"
        before, versions, after = f"{opening}{mark}{rest}".partition("\n## Versions")
        source[0] = before + self._costs(name, declaration) + versions + after

    def _costs(self, name: str, declaration: Any) -> str:
        """Return the section on costs."""
        lines = ["", "## Cost", "", " ".join(told_costs(declaration))]
        # Cases that are newer than the stored figures have none.
        known = [case.name for case in CASES if case.name in self._rows and calls(case, name)]
        measured = [self._rows[key] for key in known if "torch" in self._rows[key]["ratios"]]
        if measured:
            lines += ["", "| case | opforge | PyTorch | ratio |", "| --- | ---: | ---: | ---: |"]
            for row in measured:
                times = [reports.figure(row[library]) for library in ("opforge", "torch")]
                ratio = f"{row['ratios']['torch']:.2f}"
                lines.append(f"| {' | '.join([row['name'], *times, ratio])} |")
            lines += ["", f"Measured on {self._machine} ([method]({METHOD}))."]
        return "\n".join([*lines, ""])


def calls(case: Any, name: str) -> bool:
    """Tell whether a case of the benchmarks calls an operator by its name."""
    return bool(re.search(rf"\b(?:nd|F)\.{re.escape(name)}\(", f"{case.opforge}\n{case.program}"))


def told_costs(declaration: Any) -> Iterator[str]:
    """Yield sentences about the time and memory of an operator."""
    if declaration.compose is not None:
        yield "Composed of other operators; its costs are theirs."
    elif declaration.elementwise_kernel is not None:
        yield (
            "One pass over memory on all threads; in a compiled graph consecutive elementwise "
            "operators share that pass."
        )
    elif hasattr(declaration, "library"):
        yield "Native code in its plugin, compiled for several instruction sets."
    if declaration.named_attribute("FInplaceIdentity"):
        yield "In a compiled graph it copies nothing: the result shares the memory of the input."
    elif declaration.elementwise_kernel or declaration.named_attribute("FInplaceOption"):
        yield "Its result may reuse the memory of an input that is no longer needed."
    if not declaration.differentiable:
        yield "It has no gradient and keeps no arrays."
    elif declaration.compose is None:
        words = {"inputs": "its inputs", "outputs": "its outputs"}
        kept = [words.get(word, f"`{word}`") for word in declaration.saves]
        yield f"For the gradient it keeps {' and '.join(kept) or 'nothing'}."


def has_curve(declaration: Any) -> bool:
    """Tell whether an operator is a function of one number."""
    kernel = declaration.elementwise_kernel
    if declaration.category == "activation":
        alike = declaration.named_attribute("FElementwiseShape")
        is_one = kernel or alike or "act_type" in declaration.attributes
        return bool(declaration.differentiable and is_one)
    return bool(kernel) and kernel[0] == "unary"


def curves(name: str, declaration: Any, x: Any) -> Iterator[tuple[str, Any]]:
    """Yield label and values of an operator's curve, or of each that its `act_type` names."""
    function = nd
    for part in name.split("."):
        function = getattr(function, part)
    kinds = declaration.attributes.get("act_type")
    if kinds is None:
        yield name, function(x)
        return
    for kind in kinds.choices:
        if kind not in ("prelu", "rrelu"):  # slopes that are learned, or drawn
            yield kind, function(x, act_type=kind)


def draw(name: str, declaration: Any, path: Path) -> None:
    """Draw an operator, and its slope as a thin line."""
    figure, axes = charts.new_figure(6, 3)
    x = nd.array(np.linspace(-4, 4, 401, dtype="float32"))
    x.attach_grad()
    with autograd.record():
        found = list(curves(name, declaration, x))
    for number, (label, y) in enumerate(found):
        y.backward()
        for values, width, said in ((y, 2, label), (x.grad, 0.8, f"{label}, slope")):
            shown = values.asnumpy()
            shown = np.where(np.abs(shown) < 6, shown, np.nan)
            axes.plot(x.asnumpy(), shown, color=f"C{number}", linewidth=width, label=said)
    axes.legend(fontsize="small")
    axes.grid(alpha=0.3)
    charts.save_figure(figure, path)


def setup(app: Any) -> dict[str, bool]:
    """Add the sections in each build."""
    app.connect("builder-inited", lambda app: app.connect("source-read", reading(Facts(app))))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def reading(facts: Facts) -> Any:
    """Return the handler that Sphinx calls for each page."""
    return lambda app, page, source: facts.add(page, source)
