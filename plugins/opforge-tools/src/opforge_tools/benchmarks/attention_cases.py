"""Cases of fused attention."""

from .both_ways import pair, wanted
from .case import Case

__all__ = ["ATTENTION"]

_GROUP = "attention"


def _attention(batch: int, length: int, causal: int = 0) -> tuple[Case, ...]:
    """Return the cases with 8 heads of depth 64."""
    heads_apart = ("batch", "heads", "length", "depth")
    return pair(
        _GROUP,
        f"attention, {batch}x8x{length}x64" + (", causal" if causal else ""),
        "nd.scaled_dot_product_attention(q, k, v, causal=bool(causal))",
        "F.scaled_dot_product_attention(q, k, v, is_causal=bool(causal))",
        (0.6, 0.6) if causal else (0.9, 0.85),
        {"batch": batch, "heads": 8, "length": length, "depth": 64, "causal": causal},
        {name: wanted(*heads_apart) for name in ("q", "k", "v")},
        flops="4 * batch * heads * length ** 2 * depth // (1 + causal)",
    )


ATTENTION = (
    *_attention(8, 128),
    *_attention(8, 512),
    *_attention(1, 1024),
    *_attention(1, 2048),
    *_attention(1, 2048, causal=1),
    *_attention(1, 4096),
)
