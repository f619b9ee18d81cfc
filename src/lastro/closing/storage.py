"""Editions of closings, and what each said (`ops.fechamentos`, `ops.fechamento_valores`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

from lastro.run.names import name_closing
from lastro.schema.derivation import versions_at
from lastro.schema.run_kinds import ENDED_WELL
from lastro.warehouse.file.store import Warehouse
from lastro.warehouse.loading.files import DIGITS


@dataclass(frozen=True)
class Edition:
    """An edition that stands: month, number, the run that wrote it and its reading, when (UTC), digest of its file."""

    mes: date
    edicao: int
    execucao_id: int
    leitura_id: int
    escrito_em: datetime
    sha256: str = ""

    @property
    def nome(self) -> str:
        """Its file."""
        return name_closing(self.mes, self.edicao)

    def describe(self) -> str:
        """Say on Parâmetros which file it is."""
        return f"execução {self.execucao_id}, {self.escrito_em:%d/%m/%Y}, sha256 {self.sha256[:DIGITS]}"


def list_editions(warehouse: Warehouse, before: int) -> list[Edition]:
    """List the editions of the runs before one that were published, by month and number."""
    rows = warehouse.query(
        "SELECT f.mes, f.edicao, f.execucao_id, coalesce(e.leitura_id, e.execucao_id), f.escrito_em, f.sha256 "
        "FROM ops.fechamentos f JOIN ops.execucoes e USING (execucao_id) WHERE f.execucao_id < ? "
        "AND list_contains(?, e.situacao) ORDER BY f.mes, f.edicao",
        [before, ENDED_WELL],
    )
    return [Edition(*row) for row in rows]


def read_own(warehouse: Warehouse, execucao_id: int) -> list[tuple[date, int]]:
    """Read which editions a run wrote: month and number."""
    return warehouse.query("SELECT mes, edicao FROM ops.fechamentos WHERE execucao_id = ?", [execucao_id])


def read_values(warehouse: Warehouse, edition: Edition) -> list[tuple[str, str, Decimal]]:
    """Read what an edition said: block, key and amount."""
    return warehouse.query(
        "SELECT bloco, chave, valor FROM ops.fechamento_valores WHERE mes = ? AND edicao = ? ORDER BY ALL",
        [edition.mes, edition.edicao],
    )


def forget_unpublished(warehouse: Warehouse, execucao_id: int) -> None:
    """Take back what this run, or one that was never published, wrote; call it inside `transaction()`."""
    gone = warehouse.query(
        "SELECT mes, edicao FROM ops.fechamentos f LEFT JOIN ops.execucoes e USING (execucao_id) "
        "WHERE f.execucao_id = ? OR e.situacao IS NULL OR NOT list_contains(?, e.situacao)",
        [execucao_id, ENDED_WELL],
    )
    for edition in gone:
        warehouse.con.execute("DELETE FROM ops.fechamento_valores WHERE mes = ? AND edicao = ?", edition)
        warehouse.con.execute("DELETE FROM ops.fechamentos WHERE mes = ? AND edicao = ?", edition)


def keep_edition(warehouse: Warehouse, edition: Edition, values: Sequence[tuple[str, str, str, Decimal]]) -> None:
    """Keep an edition and what it says; call it inside `transaction()`."""
    own = {"mes": edition.mes, "edicao": edition.edicao}
    facts = {name: vars(edition)[name] for name in ("execucao_id", "escrito_em", "sha256")}
    rows = [{**own, "bloco": block, "chave": key, "valor": value} for block, key, _, value in values]
    warehouse.insert("ops.fechamentos", [own | facts])
    warehouse.insert("ops.fechamento_valores", rows)


def list_changed_entries(
    warehouse: Warehouse, leitura_id: int, mes: date
) -> list[tuple[int, str, Decimal | None, Decimal | None]]:
    """List the linhas of a month, by competence or payment, that are others than a reading had: id, text, then, now."""
    then = versions_at("linhas", int(leitura_id))
    return warehouse.query(
        f"""SELECT coalesce(n.linha_id, a.linha_id), coalesce(n.descricao, a.descricao, ''), a.valor, n.valor
FROM ({then}) a FULL JOIN core.linhas n ON n.origem = a.origem AND n.linha_id = a.linha_id
WHERE (? IN (date_trunc('month', a.data_competencia_ef), date_trunc('month', a.data_pagamento))
    OR ? IN (date_trunc('month', n.data_competencia_ef), date_trunc('month', n.data_pagamento)))
  AND (a.valor, a.data_competencia_ef, a.data_pagamento, a.categoria_id, a.conta_id)
    IS DISTINCT FROM (n.valor, n.data_competencia_ef, n.data_pagamento, n.categoria_id, n.conta_id)
ORDER BY 1""",  # noqa: S608 - our own text and a number
        [mes, mes],
    )
