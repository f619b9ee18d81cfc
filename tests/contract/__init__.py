"""The conformance suite: the document as tests, for any service that claims to be it."""
