"""opforge-recurrent."""

from itertools import product

from opforge_recurrent.references import parameter_count

from .call import Call

STEPS, BATCH, CHANNELS, SIZE = 5, 3, 4, 6


def small(*shape):
    """Draw numbers whose sums saturate no cell."""
    return lambda rng: 0.4 * rng.standard_normal(shape)


def rnn(mode, layers=1, bidirectional=False, size=SIZE, projection_size=None):
    """Return a call."""
    strands = layers * (1 + bidirectional)
    count = parameter_count(mode, CHANNELS, size, layers, bidirectional, projection_size)
    inputs = [
        small(STEPS, BATCH, CHANNELS),
        small(count),
        small(strands, BATCH, projection_size or size),
    ]
    inputs += [small(strands, BATCH, size)] if mode == "lstm" else []
    # MXNet has no gradient with a projection on the CPU.
    smooth = () if projection_size else tuple(range(len(inputs)))
    # Its relu computes in float32, whatever the type.
    tolerance = 1e-6 if mode == "rnn_relu" else None
    attributes = {"mode": mode, "state_size": size, "num_layers": layers, "state_outputs": True}
    attributes |= {"bidirectional": bidirectional, "projection_size": projection_size}
    return Call("RNN", tuple(inputs), attributes, smooth=smooth, tolerance=tolerance)


#: Without it, MXNet's RNN fails.
ONEDNN = True
CALLS = [
    *(
        rnn(mode, layers, bidirectional)
        for mode, layers, bidirectional in product(
            ("rnn_relu", "rnn_tanh", "lstm", "gru"), (1, 2), (False, True)
        )
    ),
    # The gradients of MXNet's third layer of rnn_relu and rnn_tanh do not match its result.
    *(
        rnn(mode, 3, bidirectional, size=33)
        for mode, bidirectional in product(("lstm", "gru"), (False, True))
    ),
    *(
        rnn("lstm", layers, bidirectional, projection_size=2)
        for layers, bidirectional in product((1, 2), (False, True))
    ),
]
