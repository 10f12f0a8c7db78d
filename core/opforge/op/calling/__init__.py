"""Functions built from registry entries: binding, signature, documentation."""
