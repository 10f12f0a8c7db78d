"""Breadth-first sampling of the neighborhood of seeds, one layer at a time."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from opforge.plugin_api import F

from .csr_parts import Graph

__all__ = ["Neighborhood", "sampled_neighborhood"]


@dataclass(frozen=True)
class Neighborhood:
    """A sampled subgraph.

    Parameters
    ----------
    vertices, layers : numpy.ndarray
        Vertices in ascending order, and their distances from the seeds.
    rows, positions : numpy.ndarray
        For each sampled edge, the index of its vertex and the position among the graph's edges, in
        the order of rows.
    """

    vertices: Any
    layers: Any
    rows: Any
    positions: Any


def sampled_neighborhood(
    graph: Graph, seeds: Any, weights: Any, n_hops: int, n_edges: int, most: int
) -> Neighborhood:
    """Sample edges of each vertex, starting at seeds, until `most` vertices are known.

    Parameters
    ----------
    graph : Graph
    seeds : numpy.ndarray
        Vertices without repetition, at most `most`.
    weights : numpy.ndarray or None
        Weights of the vertices that edges lead to; None: equal.
    n_hops : int
        Distance from the seeds of the last layer, whose edges are not sampled.
    n_edges : int
        Number of edges per vertex; vertices with fewer keep all.
    most : int
        As in MXNet, the vertex that leads to the last new one keeps its edges, also those to
        vertices that are not part of the subgraph.
    """
    vertices, layers = seeds, np.zeros(len(seeds), np.int64)
    sources, positions = [seeds[:0]], [seeds[:0]]
    frontier, is_truncated = seeds, False
    for hop in range(n_hops):
        is_truncated = len(frontier) > 0 and len(vertices) >= most
        if is_truncated or not len(frontier):
            break
        picked, ends = _sample_edges(graph, frontier, weights, n_edges)
        found, n_processed = _new_vertices(graph.columns[picked], ends, vertices, most)
        sources.append(np.repeat(frontier[:n_processed], np.diff(ends[:n_processed], prepend=0)))
        positions.append(picked[: ends[n_processed - 1]])
        vertices = np.concatenate([vertices, found])
        layers = np.concatenate([layers, np.full(len(found), hop + 1)])
        is_truncated = n_processed < len(frontier)
        if is_truncated:
            break
        frontier = found
    if is_truncated:
        warnings.warn(
            f"sampling stops at max_num_vertices={most} before all edges are sampled; pass fewer "
            "seeds or neighbors",
            stacklevel=2,
        )
    order = np.argsort(vertices)
    rows = np.searchsorted(vertices, np.concatenate(sources), sorter=order)
    by_row = np.argsort(rows, kind="stable")
    return Neighborhood(
        vertices[order], layers[order], rows[by_row], np.concatenate(positions)[by_row]
    )


def _sample_edges(graph: Graph, frontier: Any, weights: Any, n_edges: int) -> tuple[Any, Any]:
    """Return the positions of sampled edges, vertex by vertex, and the end of each vertex's.

    The edges with the smallest arrival times are those drawn one after the other in proportion to
    the rates of arrival.
    """
    positions, counts = graph.edges_of(frontier)
    owners = np.repeat(np.arange(len(frontier)), counts)
    is_chosen = np.ones(len(positions), bool)
    is_large = counts[owners] > n_edges
    candidates = np.flatnonzero(is_large)
    if len(candidates):
        times = F.random.exponential(shape=(len(candidates),), dtype="float64").asnumpy()
        if weights is not None:
            rates = weights[graph.columns[positions[candidates]]].astype(np.float64)
            with np.errstate(divide="ignore"):
                times /= rates
        order = np.lexsort((times, owners[candidates]))
        sorted_owners = owners[candidates][order]
        ranks = np.arange(len(order)) - np.searchsorted(sorted_owners, sorted_owners)
        is_chosen[candidates[order]] = (ranks < n_edges) & np.isfinite(times[order])
    ends = np.cumsum(np.bincount(owners[is_chosen], minlength=len(frontier)))
    return positions[is_chosen], ends


def _new_vertices(columns: Any, ends: Any, known: Any, most: int) -> tuple[Any, int]:
    """Return new vertices in the order of discovery, and the number of processed vertices."""
    unique, firsts = np.unique(columns, return_index=True)
    is_new = ~np.isin(unique, known)
    order = np.argsort(firsts[is_new])
    found, at = unique[is_new][order], firsts[is_new][order]
    n_more = most - len(known)
    if len(found) < n_more:
        return found, len(ends)
    return found[:n_more], int(np.searchsorted(ends, at[n_more - 1], side="right")) + 1
