"""`pagamentos_aprovados_AAAA-MM-DD.csv`: what is decided to be paid and needs nobody's word (manual: Pagamentos).

For whoever types it into the bank; lastro pays nothing.
"""

from __future__ import annotations

from pathlib import Path

from lastro.desk.decisions import ABERTA, PAY, Decisions
from lastro.desk.payables import Payables
from lastro.desk.plan import choose_account
from lastro.money import to_decimal
from lastro.warehouse.publication.datasets import write_csv

_COLUMNS = (
    "fornecedor VARCHAR, cpf_cnpj VARCHAR, documento VARCHAR, descricao VARCHAR, valor DECIMAL(18,2), dia DATE, "
    "conta VARCHAR, titulo_id BIGINT, responsavel VARCHAR, aprovado_por VARCHAR, aviso VARCHAR"
)


def write_approved(payables: Payables, decisions: Decisions, path: Path) -> Path:
    """Write `Pagar em` in force, approved where that is asked, by day, account and payee; a header alone without any.

    Excel in Brazil opens it as it is, and no text in it becomes a formula.

    Raises:
        StorageError: it cannot be written.
    """
    latest, rows = decisions.latest(), []
    for payable in payables.titulos:
        decision = latest.get(payable.titulo_id)
        if decision is None or decision.estado != ABERTA or decision.campo != PAY:
            continue
        account = payables.contas.get(choose_account(payable, decisions, payables.contas) or 0)
        own = (payable.pessoa, payable.recebedor[0], payable.documento, payable.descricao)
        said = (payable.titulo_id, decision.responsavel, decision.aprovado_por, payable.aviso)
        row = (*own, to_decimal(-payable.valor), decision.dia, account, *said)
        rows.append([value or None for value in row])
    return write_csv(_COLUMNS, rows, "dia, conta, fornecedor, titulo_id", path)
