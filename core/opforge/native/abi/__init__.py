"""The C interface: operators whose functions are C functions of plugins."""
