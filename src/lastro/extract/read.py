"""The functions a run calls to read a company, in one place; each lands its pages in `pasta` and returns values.

Order of a run: probes and reference lists (people before `classificacoes`); charges; then entries, with the accounts
that the probe and the charges name as `candidatas`, so that all accounts are read as of one moment. Each function
returns proved listings or raises, and then nothing in `pasta` may replace what an earlier run stored.
"""

from lastro.extract.charges import CobrancasRead, read_cobrancas
from lastro.extract.entries import LancamentosRead, read_lancamentos, read_vencidos
from lastro.extract.lists import Probe, probe_contas, probe_listas, read_referencia
from lastro.extract.passes import NoProgress, Passada, Progress
from lastro.extract.plan import Composto, choose_composites
from lastro.extract.records import AnexosRead, Presenca, read_anexos, read_detalhes
from lastro.extract.rounds import UnprovedPass

__all__ = [
    "AnexosRead",
    "CobrancasRead",
    "Composto",
    "LancamentosRead",
    "NoProgress",
    "Passada",
    "Presenca",
    "Probe",
    "Progress",
    "UnprovedPass",
    "choose_composites",
    "probe_contas",
    "probe_listas",
    "read_anexos",
    "read_cobrancas",
    "read_detalhes",
    "read_lancamentos",
    "read_referencia",
    "read_vencidos",
]
