"""``opforge bench detection``: how fast boxes are found, suppressed and cut out, also beside MXNet.

`cases` says what is measured, for both libraries.
"""
