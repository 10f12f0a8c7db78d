"""NumPy's interface: arrays with NumPy's semantics (`np`) and operators beyond NumPy (`npx`)."""
