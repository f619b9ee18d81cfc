"""Accounts: configured, listed or merely seen, with their opening balances (S7)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date

import pandas as pd

from lastro.money import to_centavos
from lastro.schema.frames import FRAMES, shape
from lastro.settings import Conta
from lastro.transform.openings import CONFIGURADO, EXTRATO, LANCAMENTO, SEM_ABERTURA, Opening


def build_contas(
    configured: Iterable[Conta],
    listed: pd.DataFrame,
    seen: Iterable[int],
    saldos_iniciais: pd.DataFrame,
    find_opening: Callable[[int, date | None], Opening | None],
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Build one row for every account configured, listed by the service or seen in the data (S7).

    Args:
        configured: accounts of the settings; their names and opening balances win.
        listed: the service's own account list (may be empty), key `conta_id`: `descricao`, `ativo`,
            `permite_lancamento`.
        seen: account ids that entries and charges name.
        saldos_iniciais: opening-balance entries: `lancamento_id`, `conta_id`, `data_pagamento`, `valor_centavos`.
        find_opening: gives the opening that follows from an account's statements and the day on which its control
            begins; asked where neither an entry nor the settings give a value (S23).

    Returns:
        Accounts sorted by id, and the opening-balance conflicts (V21): conta_id (None: without), motivo, lancamentos.
    """
    from_settings = {conta.conta_id: conta for conta in configured}
    from_service = {int(row["conta_id"]): row for row in listed.to_dict("records")}
    openings = saldos_iniciais.dropna(subset=["conta_id"]).sort_values(["data_pagamento", "lancamento_id"])
    from_entries = {int(row["conta_id"]): row for row in openings.drop_duplicates("conta_id").to_dict("records")}
    rows = []
    conflicts: list[tuple[int | None, str, list[int]]] = []
    homeless = saldos_iniciais[saldos_iniciais["conta_id"].isna()]["lancamento_id"].tolist()
    if homeless:
        # It is no linha and no account's opening balance: without a word its amount would be nowhere.
        conflicts.append((None, "lançamento de saldo inicial sem conta", homeless))
    for conta_id in sorted({*from_settings, *from_service, *seen, *from_entries}):
        conta, service, entry = from_settings.get(conta_id), from_service.get(conta_id), from_entries.get(conta_id)
        since: date | None = conta.data_saldo_inicial if conta else None
        value = None
        if conta is not None and conta.valor_saldo_inicial is not None:
            value = to_centavos(conta.valor_saldo_inicial)
        if entry is not None:
            entry_since = None if pd.isna(entry["data_pagamento"]) else entry["data_pagamento"].date()
            entry_value = int(entry["valor_centavos"])
            entries = openings[openings["conta_id"] == conta_id]["lancamento_id"].tolist()
            if (value is not None and value != entry_value) or (since is not None and since != entry_since):
                conflicts.append((conta_id, "difere do saldo inicial configurado", entries))
            if entry_since is None:
                conflicts.append((conta_id, "lançamento de saldo inicial sem data de pagamento", entries))
            if len(entries) > 1:
                conflicts.append((conta_id, "mais de um lançamento de saldo inicial", entries))
            since, value = entry_since, entry_value
        source = SEM_ABERTURA if value is None else LANCAMENTO if entry is not None else CONFIGURADO
        computed = find_opening(conta_id, since) if value is None else None
        if computed is not None:
            source, value = EXTRATO, computed.valor_centavos
        service_name = str(service["descricao"] or "").strip() if service is not None else ""
        rows.append(
            {
                "conta_id": conta_id,
                "descricao": (conta.descricao if conta else "") or service_name or f"Conta #{conta_id}",
                "configurada": conta is not None,
                "data_saldo_inicial": pd.NaT if since is None else pd.Timestamp(since),
                "valor_saldo_inicial_centavos": value or 0,
                "tem_saldo_inicial": value is not None,
                "origem_saldo": source,
                "ancora_dia": pd.NaT if computed is None else pd.Timestamp(computed.ancora_dia),
                "ancora_valor_centavos": None if computed is None else computed.ancora_centavos,
                "ancora_provada": None if computed is None else computed.provada,
                "ativa": conta.ativa if conta else bool(service["ativo"]) if service is not None else True,
                "tipo": conta.tipo if conta else "conta",
                "permite_lancamento": bool(service["permite_lancamento"]) if service is not None else True,
                "provisoria": value is None,
            }
        )
    frame = pd.DataFrame(rows, columns=list(FRAMES["core.contas"].names), dtype=object)
    return shape("core.contas", frame), pd.DataFrame(conflicts, columns=["conta_id", "motivo", "lancamentos"])
