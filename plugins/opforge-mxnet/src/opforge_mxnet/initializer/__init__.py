"""Initializers of MXNet that only its older interfaces use."""
