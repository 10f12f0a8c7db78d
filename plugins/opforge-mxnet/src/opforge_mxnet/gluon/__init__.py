"""Packages of MXNet's Gluon that only programs written for MXNet use."""
