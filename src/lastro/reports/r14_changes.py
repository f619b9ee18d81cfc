"""R14 Mudanças: what moved since the previous report, and whether anyone touched a closed month."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Final

import pandas as pd

from lastro.analysis.changed_fields import find_values, iter_records, list_fields, make_writers, number_or_none
from lastro.analysis.changes import (
    BRIDGE,
    FIELDS,
    REGIMES,
    Comparison,
    compute_bridge,
    explain_closed,
    sort_changes,
    split_by_type,
    sum_closed,
)
from lastro.analysis.frames import dicts_of, records_of
from lastro.analysis.versions import KEY
from lastro.grid.cells import Kind, Link, Value
from lastro.grid.pivot import build_section
from lastro.grid.sections import Row, Section, Style
from lastro.grid.tables import Column, Table, id_columns
from lastro.grid.words import count_text, format_date
from lastro.grid.workbook import Family, Report
from lastro.money import to_decimal
from lastro.reports.shared.charge_detail import status_label
from lastro.reports.shared.condensed_changes import NO_HISTORY, condense_changes, show_condensed
from lastro.reports.shared.drill_down import Entries
from lastro.reports.spec import ReportSpec
from lastro.transform.position import as_date

if TYPE_CHECKING:
    from lastro.reports.view import View
    from lastro.transform.position import Position

NO_CLOSING: Final = "Sem fechamento: vale como fechado o que é anterior ao mês do último relatório."

CHANGES_COMMENT: Final = "R14: uma linha e um campo que mudaram desde a execução anterior"


def build_r14(view: View) -> Report:
    """Build R14.

    Run B is the position as of D, run A the previous complete run as of its own day; there is none on the first run.

    Returns:
        Tables `mudancas` changes (one row per linha and field; the impact stands on the first row of a linha),
        `mudancas_ponte` portfolio bridge, `mudancas_cobrancas` charges whose status changed, `mudancas_meses` closed
        months restated, `mudancas_meses_linhas` the entries that explain them, `mudancas_tipos` changes by type,
        `mudancas_resumo` all of it in sentences. A section for the bridge, the closed months and the sentences, which
        come first.
    """
    position, compared = view.position, view.facts.comparacao
    changes = _build_changes(position, compared)
    bridge, charges = _build_bridge(position, compared), _build_charges(position, compared)
    types = _build_types(compared)
    months, entries, sources = _build_closed_months(view, compared)
    condensed = condense_changes(position, compared)
    tables = (changes, bridge, charges, months, entries, types, condensed)
    if compared is None:
        return SPEC.report((replace(show_condensed(condensed, view.entries), empty=f"{NO_HISTORY}."),), tables)
    closed = f"Meses fechados até {format_date(compared.fechado_ate)} que mudaram"
    unset = position.parametros.fechamento is None
    notes = ("Competência: resultado sem categorias fora. Caixa: realizado sem transferências.",)
    of_months = (
        build_section(months, title=closed, notes=(*notes, *([NO_CLOSING] if unset else []))),
        build_section(entries, title="Lançamentos que explicam os meses fechados", links={"linha_id": sources}),
    )
    told = show_condensed(condensed, view.entries)
    if compared.remapeadas:
        moved = count_text(compared.remapeadas, "linha conta", "linhas contam")
        map_note = f"O mapa da DRE mudou: {moved} de outro modo. O relatório anterior é comparado pelo mapa de agora."
        told = replace(told, notes=(*told.notes, map_note))
    sections = (told, _show_bridge(bridge), *(of_months if months.rows else ()))
    return SPEC.report(sections, tables, title=f"Mudanças desde {format_date(compared.data_base)}")


def _build_changes(position: Position, compared: Comparison | None) -> Table:
    """Build a row per linha and field."""
    columns = (
        Column(
            "Tipo",
            Kind.TEXT,
            "o primeiro que vale de EXCLUIDO, NOVO, ESTORNADO, LIQUIDADO, VALOR, VENCIMENTO, PAGAMENTO, "
            "COMPETENCIA, CATEGORIA, CONTA, PESSOA, CENTRO, OUTROS (R14)",
        ),
        Column("Lançamento", Kind.INTEGER, key="linha_id"),
        Column("Descrição", Kind.TEXT),
        Column("Pessoa", Kind.TEXT),
        Column("Campo", Kind.TEXT, "o campo que mudou"),
        Column("Antes", Kind.TEXT),
        Column("Depois", Kind.TEXT),
        Column("Impacto no aberto", Kind.MONEY),
        Column("Impacto no resultado", Kind.MONEY),
        Column("Mês afetado", Kind.MONTH, "primeiro dia do mês em que a mudança pesa"),
        Column(
            "Mês fechado?",
            Kind.BOOLEAN,
            "a mudança atinge um mês fechado, de caixa ou de competência, que pode ser outro que mes_afetado",
        ),
        Column("Alterado em", Kind.TIMESTAMP),
        Column("Valor antes", Kind.MONEY, "o valor antes da mudança; nulo se o campo não é um valor"),
        Column("Valor depois", Kind.MONEY, "o valor depois da mudança; nulo se o campo não é um valor"),
        Column("Data antes", Kind.DATE, "a data antes da mudança; nula se o campo não é uma data"),
        Column("Data depois", Kind.DATE, "a data depois da mudança; nula se o campo não é uma data"),
        *id_columns("titulo_id", "pessoa_id", "categoria_id", "conta_id"),
    )
    if compared is None:
        return Table("mudancas", columns, (), CHANGES_COMMENT)
    changed = sort_changes(compared.mudadas[compared.mudadas["tipo"].notna()])
    writers_a, writers_b = make_writers(compared.rotulos), make_writers(position.rotulos)
    sides = [f"{name}_{side}" for name in FIELDS for side in ("a", "b")]
    flags = [f"mudou_{name}" for name in FIELDS]
    state = [f"{name}_{side}" for name in ("em", "pago", "classe", "modified", "titulo_id") for side in ("a", "b")]
    kept = [*KEY, "tipo", "impacto_aberto_centavos", "impacto_resultado_centavos", "mes_fechado", "mes_afetado"]
    rows: list[tuple[Value, ...]] = []
    for record in iter_records(changed[[*kept, *sides, *flags, *state]]):
        side = "b" if record["em_b"] else "a"
        linha_id, labels = record["linha_id"], (position if record["em_b"] else compared).rotulos
        moved = record[f"modified_{side}"]
        head: tuple[Value, ...] = (
            record["tipo"],
            int(linha_id),
            record[f"descricao_{side}"] or None,
            labels.pessoa(record[f"pessoa_id_{side}"]),
        )
        tail: tuple[Value, ...] = (
            as_date(record["mes_afetado"]),
            bool(record["mes_fechado"]),
            None if pd.isna(moved) else moved.to_pydatetime(),
        )
        impact: tuple[Value, ...] = (
            to_decimal(record["impacto_aberto_centavos"]),
            to_decimal(record["impacto_resultado_centavos"]),
        )
        ids = tuple(
            number_or_none(record[f"{name}_{side}"]) for name in ("titulo_id", "pessoa_id", "categoria_id", "conta_id")
        )
        for field in list_fields(record, writers_a, writers_b):
            rows.append((*head, *field, *impact, *tail, *find_values(record, field[0]), *ids))
            # An entry counts once: its impact stands on its first row.
            impact = (None, None)
    return Table("mudancas", columns, tuple(rows), CHANGES_COMMENT)


def _build_bridge(position: Position, compared: Comparison | None) -> Table:
    bridge = {} if compared is None else compute_bridge(compared, position)
    return Table(
        "mudancas_ponte",
        (
            Column("Item", Kind.TEXT, width=48),
            Column("Valor", Kind.MONEY, "com o sinal com que soma: do em aberto de antes ao de agora"),
        ),
        tuple((text, to_decimal(bridge[name])) for name, text in BRIDGE.items() if bridge),
        "R14, V17: ponte da carteira em aberto; valores com o sinal com que somam",
    )


def _show_bridge(table: Table) -> Section:
    styles = {"aberto_a": Style.SECTION, "aberto_b": Style.TOTAL}
    names = {text: name for name, text in BRIDGE.items()}
    rows = tuple(
        Row(cells, style=styles.get(name, Style.NORMAL), key=f"carteira-{name}")
        for cells in table.rows
        for name in (names[str(cells[0])],)
    )
    notes = ("Sem transferências. Cada valor tem o sinal com que soma: um pagável excluído aumenta o saldo.",)
    return Section(table.name, table.columns, rows, title="Ponte da carteira em aberto", notes=notes)


def _build_types(compared: Comparison | None) -> Table:
    by_type = [] if compared is None else list(split_by_type(compared.mudadas))
    return Table.of(
        "mudancas_tipos",
        (
            (Column("Tipo", Kind.TEXT, "como mudancas.tipo"), [tipo for tipo, _ in by_type]),
            (Column("Linhas", Kind.INTEGER), [len(part) for _, part in by_type]),
            (
                Column("Em mês fechado", Kind.INTEGER, "quantas delas atingem um mês fechado"),
                [int(part["mes_fechado"].sum()) for _, part in by_type],
            ),
            (Column("Impacto no aberto", Kind.MONEY), [_sum_impact(part, "aberto") for _, part in by_type]),
            (Column("Impacto no resultado", Kind.MONEY), [_sum_impact(part, "resultado") for _, part in by_type]),
        ),
        "R14: linhas que mudaram, por tipo; cada uma conta uma vez",
    )


def _sum_impact(changed: pd.DataFrame, name: str) -> Decimal:
    return to_decimal(int(changed[f"impacto_{name}_centavos"].sum()))


_CHARGE: Final = ("cobranca_id", "cliente_id", "data_vencimento", "valor_centavos", "status_antes", "status")


def _build_charges(position: Position, compared: Comparison | None) -> Table:
    charges = [] if compared is None else list(dicts_of(compared.cobrancas, *_CHARGE))
    return Table.of(
        "mudancas_cobrancas",
        (
            (Column("Cobrança", Kind.INTEGER, key="cobranca_id"), [charge["cobranca_id"] for charge in charges]),
            (Column("Cliente", Kind.TEXT), [position.rotulos.pessoa(charge["cliente_id"]) for charge in charges]),
            (Column("Vencimento", Kind.DATE), [as_date(charge["data_vencimento"]) for charge in charges]),
            (Column("Valor", Kind.MONEY), [to_decimal(charge["valor_centavos"]) for charge in charges]),
            (Column("Antes", Kind.TEXT), [status_label(charge["status_antes"]) for charge in charges]),
            (Column("Depois", Kind.TEXT), [status_label(charge["status"]) for charge in charges]),
            (
                Column("Código antes", Kind.TEXT, "código da situação antes"),
                [charge["status_antes"] for charge in charges],
            ),
            (Column("Código depois", Kind.TEXT, "código da situação agora"), [charge["status"] for charge in charges]),
            (Column("Pessoa id", Kind.INTEGER, shown=False), [charge["cliente_id"] for charge in charges]),
        ),
        "R14: cobranças que mudaram de situação ou foram canceladas",
    )


def _build_closed_months(view: View, compared: Comparison | None) -> tuple[Table, Table, list[Link | int]]:
    """Build the closed months whose figures changed, the entries that explain it to the centavo, where these lead."""
    month_columns = (
        Column("Mês", Kind.MONTH),
        Column("Regime", Kind.TEXT, width=14),
        Column("Antes", Kind.MONEY),
        Column("Depois", Kind.MONEY),
        Column("Diferença", Kind.MONEY),
        Column("Explicado", Kind.MONEY, "parte da diferença que as linhas de mudancas_meses_linhas somam"),
        Column("Linhas", Kind.INTEGER),
    )
    entry_columns = (
        Column("Mês", Kind.MONTH),
        Column("Regime", Kind.TEXT, width=14),
        Column("Tipo", Kind.TEXT, "como mudancas.tipo", width=14),
        Column("Lançamento", Kind.INTEGER, width=12, key="linha_id"),
        Column("Descrição", Kind.TEXT, width=40),
        Column("Antes", Kind.MONEY),
        Column("Depois", Kind.MONEY),
        Column("Diferença", Kind.MONEY),
    )
    month_rows: list[tuple[date, int, tuple[Value, ...]]] = []
    entry_rows: list[tuple[Value, ...]] = []
    links: list[Link | int] = []
    if compared is not None:
        for order, (regime, dates) in enumerate(REGIMES.items()):
            was, now = compared.fechados[regime], sum_closed(view.position, *dates, compared.fechado_ate)
            entries = explain_closed(compared.mudadas, *dates, compared.fechado_ate)
            explained = entries.groupby("mes")["diferenca"].sum()
            counts = entries.groupby("mes").size()
            for changed in sorted({*was, *now, *(stamp.date() for stamp in explained.index)}):
                stamp = pd.Timestamp(changed)
                old, new, count = was.get(changed, 0), now.get(changed, 0), int(counts.get(stamp, 0))
                if old == new and not count:
                    continue
                amounts = map(to_decimal, (old, new, new - old, int(explained.get(stamp, 0))))
                month_rows.append((changed, order, (changed, regime, *amounts, count)))
            for cells, link in _list_closed_entries(entries, regime, view.entries):
                entry_rows.append(cells)
                links.append(link)
        month_rows.sort(key=lambda month_row: month_row[:2])
    comment = "R14: as linhas que explicam a mudança de cada mês fechado, ao centavo"
    return (
        Table(
            "mudancas_meses",
            month_columns,
            tuple(cells for _, _, cells in month_rows),
            "R14, V32: meses fechados cujo resultado ou caixa mudou",
        ),
        Table("mudancas_meses_linhas", entry_columns, tuple(entry_rows), comment),
        links,
    )


def _list_closed_entries(
    entries: pd.DataFrame, regime: str, places: Entries
) -> Iterator[tuple[tuple[Value, ...], Link | int]]:
    names = ("mes", "tipo", "linha_id", "descricao_a", "descricao_b", "a", "b", "diferenca")
    for month, tipo, linha_id, old_text, new_text, old, new, delta, exists in records_of(entries, *names, "em_b"):
        text = (new_text if exists else old_text) or None
        amounts = (to_decimal(old), to_decimal(new), to_decimal(delta))
        link = (places.link_linha(int(linha_id)) if exists else None) or int(linha_id)
        yield (as_date(month), regime, tipo, int(linha_id), text, *amounts), link


SPEC: Final = ReportSpec(
    code="R14",
    name="mudancas",
    title="Mudanças desde o último relatório",
    question="O que mudou, e alguém mexeu em mês fechado?",
    family=Family.HISTORY,
    builder=build_r14,
    keys={
        "mudancas_ponte": ("item",),
        "mudancas_tipos": ("tipo",),
        "mudancas_resumo": ("ordem",),
    },
)
