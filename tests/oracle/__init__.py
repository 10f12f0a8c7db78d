"""Tests against MXNet 1.9.1; see conftest.py."""
