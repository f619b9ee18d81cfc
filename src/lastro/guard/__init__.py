"""The guard before the Dagster UI, and the one web server, which serves nothing without it.

What is served, Dagster's application in this process, is handed over as an ASGI application; of Dagster's code nothing
is known here.
"""
