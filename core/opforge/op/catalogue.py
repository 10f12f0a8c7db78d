"""First-party operators and layers -> the distribution that provides them.

Read only for "not found" errors, since metadata cannot tell what is *not* installed. A test
compares this with what the plugins declare.
"""

__all__ = ["LAYERS", "OPERATORS"]

OPERATORS: dict[str, str] = {
    name: distribution
    for distribution, names in {
        "opforge-sigmoid": ("sigmoid", "relu", "softrelu", "softsign", "Activation"),
        "opforge-dense": ("dense",),
        "opforge-softmax": ("softmax", "log_softmax", "softmin", "SoftmaxOutput", "Softmax"),
        "opforge-tile": ("tile", "repeat"),
        "opforge-normalization": (
            "LayerNorm",
            "BatchNorm",
            "InstanceNorm",
            "min_max_norm",
            "center",
        ),
    }.items()
    for name in names
}

LAYERS: dict[str, str] = {
    name: distribution
    for distribution, names in {
        "opforge-sigmoid": ("Activation",),
        "opforge-dense": ("Dense",),
        "opforge-normalization": (
            "MinMaxNormalization",
            "Centering",
            "LayerNorm",
            "BatchNorm",
            "InstanceNorm",
        ),
    }.items()
    for name in names
}
