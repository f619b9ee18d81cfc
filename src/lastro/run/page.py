"""The page to send, filled from a run's catalogue: names of people are on it, their documents and contacts never."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from lastro.catalogue import Catalogue
from lastro.export.heading import stamp_text
from lastro.export.page_html import render_html
from lastro.export.xlsx import write_file
from lastro.extras import is_installed
from lastro.grid.model import ChartKind, Table
from lastro.grid.page import BAD, GOOD, NEUTRAL, WATCH, Figure, Page, PageTable
from lastro.grid.words import count_text, format_date
from lastro.grid.workbook import Stamp
from lastro.money import format_brl
from lastro.reports.kpis import CRITICAL, OK, WARN

RESUMO: Final = "resumo"
TOP: Final = 5
_FIGURES: Final = (
    "saldo_atual",
    "menor_saldo_contratual",
    "vencido_efetivo_a_receber",
    "vencido_efetivo_a_pagar",
    "a_receber_7",
    "a_pagar_7",
    "resultado_ate_dia",
    "em_transito_fora",
)
"""What stands on the page, by slug; one that a run does not have is left out."""
_TONES: Final = {OK: GOOD, WARN: WATCH, CRITICAL: BAD, "CONFIÁVEL": GOOD, "ATENÇÃO": WATCH, "NÃO CONFIÁVEL": BAD}
_AHEAD_DAYS: Final = 7


def list_page_names(day: date) -> tuple[str, ...]:
    """Name the files of the page: the PDF only where reportlab is installed."""
    stem = f"{RESUMO}_{day.isoformat()}"
    return (f"{stem}.pdf", f"{stem}.html") if is_installed("pdf") else (f"{stem}.html",)


def write_pages(catalogue: Catalogue, stamp: Stamp, folder: Path) -> None:
    """Write the page as HTML, and as PDF where the extra is installed.

    Raises:
        StorageError: the folder is not writable or the disk is full.
    """
    page = build_page(catalogue, stamp)
    for name in list_page_names(stamp.data_base):
        if name.endswith(".html"):
            content = render_html(page).encode()
        else:
            from lastro.export.page_pdf import render_pdf  # an extra

            content = render_pdf(page)
        write_file(folder / name, lambda stream, content=content: stream.write(content))  # type: ignore[misc]


def build_page(catalogue: Catalogue, stamp: Stamp) -> Page:
    """Fill the page from the figures of the reports, not from the cells of any sheet."""
    tables = {table.name: table for report in catalogue.reports for table in report.tables}
    charts = [chart for report in catalogue.reports if report.code == "R00" for chart in report.charts]
    drawn = tuple(chart for chart in charts if chart.kind in (ChartKind.LINE, ChartKind.COLUMN))[:2]
    return Page(
        "Posição financeira",
        stamp.empresa,
        stamp_text(stamp),
        stamp.confianca,
        _TONES[stamp.veredito],
        tuple(_list_figures(tables.get("resumo"))),
        drawn,
        (
            _list_debtors(tables.get("inadimplencia")),
            _list_payables(tables.get("a_pagar")),
            _list_changes(catalogue),
            _list_alerts(catalogue),
        ),
        f"Data-base {format_date(stamp.data_base)} · execução {stamp.execucao_id} · detalhe em gerencial e no armazém. "
        "Sem documentos e sem contatos de pessoas (LGPD).",
    )


def _records(table: Table | None) -> Iterator[dict[str, Any]]:
    if table is not None:
        names = [column.key for column in table.columns]
        for row in table.rows:
            yield dict(zip(names, row, strict=True))


def _list_figures(table: Table | None) -> Iterator[Figure]:
    rows = {row["kpi"]: row for row in _records(table)}
    for slug in _FIGURES:
        row = rows.get(slug)
        if row is None:
            continue
        note = ""
        if row["variacao"] is not None:
            sign = "+" if row["variacao"] > 0 else ""
            note = f"{sign}{_write(row['variacao'], row['unidade'])} desde o anterior"
        lowest = rows.get("data_menor_saldo")
        if slug == "menor_saldo_contratual" and lowest is not None and lowest["dia"] is not None:
            note = f"o pior dos três em {format_date(lowest['dia'])}"
        share = rows.get("pct_carteira_vencida")
        if slug == "vencido_efetivo_a_receber" and share is not None and share["valor"] is not None:
            note = " · ".join(filter(None, (f"{_write(share['valor'], '%')} da carteira", note)))
        tone = _TONES.get(row["situacao"], NEUTRAL)
        yield Figure(row["indicador"], _write(row["valor"], row["unidade"]), note, tone)


def _write(value: Decimal | None, unidade: str) -> str:
    if value is None:
        return "—"
    if unidade == "R$":
        return format_brl(value)
    if unidade == "quantidade":
        return f"{value:.0f}"
    return f"{value:.1f}".replace(".", ",") + ("%" if unidade == "%" else f" {unidade}")


def _list_debtors(table: Table | None) -> PageTable:
    rows = sorted((row for row in _records(table) if row["vencido"]), key=lambda row: -row["vencido"])
    return PageTable(
        "Quem deve mais",
        ("Cliente", "Maior atraso", "Etapa", "Vencido"),
        tuple(
            (row["cliente"], f"{row['maior_atraso']} dias", row["etapa_da_regua"] or "", format_brl(row["vencido"]))
            for row in rows[:TOP]
        ),
        "Nada vencido a receber",
    )


def _list_payables(table: Table | None) -> PageTable:
    near = [
        row for row in _records(table) if row["dias_de_atraso"] is not None and row["dias_de_atraso"] >= -_AHEAD_DAYS
    ]
    near.sort(key=lambda row: (row["valor"], row["titulo_id"]))
    return PageTable(
        f"A pagar: vencido e dos próximos {_AHEAD_DAYS} dias",
        ("Descrição", "Pessoa", "Vencimento", "Valor"),
        tuple(
            (
                row["descricao"] or row["categoria"],
                row["pessoa"],
                format_date(row["vencimento"]),
                format_brl(row["valor"]),
            )
            for row in near[:TOP]
        ),
        "Nada a pagar nestes dias",
    )


def _list_changes(catalogue: Catalogue) -> PageTable:
    """Say what the cover says of what changed."""
    covers = (report.cover for report in catalogue.reports if report.cover is not None)
    blocks = (block for cover in covers for block in cover.blocks if block.name == "resumo_mudancas")
    rows = [row.cells[:2] for block in blocks for row in block.rows]
    told = tuple((str(text), format_brl(valor)) for text, valor in rows if isinstance(valor, Decimal))
    empty = str(rows[0][0]) if rows else "Sem capa neste recorte"
    return PageTable("O que mudou desde o relatório anterior", ("O que mudou", "Valor"), told, empty)


def _list_alerts(catalogue: Catalogue) -> PageTable:
    failed: Sequence[Any] = (*catalogue.errors, *catalogue.warnings)
    return PageTable(
        "Alertas",
        ("O que diz", "Verificação", "Gravidade", "Registros"),
        tuple(
            (check.resumo or check.descricao, check.id, check.severidade, str(check.registros or ""))
            for check in failed[:TOP]
        ),
        f"Nenhuma verificação falhou ({count_text(len(catalogue.verifications), 'conferida', 'conferidas')})",
    )
