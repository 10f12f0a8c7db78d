"""The C interface: operators implemented by C functions of plugins."""
