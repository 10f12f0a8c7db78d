"""Sample calls of the operators for ``opforge check``; see `layer_checks` for the layers."""

from typing import Any

from . import references
from .layer_checks import LAYER_CHECKS as LAYER_CHECKS

STEPS, BATCH, CHANNELS, SIZE = 3, 2, 3, 4


def sample(rng: Any, mode: str, **attributes: Any) -> dict[str, Any]:
    """Return a call with states and weights small enough not to saturate gates."""
    attributes = {"state_size": SIZE, "num_layers": 1, "mode": mode, **attributes}
    directions = 1 + attributes.get("bidirectional", False)
    projection = attributes.get("projection_size")
    count = references.parameter_count(
        mode, CHANNELS, SIZE, attributes["num_layers"], directions == 2, projection
    )
    states = (attributes["num_layers"] * directions, BATCH)
    shapes = [(STEPS, BATCH, CHANNELS), (count,), (*states, projection or SIZE)]
    if mode == "lstm":
        shapes.append((*states, SIZE))
    return {"inputs": [rng.uniform(-1, 1, shape) for shape in shapes], "attributes": attributes}


def samples(rng: Any) -> list[dict[str, Any]]:
    """Return calls that cover each mode and each attribute."""
    two = {"num_layers": 2, "bidirectional": True}
    return [
        *(sample(rng, mode, state_outputs=True) for mode in references.GATES),
        *(sample(rng, mode, **two) for mode in ("rnn_tanh", "lstm", "gru")),
        sample(rng, "lstm", projection_size=2, state_outputs=True, **two),
        sample(rng, "lstm", lstm_state_clip_min=-0.2, lstm_state_clip_max=0.3),
    ]


OPERATOR_CHECKS: dict[str, dict[str, Any]] = {
    name: {"reference": references.rnn, "samples": samples} for name in ("RNN", "_RNN_prediction")
}
