"""Layer 6: information about contributions and model files, without running any of them.

Lists and details are read from declarations; a saved model is explained from its text. The type
stubs, pages and catalogue of opforge-tools are generated from the same declarations.
"""
