"""Names of MXNet's `base` that only MXNet programs use, available from `opforge.base`."""
