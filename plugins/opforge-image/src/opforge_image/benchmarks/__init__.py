"""``opforge bench image``: how fast images come from record files, also beside MXNet.

`cases` says what is measured, for both libraries; `images` makes the files that it reads.
"""
