"""The documented financial service as a local sandbox, written from its document; imports nothing of lastro."""
