"""Layer 2: what an operator is. Declarations, typed attributes, inference and the registry.

Imports `base` and `native` only; knows nothing of arrays' Python face, of plugins or of pluggy.
"""
