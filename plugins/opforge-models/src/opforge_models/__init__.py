"""Vision networks of MXNet's model zoo."""
