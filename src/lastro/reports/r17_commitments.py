"""R17 Compromissos recorrentes e parcelados: what repeats, how far it has come and what it costs a month (S10)."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from lastro.analysis.frames import records_of
from lastro.grid.cells import Kind, Value
from lastro.grid.model import Column, Family, Printing, Report, Row, Section, id_columns, table_of
from lastro.money import divide_half_up, ratio_pct, to_decimal
from lastro.reports.spec import ReportSpec
from lastro.transform.position import Position, as_date

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
PARTS: Final = (("receber", "Vivos, a receber"), ("pagar", "Vivos, a pagar"), ("encerrados", "Encerrados"))
"""The tables of the sheet: a live series has something open or no end."""
_FIELDS = ("descricao", "pessoa_id", "periodicidade", "total_repeticoes", "data_vencimento", "valor_centavos")


def build_r17(view: View) -> Report:
    """Build R17.

    Returns:
        Table `recorrentes`: grain `grupo_id` (Id), live series to receive, live ones to pay, then finished ones; within
        each |valor em aberto| descending, ties by id. A section for each; only the live ones have totals, so that
        *Equivalente mensal* is what goes on. Transfers and zero-value títulos are left out (S6, S8).
    """
    position = view.position
    groups = _sum_groups(position)
    parts: dict[str, list[Row]] = {name: [] for name, _ in PARTS}
    for row in groups:
        code = str(row["periodicidade"] or "").strip()
        live = row["geradas"] > row["pagas"] or (bool(code) and row["total_repeticoes"] is None)
        side = "R" if row["valor_centavos"] >= 0 else "P"
        cells: tuple[Value, ...] = (
            row["descricao"] or "",
            position.rotulos.pessoa(row["pessoa_id"]),
            INTERVAL_TEXTS.get(code, code),
            _format_installments(row["geradas"], row["total_repeticoes"], code),
            row["pagas"],
            row["geradas"] - row["pagas"],
            to_decimal(row["aberto"]),
            as_date(row["proximo"]),
            as_date(row["data_vencimento"]),
            to_decimal(row["valor_centavos"]),
            _change(row["valor_centavos"], row["anterior"]),
            _per_month(row["valor_centavos"], code),
            row["grupo_id"],
            row["pessoa_id"],
            live,
            side,
        )
        link = view.entries.link_example("grupo_id", row["grupo_id"], "Lançamentos »")
        part = ("receber" if side == "R" else "pagar") if live else "encerrados"
        parts[part].append(Row(cells, level=0 if live else 1, key=f"grupo-{row['grupo_id']}", link=link))
    notes = (
        "Parcelas: geradas de quantas. Variação: última parcela gerada / anterior - 1.",
        "Equivalente mensal: último valor x 30/7 (semanal), 2, 1, 1/2, 1/3, 1/6 ou 1/12.",
    )
    plain = tuple(replace(column, total=False) for column in COLUMNS)
    sections = [
        Section(
            f"recorrentes_{name}",
            plain if name == "encerrados" else COLUMNS,
            tuple(parts[name]),
            title=f"{title} ({len(parts[name])})",
            detail=name != "encerrados",
            outline=name == "encerrados",
            tables=("recorrentes",),
        )
        for name, title in PARTS
    ]
    sections[-1] = replace(sections[-1], notes=notes)
    rows = tuple(row for section in sections for row in section.rows)
    whole = Section("recorrentes", COLUMNS, rows)
    return SPEC.report(
        sections=tuple(sections),
        tables=(table_of(whole, "R17: um grupo de repetição por linha (S10); viva: há em aberto, ou sem fim"),),
    )


def _sum_groups(position: Position) -> list[dict[str, Any]]:
    """Sum the títulos of each group; dimensions and value are those of the last one generated."""
    titulos = position.titulos
    titulos = titulos[titulos["grupo_id"].notna() & ~titulos["transferencia"] & (titulos["tipo"] != "Z")]
    titulos = titulos.sort_values(["data_vencimento", "titulo_id"], kind="stable")
    still_open = ~titulos["pago"]
    ahead = still_open & (titulos["data_vencimento"] >= pd.Timestamp(position.data_base))
    parts = titulos.assign(
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
    names = ("grupo_id", "geradas", "pagas", "aberto", "proximo", "anterior", *_FIELDS)
    rows = [dict(zip(names, values, strict=True)) for values in records_of(groups, *names)]
    return sorted(rows, key=lambda row: (-abs(row["aberto"]), row["grupo_id"]))


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
    sheet="Recorrentes",
    title="Compromissos recorrentes e parcelados",
    question="O que se repete, até quando e quanto custa por mês?",
    family=Family.HISTORY,
    build=build_r17,
    printing=Printing.NONE,
    keys={
        "recorrentes": ("grupo_id",),
    },
)
