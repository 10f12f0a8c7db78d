"""Layer 6: what can be said of operators, layers and model files without running any of them.

Type stubs, pages of documentation and the catalogue are written from declarations; a saved model is
explained from its text.
"""
