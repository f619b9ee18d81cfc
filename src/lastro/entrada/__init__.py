"""What people type or drop: one door for their files, one reading of amounts and days (S18).

Belongs here: opening such a file without harm, and turning typed text into a value or saying that it is none. Does not
belong here: what a file means (`lastro.desk`) and where it is kept (`lastro.warehouse`).
"""
