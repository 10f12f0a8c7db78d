"""Layer 2: operators. Declarations, typed attributes, inference and the registry.

From the bottom up: `declaring`, declarations of operators; `registry`, their names and providers;
`calling`, functions built from registry entries; then `abi`, declarations with C functions. Imports
`base` and `native` only, and does not depend on NDArray, plugins or pluggy.
"""
