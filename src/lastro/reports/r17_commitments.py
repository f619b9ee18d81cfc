"""R17 Compromissos recorrentes e parcelados: what repeats, how far it has come and what it costs a month (S10)."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd

from lastro.analysis.frames import records_of
from lastro.grid.cells import Kind
from lastro.grid.model import Column, Family, Report, Section, Table, id_columns
from lastro.grid.projection import Projection
from lastro.grid.storage import StoredColumn, store_cells, store_each, store_labels, store_texts
from lastro.money import divide_half_up, ratio_pct, to_decimal
from lastro.reports.spec import ReportSpec
from lastro.transform.position import Position

if TYPE_CHECKING:
    from lastro.reports.view import View

INTERVAL_TEXTS = {
    "D1": "Diária",
    "DS": "Segunda a sexta",
    "D7": "Semanal",
    "D15": "Quinzenal",
    "M1": "Mensal",
    "M2": "Bimestral",
    "M3": "Trimestral",
    "M6": "Semestral",
    "M12": "Anual",
}
"""Label by code; a code not listed is printed as it is."""
PER_MONTH = {"D7": (30, 7), "D15": (2, 1), "M1": (1, 1), "M2": (1, 2), "M3": (1, 3), "M6": (1, 6), "M12": (1, 12)}
"""Factor of `Equivalente mensal` as numerator and denominator (R17); other codes have none."""
SEM_FIM = "sem fim"
COLUMNS = (
    Column("Descrição", Kind.TEXT),
    Column("Pessoa", Kind.TEXT),
    Column("Periodicidade", Kind.TEXT, width=18),
    Column("Parcelas", Kind.TEXT, width=18),
    Column("Pagas", Kind.INTEGER),
    Column("Em aberto", Kind.INTEGER),
    Column("Valor em aberto", Kind.MONEY, dense=True, total=True),
    Column("Próximo vencimento", Kind.DATE),
    Column("Último vencimento gerado", Kind.DATE),
    Column("Último valor", Kind.MONEY, dense=True),
    Column("Variação vs anterior", Kind.PERCENT, key="variacao_pct"),
    Column("Equivalente mensal", Kind.MONEY, dense=True, total=True),
    Column("Id", Kind.INTEGER, key="grupo_id"),
    *id_columns("pessoa_id"),
    Column("Viva", Kind.BOOLEAN, shown=False),
    Column("Lado", Kind.TEXT, shown=False),
)
PARTS: Final = (("receber", "Vivos, a receber"), ("pagar", "Vivos, a pagar"))
"""The tables of the sheet: a live series has something open or no end; finished ones are in SQL."""
_FIELDS = ("descricao", "pessoa_id", "periodicidade", "total_repeticoes", "data_vencimento", "valor_centavos")


def build_r17(view: View) -> Report:
    """Build R17.

    Returns:
        Table `recorrentes`: grain `grupo_id` (Id), live series to receive, live ones to pay, then finished ones; within
        each |valor em aberto| descending, ties by id. A section for each kind of live ones, so that the total of
        *Equivalente mensal* is what goes on. Transfers and zero-value títulos are left out (S6, S8).
    """
    groups = _sum_groups(view.position)
    ids = groups["grupo_id"]
    known = ids.where(ids.isin(view.position.linhas["grupo_id"]))
    comment = "R17: um grupo de repetição por linha (S10); viva: há em aberto, ou sem fim"
    table = Table.of("recorrentes", COLUMNS, _make_columns(view.position, groups), comment)
    notes = (
        "Parcelas: geradas de quantas. Variação: última parcela gerada / anterior - 1.",
        "Equivalente mensal: último valor x 30/7 (semanal), 2, 1, 1/2, 1/3, 1/6 ou 1/12.",
    )
    sections = []
    last = 0
    for place, (name, title) in enumerate(PARTS):
        first, last = last, last + int((groups["parte"] == place).sum())
        leads = view.entries.lead("grupo_id", known[first:last], "Lançamentos »")
        rows = Projection(table, first, last, label=leads)
        sections.append(
            Section(
                f"recorrentes_{name}",
                COLUMNS,
                rows,
                title=f"{title} ({len(rows)})",
                detail=True,
                notes=notes if place else (),
            )
        )
    return SPEC.report(sections=tuple(sections), tables=(table,))


def _sum_groups(position: Position) -> pd.DataFrame:
    """Sum the títulos of each group; dimensions and value are those of the last one generated.

    Returns:
        In the order of the report, with the place of its part among `PARTS`, the code of its period and its side.
    """
    titulos = position.titulos
    chosen = titulos["grupo_id"].notna() & ~titulos["transferencia"] & (titulos["tipo"] != "Z")
    titulos = titulos.loc[chosen, ["titulo_id", "grupo_id", "pago", *_FIELDS]]
    titulos = titulos.sort_values(["data_vencimento", "titulo_id"], kind="stable")
    still_open = ~titulos["pago"]
    ahead = still_open & (titulos["data_vencimento"] >= pd.Timestamp(position.data_base))
    parts = titulos[["grupo_id", *_FIELDS]].assign(
        geradas=1,
        pagas=titulos["pago"].astype("int64"),
        aberto=titulos["valor_centavos"].where(still_open, 0),
        proximo=titulos["data_vencimento"].where(ahead),
        anterior=titulos.groupby("grupo_id")["valor_centavos"].shift().astype("Int64"),
    )
    sums = parts.groupby("grupo_id", as_index=False).agg(
        {"geradas": "sum", "pagas": "sum", "aberto": "sum", "proximo": "min"}
    )
    last = parts.drop_duplicates("grupo_id", keep="last")[["grupo_id", "anterior", *_FIELDS]]
    groups = sums.merge(last, on="grupo_id", validate="1:1")
    codes = groups["periodicidade"].map(str.strip, na_action="ignore").fillna("").astype(object)
    live = (groups["geradas"] > groups["pagas"]) | ((codes != "") & groups["total_repeticoes"].isna())
    to_receive = groups["valor_centavos"] >= 0
    groups = groups.assign(
        codigo=codes,
        viva=live,
        lado=np.where(to_receive, "R", "P"),
        parte=np.where(~live, 2, np.where(to_receive, 0, 1)),
        tamanho=-groups["aberto"].abs(),
    )
    return groups.sort_values(["parte", "tamanho", "grupo_id"], ignore_index=True)


def _make_columns(position: Position, groups: pd.DataFrame) -> dict[str, pd.Series | StoredColumn]:
    """Make the columns of `COLUMNS` of the groups."""
    values = groups["valor_centavos"]
    return {
        "descricao": store_texts(groups["descricao"], ""),
        "pessoa": store_labels(groups["pessoa_id"], position.rotulos.pessoa),
        "periodicidade": store_each(Kind.TEXT, groups["codigo"], lambda code: INTERVAL_TEXTS.get(code, code)),
        "parcelas": store_cells(
            Kind.TEXT,
            [_format_installments(*values) for values in records_of(groups, "geradas", "total_repeticoes", "codigo")],
        ),
        "pagas": groups["pagas"],
        "em_aberto": groups["geradas"] - groups["pagas"],
        "valor_em_aberto": groups["aberto"],
        "proximo_vencimento": groups["proximo"],
        "ultimo_vencimento_gerado": groups["data_vencimento"],
        "ultimo_valor": values,
        "variacao_pct": store_cells(
            Kind.PERCENT, [_change(*pair) for pair in records_of(groups, "valor_centavos", "anterior")]
        ),
        "equivalente_mensal": store_cells(
            Kind.MONEY, [_per_month(*pair) for pair in records_of(groups, "valor_centavos", "codigo")]
        ),
        "grupo_id": groups["grupo_id"],
        "pessoa_id": groups["pessoa_id"],
        "viva": groups["viva"],
        "lado": groups["lado"],
    }


def _format_installments(generated: int, total: int | None, code: str) -> str:
    """Write how many of how many; without a total a series with a period has no end (S10).

    >>> _format_installments(3, 3, "M1"), _format_installments(5, None, "M1"), _format_installments(2, None, "")
    ('3 de 3', 'sem fim', '2')
    """
    if total is not None:
        return f"{generated} de {total}"
    return SEM_FIM if code else f"{generated}"


def _change(last: int, before: int | None) -> Decimal | None:
    return None if before is None else ratio_pct(last - before, before)


def _per_month(centavos: int, code: str) -> Decimal | None:
    factor = PER_MONTH.get(code)
    return None if factor is None else to_decimal(divide_half_up(centavos * factor[0], factor[1]))


SPEC: Final = ReportSpec(
    code="R17",
    name="recorrentes",
    title="Compromissos recorrentes e parcelados",
    question="O que se repete, até quando e quanto custa por mês?",
    family=Family.HISTORY,
    build=build_r17,
    keys={
        "recorrentes": ("grupo_id",),
    },
)
