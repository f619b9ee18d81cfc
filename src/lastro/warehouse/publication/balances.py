"""Reading what a company published of its balances and statements, for `lastro saldos`; read-only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Final

from lastro.warehouse.file.store import LINK_NAME
from lastro.warehouse.publication.published_file import open_published


@dataclass(frozen=True)
class Anchor:
    """The statement that an opening follows from (S23): its day and balance, and whether a bank's file derived it."""

    dia: date
    valor: Decimal
    derivada: bool


@dataclass(frozen=True)
class PublishedBalance:
    """An account as the last run published it; amounts signed.

    Attributes:
        conta_id: the account; None for what is booked without one.
        conta: its name.
        saldo: its balance at D; None when it is undefined (S7).
        variacao: whether that is a variation and no balance: nothing gave its opening.
        dia: day of its newest statement; None without one, as all that follows.
        extrato: what the bank showed then.
        livro: the balance of that day.
        transito: what was booked and not yet at the bank (S23).
        diferenca: livro - transito - extrato.
        provada: whether a second balance agrees with the anchor; None without anchor.
        nasceu_entre: first and last day of the oldest period in which a difference was born; None where all agree.
        origem: where its opening comes from (`origem_saldo`); empty without an account.
        ancora: the statement that its opening follows from; None where it follows from none.
        diferem: day and difference of the earlier statements that differ, the newest first.
    """

    conta_id: int | None
    conta: str
    saldo: Decimal | None
    variacao: bool
    dia: date | None = None
    extrato: Decimal | None = None
    livro: Decimal | None = None
    transito: Decimal | None = None
    diferenca: Decimal | None = None
    provada: bool | None = None
    nasceu_entre: tuple[date | None, date] | None = None
    origem: str = ""
    ancora: Anchor | None = None
    diferem: tuple[tuple[date, Decimal], ...] = ()


@dataclass(frozen=True)
class PublishedBalances:
    """The accounts of the last published run.

    Attributes:
        data_base: D.
        execucao_id: its number.
        contas: by id.
        inicios: conta_id -> its first movement, and the day of its anchor.
        digitados: account, day and balance of each line of `saldos.csv` that it read.
    """

    data_base: date
    execucao_id: int
    contas: tuple[PublishedBalance, ...]
    inicios: Mapping[int, tuple[date | None, date | None]]
    digitados: frozenset[tuple[int, date, Decimal]]

    @property
    def names(self) -> dict[int, str]:
        """The accounts that a statement can be of: id -> name."""
        return {each.conta_id: each.conta for each in self.contas if each.conta_id is not None}


@dataclass(frozen=True)
class Implied:
    """What a statement that is typed now says of the books as published; amounts signed.

    Attributes:
        abertura: the opening that would follow from it (S23).
        livro: the balance of its day with the opening in force; None where there is none.
        transito: what was booked and not yet at the bank at the end of its day.
        pagos: what was paid on the very day.
    """

    abertura: Decimal
    livro: Decimal | None
    transito: Decimal
    pagos: Decimal


STARTS: Final = """
SELECT k.conta_id, min(least(l.data_pagamento, l.data_vencimento)), any_value(k.ancora_dia)
FROM core.contas k LEFT JOIN core.linhas l ON l.conta_id = k.conta_id WHERE k.conta_id IS NOT NULL GROUP BY k.conta_id
"""
"""Account, its first movement, the day of its anchor."""
_TYPED = "SELECT conta_id, dia, valor FROM core.extrato_saldos WHERE origem = 'arquivo'"
_CONTAS = """
WITH ultimos AS (
  SELECT conta_id, arg_max(e, dia) AS e,
    list({'dia': dia, 'diferenca': diferenca} ORDER BY dia DESC)[2:] AS antes FROM mart.extratos e GROUP BY conta_id),
nascidas AS (
  SELECT conta_id, dia, lag(dia) OVER (PARTITION BY conta_id ORDER BY dia) AS desde, nasceu_no_periodo AS nasceu
  FROM mart.extratos),
primeiras AS (
  SELECT conta_id, arg_min(desde, dia) AS desde, min(dia) AS ate FROM nascidas WHERE nasceu <> 0 GROUP BY conta_id)
SELECT s.conta_id, s.conta, s.saldo_em_d, coalesce(c.provisoria, true), u.e.dia, u.e.extrato, u.e.livro,
  u.e.em_transito, u.e.diferenca, c.ancora_provada, p.ate IS NOT NULL, p.desde, p.ate,
  coalesce(c.origem_saldo, ''), c.ancora_dia, c.ancora_valor, NOT EXISTS (FROM core.extrato_saldos a
    WHERE a.conta_id = s.conta_id AND a.dia = c.ancora_dia AND a.papel = 'âncora' AND a.origem <> 'ofx'),
  list_filter(u.antes, lambda um: um.diferenca <> 0)
FROM mart.saldos_por_conta s LEFT JOIN core.contas c ON c.conta_id = s.conta_id
LEFT JOIN ultimos u ON u.conta_id = s.conta_id LEFT JOIN primeiras p ON p.conta_id = s.conta_id
ORDER BY s.conta_id
"""
_IMPLIED = """
WITH conta AS (SELECT $conta::BIGINT AS conta_id, $dia::DATE AS dia, $valor::DECIMAL(18,2) AS valor),
linhas AS (
  SELECT l.titulo_id, l.data_pagamento, l.valor FROM core.linhas l JOIN conta c ON c.conta_id = l.conta_id
  WHERE l.data_pagamento <= c.dia),
somas AS (
  SELECT sum(l.valor) FILTER (g.chegada > c.dia) AS transito, sum(l.valor) FILTER (l.data_pagamento = c.dia) AS pagos,
    sum(l.valor) FILTER (k.data_saldo_inicial IS NULL OR l.data_pagamento >= k.data_saldo_inicial) AS movido
  FROM linhas l CROSS JOIN conta c LEFT JOIN prova.chegadas g ON g.titulo_id = l.titulo_id
  LEFT JOIN core.contas k ON k.conta_id = c.conta_id)
SELECT (valor + coalesce(transito, 0) - coalesce(movido, 0))::DECIMAL(18,2),
  (SELECT valor_saldo_inicial + coalesce(movido, 0) FROM core.contas k
    WHERE k.conta_id = conta.conta_id AND k.tem_saldo_inicial AND coalesce(k.data_saldo_inicial <= conta.dia, true))
    ::DECIMAL(18,2), coalesce(transito, 0)::DECIMAL(18,2),
  coalesce(pagos, 0)::DECIMAL(18,2) FROM conta CROSS JOIN somas
"""


class BalancesReader:
    """The last published file of a company.

    Args:
        empresa_id: for messages.
    """

    def __init__(self, pasta: Path, empresa_id: str) -> None:
        self._link = pasta / LINK_NAME
        self._command = f"lastro run --empresa {empresa_id}"

    def _ask(self, sql: str, parameters: dict[str, object] | None = None) -> list[tuple[object, ...]]:
        with open_published(self._link, self._command) as con:
            return con.execute(sql, parameters).fetchall()

    def read(self) -> PublishedBalances:
        """Read the accounts and their newest statements.

        Raises:
            StorageError: when nothing is published there, or another version of lastro published it.
        """
        ((data_base, execucao_id),) = self._ask("SELECT data_base, execucao_id FROM ops.relatorio")
        contas = []
        for row in self._ask(_CONTAS):
            born = (row[11], row[12]) if row[10] else None
            origem, day, valor, derived, before = row[13:]
            anchor = None if day is None else Anchor(day, valor, bool(derived))  # type: ignore[arg-type]
            others = tuple((each["dia"], each["diferenca"]) for each in before or ())  # type: ignore[attr-defined]
            own = {"nasceu_entre": born, "origem": origem, "ancora": anchor, "diferem": others}
            contas.append(PublishedBalance(*row[:10], **own))  # type: ignore[arg-type]
        starts = {conta_id: (first, anchor) for conta_id, first, anchor in self._ask(STARTS)}
        typed = frozenset(self._ask(_TYPED))
        return PublishedBalances(data_base, execucao_id, tuple(contas), starts, typed)  # type: ignore[arg-type]

    def imply(self, conta_id: int, dia: date, valor: Decimal) -> Implied:
        """Compute what a statement says of the books as they are published.

        Raises:
            StorageError: as `read`.
        """
        return Implied(*self._ask(_IMPLIED, {"conta": conta_id, "dia": dia, "valor": valor})[0])  # type: ignore[arg-type]
