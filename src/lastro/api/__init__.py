"""Talk to the service: the only package that imports httpx, and it only ever sends GET."""
