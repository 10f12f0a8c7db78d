"""Reference pages, type stubs and the catalogue page, generated from declarations."""
