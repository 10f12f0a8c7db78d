"""Charts of measurements, drawn with matplotlib, an optional dependency."""

import importlib.util
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

__all__ = ["can_draw", "draw_overview", "draw_ratios", "draw_sizes", "new_figure", "save_figure"]

Row = dict[str, Any]
_BAR = 0.28  # inches
#: Libraries to which targets refer.
_TARGET_PEERS = ("torch", "onnxruntime")


def can_draw() -> bool:
    """Return whether matplotlib is installed."""
    return importlib.util.find_spec("matplotlib") is not None


def new_figure(width: float, height: float, rows: int = 1) -> Any:
    """Return a figure without a window and its axes, stacked vertically if there are several."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots(rows)


def save_figure(figure: Any, path: Path) -> None:
    """Write a chart; equal data give identical files, and text is kept as text."""
    import matplotlib

    is_svg = path.suffix == ".svg"
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "opforge"}):
        figure.savefig(path, metadata={"Date": None} if is_svg else None)


def draw_ratios(rows: Sequence[Row], peer: str, path: Path) -> None:
    """Draw a bar for each case: opforge's time relative to the peer's, with the target.

    Parameters
    ----------
    rows : sequence of dict
        Result of `comparison.compare`.
    peer : str
    path : Path
        Output file; its suffix selects the format, for instance ``.png``.
    """
    shown = [row for row in rows if peer in row["ratios"]]
    figure, axes = new_figure(9, 1.2 + _BAR * max(len(shown), 1))
    places = range(len(shown))
    ratios = [row["ratios"][peer] for row in shown]
    colours = ["tab:green" if ratio <= 1 else "tab:red" for ratio in ratios]
    axes.barh(places, ratios, color=colours, height=0.7)
    if peer in _TARGET_PEERS:
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
    axes.set_xlabel(f"time of opforge / time of {peer} (lower is faster)")
    save_figure(figure, path)


def draw_overview(ratios: Mapping[str, float], peer: str, path: Path) -> None:
    """Draw a small bar chart of selected cases for a landing page.

    Parameters
    ----------
    ratios : dict
        Label -> time of opforge divided by that of the peer.
    peer : str
        Display name of the peer.
    path : Path
        Output file; its suffix selects the format.
    """
    figure, axes = new_figure(8, 0.9 + 0.34 * len(ratios))
    bars = axes.barh(list(ratios), list(ratios.values()), color="tab:green", height=0.65)
    axes.bar_label(bars, fmt="%.2f", padding=4)
    axes.axvline(1, color="black", linewidth=0.8, linestyle="--")
    axes.set_xlim(0, max(1.15, *(1.1 * ratio for ratio in ratios.values())))
    axes.invert_yaxis()
    axes.set_xlabel(f"time relative to {peer} (lower is faster)")
    axes.spines[["top", "right"]].set_visible(False)
    save_figure(figure, path)


def draw_sizes(found: Mapping[str, Sequence[Row]], path: Path) -> None:
    """Plot time per element against the number of elements.

    Parameters
    ----------
    found : dict
        Library -> result of `sizes.sweep`.
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
    axes.set(xscale="log", yscale="log", xlabel="elements", ylabel="nanoseconds per element")
    axes.legend()
    axes.grid(alpha=0.3)
    save_figure(figure, path)
