"""``opforge bench image``: how fast pictures come from record files, also beside MXNet.

`cases` says what is measured, for both libraries; `pictures` makes the files that it reads.
"""
