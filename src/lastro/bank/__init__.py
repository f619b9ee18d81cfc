"""The bank's side: OFX statements read, held against the books, and what follows from that (S20).

Belongs here: all of it, with its checks and findings. Does not belong here: what a run reads when (`lastro.run.bank`),
and what a statement balance does to an opening (`lastro.transform.openings`), which knows no file.
"""
