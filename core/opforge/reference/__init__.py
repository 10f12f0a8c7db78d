"""Layer 6: what can be said of operators, layers and model files without running any of them.

Lists and details are read from declarations, and a saved model is explained from its text. Type
stubs, pages and the catalogue of opforge-tools are written from the same declarations.
"""
