"""Build-time code of the native core; never installed."""
