"""One run of one company: what is asked (`order`), who runs it (`session`), and its stages (`stages`)."""
