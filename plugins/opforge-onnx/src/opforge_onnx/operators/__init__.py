"""Rules for operators of the core; those of plugins are in the plugins."""
