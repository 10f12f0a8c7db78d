"""Fill the tables of docs/explanation/scaling.md, and draw its charts, from stored figures.

    python scripts/scaling_page.py            write the tables
    python scripts/scaling_page.py --draw     draw the charts too; needs matplotlib

docs/explanation/figures/mpi.json has the measurements, losses.json the losses of
examples/distributed.py.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from opforge_mpi.benchmarks.scaling import Job, Network, ring, sharded, simulate, tree
from opforge_tools.benchmarks import charts
from opforge_tools.benchmarks.pages import filled

EXPLANATION = Path(__file__).resolve().parents[1] / "docs" / "explanation"
PAGE = EXPLANATION / "scaling.md"
FIGURES = EXPLANATION / "figures"
RANKS = (2, 4, 16, 64, 256, 1000, 10_000)
#: Largest number of ranks for which sharded updates are shown.
FEW = (2, 4, 16)
#: Relative variation of a rank's time from step to step.
JITTER = 0.01
#: The page's terms for them: seconds per message and per byte.
NETWORKS = {"10 Gbit/s Ethernet": (30e-6, 0.8e-9), "100 Gbit/s InfiniBand": (3e-6, 0.08e-9)}
TITLES = {"perceptron": "MLP", "language_model": "LSTM language model", "resnet": "ResNet-18"}


def stored(name: str) -> dict[str, Any]:
    """Return stored figures."""
    found: dict[str, Any] = json.loads((FIGURES / f"{name}.json").read_text(encoding="utf-8"))
    return found


def job(network: dict[str, Any]) -> Job:
    """Return a network's step as measured on one rank."""
    measured = {key: network[key] for key in ("forward", "backward", "update", "nbytes")}
    return Job(**measured, jitter=JITTER)


def wires() -> dict[str, Network]:
    """Return the networks by name."""
    adding = stored("mpi")["adding_per_byte"]
    return {name: Network(*costs, adding) for name, costs in NETWORKS.items()}


def blocks() -> dict[str, str]:
    """Return the tables of the page by name."""
    measured = stored("mpi")
    steps = {each["name"]: job(each) for each in measured["networks"]}
    return {
        "machine": _table(
            ("", "alone", "apart", "predicted", "measured", "samples, predicted", "measured"),
            (_on_one_machine(each, measured["adding_per_byte"]) for each in measured["networks"]),
        ),
        "ranks": _table(
            ("", "network", *(f"{ranks:,}" for ranks in RANKS)),
            (
                [TITLES[name], wire, *(f"{_efficiency(step, network, r):.0%}" for r in RANKS)]
                for wire, network in wires().items()
                for name, step in steps.items()
            ),
        ),
        "sharded": _table(
            ("", "network", "update", *(f"{ranks} ranks" for ranks in FEW)),
            (
                [TITLES[name], wire, _ms(step.update), *(_gain(step, network, r) for r in FEW)]
                for wire, network in wires().items()
                for name, step in steps.items()
            ),
        ),
    }


def _on_one_machine(each: dict[str, Any], adding: float) -> list[str]:
    """Return a row of two ranks on two cores: no other rank adds, so no sum is hidden."""
    alone = job(each).alone
    predicted = each["apart"] + each["nbytes"] * adding
    cells = [alone, each["apart"], predicted, each["together"]]
    gained = (2 * alone / predicted, 2 * alone / each["together"])
    return [TITLES[each["name"]], *map(_ms, cells), *(f"{gain:.2f}" for gain in gained)]


def _efficiency(step: Job, network: Network, ranks: int) -> float:
    return step.alone / min(simulate(step, network, ranks, sums) for sums in (ring, tree))


def _gain(step: Job, network: Network, ranks: int) -> str:
    """Return the milliseconds that sharded updates save."""
    saved = simulate(step, network, ranks) - sharded(step, network, ranks)
    return f"{saved * 1e3:+.1f} ms"


def _ms(seconds: float) -> str:
    return f"{seconds * 1e3:.1f} ms"


def _table(columns: Sequence[str], rows: Iterator[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def draw_scaling(path: Path) -> None:
    """Draw the share of a rank's time left for its own samples, over the number of ranks."""
    figure, axes = charts.new_figure(8, 4.5)
    counts = [2**power for power in range(14)]
    for style, (wire, network) in zip("-:", wires().items(), strict=True):
        for number, each in enumerate(stored("mpi")["networks"]):
            shares = [_efficiency(job(each), network, ranks) for ranks in counts]
            label = f"{TITLES[each['name']]}, {wire}"
            axes.plot(counts, shares, style, color=f"C{number}", label=label)
    axes.set(xscale="log", xlabel="ranks", ylabel="efficiency", ylim=(0, 1.02))
    axes.legend(fontsize="small")
    axes.grid(alpha=0.3)
    charts.save_figure(figure, path)


def draw_losses(path: Path) -> None:
    """Draw the losses of the example on one, two and four ranks."""
    figure, axes = charts.new_figure(7, 4)
    styles = {"1": ("-", 5), "2": ("--", 2.5), "4": (":", 2.5)}
    for ranks, run in stored("losses")["ranks"].items():
        style, width = styles[ranks]
        label = f"{ranks} rank{'s' * (ranks != '1')}: test accuracy {run['accuracy']:.1%}"
        epochs = range(1, len(run["losses"]) + 1)
        axes.plot(epochs, run["losses"], style, linewidth=width, label=label)
    axes.set(xlabel="epoch of Fashion-MNIST", ylabel="mean loss")
    axes.legend()
    axes.grid(alpha=0.3)
    charts.save_figure(figure, path)


def main() -> None:
    """Write the page, and draw the charts if requested."""
    if sys.argv[1:] not in ([], ["--draw"]):
        sys.exit(__doc__)
    if sys.argv[1:]:
        draw_scaling(FIGURES / "scaling.svg")
        draw_losses(FIGURES / "losses.svg")
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), blocks()), encoding="utf-8")


if __name__ == "__main__":
    main()
