"""Multiply-adds of single operators."""

import pytest
from opforge_estimator.summary.multiply_adds import multiply_adds

from opforge import gluon, nd
from opforge.gluon import nn


def cost(function, *shapes):
    block = nn.HybridLambda(function)
    return multiply_adds(block, tuple(nd.ones(shape) for shape in shapes))


@pytest.mark.parametrize(
    ("function", "shapes", "expected"),
    [
        (lambda F, x, y: F.dot(x, y), [(4, 3), (3, 2)], 24),
        (lambda F, x, y: F.dot(x, y, transpose_a=True), [(3, 4), (3, 2)], 24),
        (lambda F, x, y: F.batch_dot(x, y), [(5, 4, 3), (5, 3, 2)], 120),
        (lambda F, x, y: F.batch_dot(x, y, transpose_a=True), [(5, 3, 4), (5, 3, 2)], 120),
        (lambda F, x: F.exp(x) + x, [(4, 3)], 0),
        (lambda F, x: F.contrib.interleaved_matmul_selfatt_qk(x, heads=2), [(5, 3, 24)], 600),
        (
            lambda F, x: F.contrib.interleaved_matmul_selfatt_valatt(
                x, F.contrib.interleaved_matmul_selfatt_qk(x, heads=2), heads=2
            ),
            [(5, 3, 24)],
            1200,
        ),
        (
            lambda F, q, x: F.contrib.interleaved_matmul_encdec_valatt(
                x, F.contrib.interleaved_matmul_encdec_qk(q, x, heads=2), heads=2
            ),
            [(4, 3, 8), (5, 3, 16)],
            960,
        ),
        (
            lambda F, q, x: F.scaled_dot_product_attention(q, x, x),
            [(3, 4, 8), (3, 5, 8)],
            960,
        ),
    ],
)
def test_operators(function, shapes, expected):
    assert cost(function, *shapes) == expected


@pytest.mark.parametrize(
    ("create", "shape", "expected"),
    [
        (lambda: nn.Conv2D(6, 3, groups=2), (2, 4, 8, 8), 2 * 6 * 36 * 18),
        (lambda: nn.Conv2DTranspose(6, 3), (2, 4, 8, 8), 2 * 4 * 64 * 54),
        (lambda: nn.Dense(5, flatten=False), (2, 3, 4), 2 * 3 * 5 * 4),
        (lambda: gluon.rnn.GRU(7), (3, 2, 5), 3 * 2 * 21 * 12),
        (lambda: gluon.rnn.RNN(7), (3, 2, 5), 3 * 2 * 7 * 12),
    ],
    ids=["grouped", "transposed", "dense", "gru", "rnn"],
)
def test_layers(create, shape, expected):
    layer = create()
    layer.initialize()
    arguments = [nd.ones(shape)]
    layer(*arguments)
    if isinstance(layer, gluon.rnn.GRU | gluon.rnn.RNN):
        arguments.append(layer.begin_state(batch_size=shape[1]))
    assert multiply_adds(layer, tuple(arguments)) == expected


def test_blocks_without_a_graph():
    assert multiply_adds(nn.Lambda(lambda x: x), (nd.ones(2),)) is None
    assert cost(lambda F, x: x.asnumpy() and x, (2,)) is None
