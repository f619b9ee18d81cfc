"""Pure functions over frames: from conformed records to linhas, títulos and their state as of a day.

Belongs here: the rules S of records, accounts and days, in pandas on int64 centavos. Does not belong here: HTTP, SQL,
Dagster, files, the clock.
"""
