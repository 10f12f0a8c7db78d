"""Pictures of measurements, drawn with matplotlib, which is no dependency of opforge."""

import importlib.util
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

__all__ = ["can_draw", "draw_overview", "draw_ratios", "draw_sizes", "new_figure", "save_figure"]

Row = dict[str, Any]
_BAR = 0.28  # inches


def can_draw() -> bool:
    """Tell whether matplotlib is installed."""
    return importlib.util.find_spec("matplotlib") is not None


def new_figure(width: float, height: float, rows: int = 1) -> Any:
    """Return a figure that belongs to no window, and its axes, below each other if several."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots(rows)


def save_figure(figure: Any, path: Path) -> None:
    """Write a picture; the same figures give the same file, text stays text."""
    import matplotlib

    is_svg = path.suffix == ".svg"
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "opforge"}):
        figure.savefig(path, metadata={"Date": None} if is_svg else None)


def draw_ratios(rows: Sequence[Row], peer: str, path: Path) -> None:
    """Draw a bar for each case: opforge's time as a share of the peer's, and what is asked of it.

    Parameters
    ----------
    rows : sequence of dict
        What `comparing.compare` returns.
    peer : str
    path : Path
        Its suffix is the format, for instance ``.png``.
    """
    shown = [row for row in rows if peer in row["ratios"]]
    figure, axes = new_figure(9, 1.2 + _BAR * max(len(shown), 1))
    places = range(len(shown))
    ratios = [row["ratios"][peer] for row in shown]
    colours = ["tab:green" if ratio <= 1 else "tab:red" for ratio in ratios]
    axes.barh(places, ratios, color=colours, height=0.7)
    if peer == "torch":
        asked = [(place, row["target"]) for place, row in enumerate(shown) if row["target"]]
        if asked:
            axes.plot(
                [target for _, target in asked], [place for place, _ in asked], "k|", label="target"
            )
            axes.legend(loc="lower right")
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_xscale("log")
    axes.set_yticks(places, [row["name"] for row in shown])
    axes.invert_yaxis()
    axes.set_xlabel(f"time of opforge / time of {peer} (less is faster)")
    save_figure(figure, path)


def draw_overview(ratios: Mapping[str, float], peer: str, path: Path) -> None:
    """Draw a small bar chart of chosen cases for a first page.

    Parameters
    ----------
    ratios : dict
        Label -> time of opforge divided by that of the peer.
    peer : str
        Name of the peer, as readers know it.
    path : Path
        Its suffix selects the format.
    """
    figure, axes = new_figure(8, 0.9 + 0.34 * len(ratios))
    bars = axes.barh(list(ratios), list(ratios.values()), color="tab:green", height=0.65)
    axes.bar_label(bars, fmt="%.2f", padding=4)
    axes.axvline(1, color="black", linewidth=0.8, linestyle="--")
    axes.set_xlim(0, max(1.15, *(1.1 * ratio for ratio in ratios.values())))
    axes.invert_yaxis()
    axes.set_xlabel(f"time relative to {peer} (less is faster)")
    axes.spines[["top", "right"]].set_visible(False)
    save_figure(figure, path)


def draw_sizes(found: Mapping[str, Sequence[Row]], path: Path) -> None:
    """Draw time for each element over the number of elements.

    Parameters
    ----------
    found : dict
        Library -> what `sizes.sweep` returns.
    path : Path
    """
    figure, axes = new_figure(8, 5)
    for library, rows in found.items():
        style = "-" if library == "opforge" else "--"
        for number, row in enumerate(rows):
            axes.plot(
                [point["elements"] for point in row["points"]],
                [point["per_element"] * 1e9 for point in row["points"]],
                style,
                color=f"C{number}",
                label=f"{row['name']} ({library})",
            )
    axes.set(xscale="log", yscale="log", xlabel="elements", ylabel="nanoseconds for each element")
    axes.legend()
    axes.grid(alpha=0.3)
    save_figure(figure, path)
