"""Layer 2: what an operator is. Declarations, typed attributes, inference and the registry.

From the ground up: `declaring`, what an operator says of itself; `registry`, who provides what;
`calling`, from an entry to a function; then `abi` and `nnvm`, two other ways of declaring one.
Imports `base` and `native` only; knows nothing of arrays' Python face, of plugins or of pluggy.
"""
