"""Operators of the core and their rules."""

from collections.abc import Callable
from typing import Any

from . import indexing, others, products, reductions, shapes

__all__ = ["RULES"]

#: Operator -> rule. Each has an entry point "onnx:OPERATOR".
RULES: dict[str, Callable[..., Any]] = {
    "BlockGrad": others.identity,
    "Cast": others.like_first,
    "Concat": shapes.concat,
    "Flatten": shapes.flatten,
    "FullyConnected": products.fully_connected,
    "Reshape": shapes.reshape,
    "SliceChannel": shapes.slice_channel,
    "SwapAxis": shapes.swap_axes,
    "_arange": others.constant,
    "_cast_like": others.like_first,
    "_eye": others.constant,
    "_full": others.constant,
    "_linspace": others.constant,
    "_ones": others.constant,
    "_zeros": others.constant,
    "add_n": others.add_n,
    "amp_cast": others.like_first,
    "argmax": reductions.argmax,
    "argmax_channel": reductions.argmax_channel,
    "argmin": reductions.argmin,
    "batch_dot": products.batch_dot,
    "broadcast_axis": shapes.broadcast_axis,
    "broadcast_like": shapes.broadcast_like,
    "broadcast_to": shapes.broadcast_to,
    "clip": others.clip,
    "dot": products.dot,
    "expand_dims": shapes.expand_dims,
    "gather_nd": indexing.gather_nd,
    "make_loss": others.identity,
    "max": reductions.maximum,
    "mean": reductions.mean,
    "min": reductions.minimum,
    "norm": reductions.norm,
    "one_hot": indexing.one_hot,
    "ones_like": others.ones_like,
    "pick": indexing.pick,
    "prod": reductions.product,
    "reshape_like": shapes.reshape_like,
    "reverse": shapes.reverse,
    "shape_array": others.shape_array,
    "slice": shapes.slices,
    "slice_axis": shapes.slice_axis,
    "slice_like": shapes.slice_like,
    "smooth_l1": others.smooth_l1,
    "squeeze": shapes.squeeze,
    "stack": shapes.stack,
    "sum": reductions.total,
    "take": indexing.take,
    "topk": indexing.topk,
    "transpose": shapes.transpose,
    "where": indexing.where,
    "zeros_like": others.zeros_like,
}
