"""The functions a run calls to read a company, in one place; each lands its pages in `folder` and returns values.

Order of a run: probes and reference lists (people before `classificacoes`); charges; then entries, with the accounts
that the probe and the charges name as `candidates`, so that all accounts are read as of one moment. Each function
returns proved listings or raises, and then nothing in `folder` may replace what an earlier run stored.
"""

from lastro.extract.charges import CobrancasRead, read_cobrancas
from lastro.extract.entries import LancamentosRead, read_lancamentos
from lastro.extract.lists import Probe, probe_contas, probe_lists, read_reference
from lastro.extract.passes import NoProgress, Passada, Progress
from lastro.extract.plan import Composto, choose_composites
from lastro.extract.records import Presence, read_details
from lastro.extract.rounds import UnprovedPass

__all__ = [
    "CobrancasRead",
    "Composto",
    "LancamentosRead",
    "NoProgress",
    "Passada",
    "Presence",
    "Probe",
    "Progress",
    "UnprovedPass",
    "choose_composites",
    "probe_contas",
    "probe_lists",
    "read_cobrancas",
    "read_details",
    "read_lancamentos",
    "read_reference",
]
