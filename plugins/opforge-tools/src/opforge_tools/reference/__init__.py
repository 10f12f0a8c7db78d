"""Reference pages, type stubs and the web page of a catalogue, written from declarations."""
