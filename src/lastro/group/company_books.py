"""What one company published, as the group view reads it: read-only, so no run is blocked and nothing changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Final

import duckdb
import pandas as pd

from lastro.analysis.credit import Credit
from lastro.grid.verdict import Trust
from lastro.group.intercompany import LINHA_COLUMNS
from lastro.money import to_centavos
from lastro.settings import Empresa, GrupoTransferencia
from lastro.transform.scenarios import PLANO
from lastro.warehouse.file.store import LINK_NAME
from lastro.warehouse.loading.reading_log import COUNT_ACCOUNTS
from lastro.warehouse.publication.published_file import open_published
from lastro.warehouse.publication.published_run import RUN_SHOWN, read_trust

BALANCES: Final = (
    ("saldo_em_d_1", "Saldo no dia anterior"),
    ("saldo_em_d", "Saldo na data-base"),
    ("a_realizar_7_dias", "A realizar 7 dias"),
    ("saldo_em_d_7", "Saldo em D+7"),
    ("a_realizar_30_dias", "A realizar 30 dias"),
    ("saldo_em_d_30", "Saldo em D+30"),
)
"""Balances of R01 that the group adds up: their name in SQL and what the group prints above them."""


_CENTAVOS = "({0} * 100)::BIGINT AS {0}_centavos"
_NATUREZA = """
SELECT CASE WHEN dre_grupo = 'fora' THEN 'fora' WHEN natureza = 'R' THEN 'receitas' ELSE 'despesas' END AS codigo,
  date_trunc('month', data_competencia_ef)::DATE AS mes, sum((valor * 100)::BIGINT)::BIGINT AS valor_centavos
FROM mart.lancamentos WHERE dre_grupo IS NOT NULL AND data_competencia_ef IS NOT NULL GROUP BY ALL ORDER BY ALL
"""
_LINHAS = """
SELECT l.titulo_id, l.pessoa_id, l.categoria_id, l.classe, l.dre_grupo,
  l.natureza,  (l.valor * 100)::BIGINT AS valor_centavos,
  date_trunc('month', l.data_caixa)::TIMESTAMP AS mes_caixa,
  date_trunc('month', l.data_projetada)::TIMESTAMP AS mes_projetado,
  date_trunc('month', l.data_competencia_ef)::TIMESTAMP AS mes_competencia, a.faixa, a.lado
FROM mart.lancamentos l
LEFT JOIN (SELECT titulo_id, 'P' AS lado, faixa FROM mart.a_pagar UNION ALL
  SELECT titulo_id, 'R', faixa FROM mart.a_receber) a ON a.titulo_id = l.titulo_id
WHERE l.dre_grupo IS NOT NULL AND (list_contains($pessoas::BIGINT[], l.pessoa_id)
  OR list_contains($categorias::BIGINT[], l.categoria_id))
ORDER BY l.origem, l.linha_id
"""
"""What the rules may pick, as the run itself saw it as of D: R16 with the open items of R08 and R09, so that a past day
given back from history is right too; transfers between own accounts have no line of the DRE."""

_DAYS: Final = """
SELECT (coalesce(p.saldo_final, f.saldo_final) * 100)::BIGINT, f.dia
FROM mart.fluxo_diario f LEFT JOIN mart.fluxo_diario_cenarios p ON p.dia = f.dia AND p.cenario = $1
WHERE f.dia >= $2 AND f.saldo_final IS NOT NULL ORDER BY f.dia
"""
"""The line of the headline: the plan where there is one, else what is booked (S26)."""


@dataclass(frozen=True)
class CompanyBooks:
    """What one company published, as of D.

    Attributes:
        empresa_id: id in the settings.
        nome: name to print.
        data_base: D.
        extraido_em: start of the extraction, UTC.
        execucao_id: number of the run.
        tipo: kind of its last run: completa, quente or recálculo.
        reconstituida: D was rebuilt from a later state (S3).
        trust: how far its figures can be trusted.
        contas_lidas: accounts whose listing was proved.
        contas_total: accounts there are.
        saldos: grain conta: conta, conferencia, so_variacao, and `<name>_centavos` (Int64) of every name in `BALANCES`.
        fluxo: grain (mes, momento, linha): valor_centavos; the lines of R04 above the categories.
        dre: grain (codigo, mes): valor_centavos; the lines of R06, null where the map does not allow one (S17).
        dre_natureza: grain (codigo, mes): valor_centavos; receitas, despesas and fora, which every company has.
        pagar: grain faixa: valor_centavos (R08).
        receber: grain faixa: valor_centavos (R09).
        linhas: what the rules of the group may pick, columns `intercompany.LINHA_COLUMNS`.
        dias: closing balance, in centavos, of every day of the horizon from D on, on the line of its headline (S26).
        credito: what its headline asks of them (S27).
    """

    empresa_id: str
    nome: str
    data_base: date
    extraido_em: datetime
    execucao_id: int
    tipo: str
    reconstituida: bool
    trust: Trust
    contas_lidas: int
    contas_total: int
    saldos: pd.DataFrame
    fluxo: pd.DataFrame
    dre: pd.DataFrame
    dre_natureza: pd.DataFrame
    pagar: pd.DataFrame
    receber: pd.DataFrame
    linhas: pd.DataFrame
    dias: Sequence[tuple[int, date]]
    credito: Credit

    @property
    def so_variacao(self) -> bool:
        """Whether an opening balance is missing: its balances are none (S23)."""
        return bool(self.saldos["so_variacao"].any())


def read_company_books(pasta: Path, empresa: Empresa, regras: Sequence[GrupoTransferencia]) -> CompanyBooks:
    """Read the published figures of a company.

    Args:
        empresa: its settings; id, name, limits and minimum are used, the figures are those of the run.
        regras: the rules of the group; only linhas that one of them may pick are read.

    Raises:
        StorageError: when nothing is published there, or an older version of lastro published it.
    """
    with open_published(pasta / LINK_NAME, f"lastro run --empresa {empresa.id}") as con:
        return _read(con, empresa, regras)


def _read(con: duckdb.DuckDBPyConnection, empresa: Empresa, regras: Sequence[GrupoTransferencia]) -> CompanyBooks:
    row = con.execute(RUN_SHOWN).fetchone()
    if row is None:
        raise duckdb.CatalogException("no complete run")
    execucao_id, day, started, rebuilt, kind, reading = row
    proved = con.execute(COUNT_ACCOUNTS, [reading]).fetchone()
    if proved is None:
        raise RuntimeError("an aggregate without GROUP BY gives one row")
    balances = ", ".join(_CENTAVOS.format(name) for name, _ in BALANCES)
    saldos = con.execute(
        f"SELECT conta, conferencia, so_variacao, {balances} FROM mart.saldos_por_conta ORDER BY conta_id"
    ).df()
    for name, _ in BALANCES:
        saldos[f"{name}_centavos"] = saldos[f"{name}_centavos"].astype("Int64")
    valor = _CENTAVOS.format("valor")
    return CompanyBooks(
        empresa_id=empresa.id,
        nome=empresa.nome,
        data_base=day,
        extraido_em=started,
        execucao_id=execucao_id,
        tipo=kind,
        reconstituida=rebuilt,
        trust=read_trust(con, execucao_id),
        contas_lidas=proved[0],
        contas_total=proved[1],
        saldos=saldos,
        fluxo=con.execute(
            f"SELECT mes, momento, linha, {valor} FROM mart.fluxo_mensal WHERE nivel = 0 ORDER BY ALL"
        ).df(),
        dre=con.execute(f"SELECT codigo, mes, {valor} FROM mart.dre WHERE nivel = 0 ORDER BY ALL")
        .df()
        .astype({"valor_centavos": "Int64"}),
        dre_natureza=con.execute(_NATUREZA).df(),
        pagar=con.execute(f"SELECT faixa, {valor} FROM mart.a_pagar_faixas").df(),
        receber=con.execute(f"SELECT faixa, {valor} FROM mart.a_receber_faixas").df(),
        linhas=_read_linhas(con, empresa.id, regras),
        dias=con.execute(_DAYS, [PLANO, day]).fetchall(),
        credito=Credit(
            to_centavos(empresa.parametros.saldo_minimo),
            sum(to_centavos(conta.limite) for conta in empresa.contas if conta.limite),
        ),
    )


def _read_linhas(con: duckdb.DuckDBPyConnection, empresa_id: str, regras: Sequence[GrupoTransferencia]) -> pd.DataFrame:
    wanted = {
        what: sorted({registro_id for regra in regras for registro_id in _ids(regra, empresa_id, what)})
        for what in ("pessoas", "categorias")
    }
    frame = con.execute(_LINHAS, wanted).df()
    for name in ("dre_grupo", "natureza", "faixa", "lado"):
        text = frame[name].astype(object)
        frame[name] = text.where(text.notna(), None)
    return frame.astype(dict(LINHA_COLUMNS))


def _ids(regra: GrupoTransferencia, empresa_id: str, what: str) -> Iterable[int]:
    for side in ("de", "para"):
        if getattr(regra, side) == empresa_id:
            yield from getattr(regra, f"{side}_{what}")
