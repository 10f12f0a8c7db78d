"""From an entry of the registry to a function: binding, signature, documentation."""
