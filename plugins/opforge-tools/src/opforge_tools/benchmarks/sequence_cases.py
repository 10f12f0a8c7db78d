"""Sequence cases: recurrent layers and cells, word embeddings, an encoder, text generation.

Hybridized encoders are compared with the faster of PyTorch's eager mode and `torch.compile`. The
PyTorch equivalent of cells and loop operators is a loop in Python.
"""

from .both_ways import pair, wanted
from .case import Array, Case

__all__ = ["OPTIMIZERS", "SEQUENCES"]

_GROUP = "sequences"
_STEPS = {"steps": 35, "batch": 32, "inputs": 128, "units": 256}


def _network(
    name: str,
    program: str,
    targets: tuple[float, float],
    sizes: dict[str, int],
    x: tuple[str, ...],
    flops: str,
) -> tuple[Case, ...]:
    """Return the cases of a network with gradients of its input and its parameters."""
    forward, both = (
        Case(
            f"{name}, {way}",
            _GROUP,
            opforge=f"{way}()",
            torch=f"{way}()",
            sizes=sizes,
            arrays={"x": Array(x, needs_grad=way == "both")},
            program=program,
            records=way == "both",
            target=target,
            flops=flops if way == "forward" else f"3 * {flops}",
        )
        for way, target in zip(("forward", "both"), targets, strict=True)
    )
    return forward, both


def _recurrent(
    name: str, program: str, targets: tuple[float, float], gates: int = 4
) -> tuple[Case, ...]:
    return _network(
        f"{name} 128 to 256, 35 steps of 32",
        program,
        targets,
        _STEPS,
        ("steps", "batch", "inputs"),
        f"2 * steps * batch * (inputs + units) * {gates} * units",
    )


def _encoder(how: str, program: str, targets: tuple[float, float]) -> tuple[Case, ...]:
    return _network(
        f"encoder layer 8x128x256{how}",
        program,
        targets,
        {"batch": 8, "length": 128, "units": 256, "heads": 4},
        ("batch", "length", "units"),
        "2 * batch * length * units * (12 * units + 2 * length)",
    )


def _generation_case(name: str, program: str, target: float, **sizes: int) -> Case:
    return Case(
        f"{name}, 64 words, one at a time",
        _GROUP,
        opforge="generate()",
        torch="generate()",
        sizes={"count": 64, "words": 1000, "units": 256, **sizes},
        program=program,
        target=target,
    )


SEQUENCES = (
    *_recurrent("LSTM", "lstm", (0.8, 0.8)),
    *_recurrent("GRU", "gru", (0.6, 0.5), gates=3),
    *_recurrent("LSTMCell, unrolled and hybridized,", "unrolled_cell", (0.8, 0.95)),
    *_recurrent("LSTMCell in foreach, hybridized,", "looped_cell", (0.9, 0.9)),
    *_network(
        "LSTM 128, hybridized, 40 lengths in turn",
        "lengths",
        (0.8, 0.9),
        {"lengths": 40, "batch": 16, "units": 128},
        ("lengths", "batch", "units"),
        "8 * batch * lengths * (lengths + 1) * units ** 2",
    ),
    *pair(
        _GROUP,
        "embedding 10000x128, 64x100 words",
        "nd.Embedding(ids, w, input_dim=words, output_dim=units)",
        "F.embedding(ids, w)",
        (0.8, 0.6),
        {"words": 10_000, "units": 128, "rows": 64, "length": 100},
        {
            "ids": Array(("rows", "length"), dtype="int64", below="words"),
            "w": wanted("words", "units"),
        },
        nbytes="8 * rows * length * units",
    ),
    *_encoder(", eager", "encoder", (0.5, 0.5)),
    *_encoder(", hybridized", "compiled_encoder", (0.45, 0.45)),
    _generation_case("LSTM 256", "generating_lstm", 0.3),
    _generation_case("4 encoder layers, keys cached", "generating_encoder", 0.7, layers=4, heads=4),
)

OPTIMIZERS = (
    Case(
        "Adam, 100 parameters of 1000x100",
        "optimizers",
        opforge="step()",
        torch="step()",
        sizes={"parameters": 100, "rows": 1000, "columns": 100},
        program="adam",
        records=True,
        target=0.7,
        # Weights, means and variances are read and written, gradients read.
        nbytes="7 * 4 * parameters * rows * columns",
    ),
)
