"""R14 Mudanças: what moved since the previous report, and whether anyone touched a closed month.

Run B is the position as of D, run A the previous complete run as of its own day; on the first run there is none, and
all tables are empty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import date
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from lastro.analysis.changes import BRIDGE, FIELDS, SITUACAO, TYPES
from lastro.analysis.frames import records_of
from lastro.grid.cells import Kind
from lastro.grid.prints import Columns, Print, RowLook, list_columns
from lastro.grid.sections import Section, Style
from lastro.grid.storage import store_texts
from lastro.grid.table_rows import Leads
from lastro.grid.tables import Table
from lastro.grid.words import format_date, write_value
from lastro.grid.workbook import Family
from lastro.reports.printing import Tables, print_section
from lastro.reports.shared.charge_detail import label_status
from lastro.reports.shared.condensed_changes import SENTENCES, print_sentences
from lastro.reports.shared.drill_down import find_entries
from lastro.reports.spec import ReportSpec
from lastro.transform.position import as_date

if TYPE_CHECKING:
    from lastro.reports.view import View
    from lastro.transform.labels import Labels

NO_CLOSING: Final = "Sem fechamento: vale como fechado o que é anterior ao mês do último relatório."
REGIMES_NOTE: Final = "Competência: resultado sem categorias fora. Caixa: realizado sem transferências."
BRIDGE_NOTE: Final = "Sem transferências. Cada valor tem o sinal com que soma: um pagável excluído aumenta o saldo."
IDS: Final = ("titulo_id", "pessoa_id", "categoria_id", "conta_id")
FIELD_LABELS: Final = {**{name: label for name, (_, label) in FIELDS.items()}, SITUACAO: "Situação"}
CHANGED: Final = (
    "tipo", "linha_id", "descricao", "pessoa", "campo", "antes", "depois", "impacto_no_aberto", "impacto_no_resultado",
    "mes_afetado", "mes_fechado", "modified", "valor_antes", "valor_depois", "data_antes", "data_depois", *IDS,
)  # fmt: skip
MONTHS_OF: Final = ("mes", "regime", "antes", "depois", "diferenca", "explicado", "linhas")
EXPLAINED: Final = ("mes", "regime", "tipo", "linha_id", "descricao", "antes", "depois", "diferenca")


def list_moved(view: View) -> Columns:
    """List a row per linha and field; an entry counts once, so that its impact stands on its first row.

    Closed months first, then the larger impact, then the id; what went is told as it was.
    """
    compared = view.facts.comparacao
    if compared is None:
        return list_columns(CHANGED, ())
    rows, labels = compared.mudadas, {True: view.position.rotulos, False: compared.rotulos}
    first = rows["lugar"] == 1
    told: dict[str, list[Any]] = {"antes": rows["a"].tolist(), "depois": rows["b"].tolist()}
    columns: dict[str, Any] = {
        **{key: rows[key] for key in ("tipo", "linha_id", "mes_afetado", "mes_fechado", "modified")},
        "descricao": store_texts(rows["descricao"]),
        "pessoa": [labels[there].pessoa(pessoa_id) for there, pessoa_id in records_of(rows, "em_b", "pessoa_id")],
        "campo": [FIELD_LABELS[name] for name in rows["campo"]],
        "antes": [*_write_fields(rows, "a", labels[False])],
        "depois": [*_write_fields(rows, "b", labels[True])],
        "impacto_no_aberto": rows["impacto_aberto"].astype("Int64").where(first),
        "impacto_no_resultado": rows["impacto_resultado"].astype("Int64").where(first),
        **{f"valor_{when}": [one if isinstance(one, Decimal) else None for one in own] for when, own in told.items()},
        **{f"data_{when}": [one if isinstance(one, date) else None for one in own] for when, own in told.items()},
        **{key: rows[key].astype("Int64") for key in IDS},
    }
    return {key: columns[key] for key in CHANGED}


def _write_fields(rows: pd.DataFrame, side: str, labels: Labels) -> Iterator[str | None]:
    """Yield how each field is printed; a null prints as its dimension's "Sem ...", else "–"."""
    writers: Mapping[str, Callable[[Any], str]] = {
        "categoria_id": labels.categoria_caminho,
        "conta_id": labels.conta,
        "pessoa_id": labels.pessoa,
        "centro_custo_lucro_id": labels.centro,
        "forma_pagamento_id": labels.forma,
        "tipo_documento_id": labels.tipo_documento,
        "tags": lambda tags: ", ".join(labels.tag(tag) for tag in sorted(tags)) or "–",
        SITUACAO: lambda pago: "Pago" if pago else "Em aberto",
    }
    for name, value, there in zip(rows["campo"], rows[side].tolist(), rows[f"em_{side}"], strict=True):
        yield writers.get(name, write_value)(value) if there else None


def list_bridge(view: View) -> Columns:
    """Lead from the open portfolio of A to that of B (V17), signed as it adds."""
    compared = view.facts.comparacao
    bridge = {} if compared is None else compared.ponte
    return {"item": [BRIDGE[name] for name in bridge], "valor": [*bridge.values()]}


def _look_at_bridge(view: View, table: Table) -> Iterator[RowLook]:  # noqa: ARG001 - as every function of a `Print`
    styles = {"aberto_a": Style.SECTION, "aberto_b": Style.TOTAL}
    for name, _ in zip(BRIDGE, table.rows, strict=False):  # without a comparison it has no rows
        yield RowLook(styles.get(name, Style.NORMAL), key=f"carteira-{name}")


def list_types(view: View) -> Columns:
    """List how many linhas changed, by type; each counts once."""
    compared = view.facts.comparacao
    grouped = {} if compared is None else dict(iter(compared.mudadas.query("lugar == 1").groupby("tipo")))
    parts = {tipo: grouped[tipo] for tipo in TYPES if tipo in grouped}
    return {
        "tipo": list(parts),
        "linhas": [len(part) for part in parts.values()],
        "em_mes_fechado": [int(part["mes_fechado"].sum()) for part in parts.values()],
        "impacto_no_aberto": [int(part["impacto_aberto"].sum()) for part in parts.values()],
        "impacto_no_resultado": [int(part["impacto_resultado"].sum()) for part in parts.values()],
    }


def list_statuses(view: View) -> Columns:
    """List the charges whose status changed, by id."""
    compared, label = view.facts.comparacao, view.position.rotulos.pessoa
    fields = ("cobranca_id", "pessoa_id", "data_vencimento", "valor_centavos", "status_antes", "status")
    rows = [
        (number, label(payer), as_date(due), valor, label_status(old), label_status(new), old, new, payer)
        for number, payer, due, valor, old, new in (records_of(compared.cobrancas, *fields) if compared else ())
    ]
    return list_columns(
        (
            "cobranca_id", "pessoa", "data_vencimento", "valor", "antes", "depois", "codigo_antes", "codigo_depois",
            "pessoa_id",
        ),
        rows,
    )  # fmt: skip


def list_closed_months(view: View) -> Columns:
    """List closed months with changed figures by month and regime, and how much of the change linhas explain (V32)."""
    compared = view.facts.comparacao
    return list_columns(MONTHS_OF, compared.meses if compared else ())


def list_explaining(view: View) -> Columns:
    """List the linhas that explain the closed months, to the centavo."""
    compared = view.facts.comparacao
    if compared is None:
        return list_columns(EXPLAINED, ())
    rows = compared.explicam
    return {key: store_texts(rows[key]) if key == "descricao" else rows[key] for key in EXPLAINED}


def _link_explaining(view: View) -> Mapping[str, Leads]:
    """Lead from what still exists to its row in Lançamentos."""
    compared = view.facts.comparacao
    if compared is None:
        return {}
    there = compared.explicam["linha_id"].astype("Int64").where(compared.explicam["em_b"])
    return {"linha_id": view.kept(find_entries).lead("linha_id", there)}


def print_explaining(view: View, tables: Tables) -> Section | None:
    """Print the linhas below the months; where no month changed, neither."""
    return print_section(EXPLAINING, tables, view) if tables[MONTHS.name].rows else None


def _since(view: View, text: str) -> str:
    """Say since when, where there is an earlier report."""
    compared = view.facts.comparacao
    return "" if compared is None else text.format(format_date(compared.data_base), format_date(compared.fechado_ate))


_AMOUNTS: Final = {"antes": Kind.MONEY, "depois": Kind.MONEY}
CHANGES: Final = Print(
    "mudancas",
    "R14: uma linha e um campo que mudaram desde a execução anterior",
    list_moved,
    about={
        "tipo": "o primeiro que vale de EXCLUIDO, NOVO, ESTORNADO, LIQUIDADO, VALOR, VENCIMENTO, PAGAMENTO, "
        "COMPETENCIA, CATEGORIA, CONTA, PESSOA, CENTRO, OUTROS (R14)"
    },
    headers={"titulo_id": "Titulo id"},
    shown=("linha_id",),
)
BRIDGE_TABLE: Final = Print(
    "mudancas_ponte",
    "R14, V17: ponte da carteira em aberto; valores com o sinal com que somam",
    list_bridge,
    keys=("item",),
    about={"valor": "com o sinal com que soma: do em aberto de antes ao de agora"},
    widths={"item": 48},
    title="Ponte da carteira em aberto",
    looks=_look_at_bridge,
    notes=(BRIDGE_NOTE,),
    optional=True,
)
CHARGES: Final = Print(
    "mudancas_cobrancas",
    "R14: cobranças que mudaram de situação ou foram canceladas",
    list_statuses,
    shown=("cobranca_id",),
)
MONTHS: Final = Print(
    "mudancas_meses",
    "R14, V32: meses fechados cujo resultado ou caixa mudou",
    list_closed_months,
    kinds=_AMOUNTS,
    widths={"regime": 14},
    title=partial(_since, text="Meses fechados até {1} que mudaram"),
    notes=(REGIMES_NOTE, lambda view: () if view.position.parametros.fechamento else (NO_CLOSING,)),
    optional=True,
)
EXPLAINING: Final = Print(
    "mudancas_meses_linhas",
    "R14: as linhas que explicam a mudança de cada mês fechado, ao centavo",
    list_explaining,
    about={"tipo": "como mudancas.tipo"},
    kinds=_AMOUNTS,
    widths={"regime": 14, "tipo": 14, "linha_id": 12, "descricao": 40},
    shown=("linha_id",),
    title="Lançamentos que explicam os meses fechados",
    links=_link_explaining,
)
BY_TYPE: Final = Print(
    "mudancas_tipos",
    "R14: linhas que mudaram, por tipo; cada uma conta uma vez",
    list_types,
    keys=("tipo",),
    about={"tipo": "como mudancas.tipo"},
)
SPEC: Final = ReportSpec(
    code="R14",
    name="mudancas",
    title="Mudanças desde o último relatório",
    question="O que mudou, e alguém mexeu em mês fechado?",
    family=Family.HISTORY,
    tables=(CHANGES, BRIDGE_TABLE, CHARGES, MONTHS, EXPLAINING, BY_TYPE, SENTENCES),
    sections=(print_sentences, BRIDGE_TABLE, MONTHS, print_explaining),
    heading=partial(_since, text="Mudanças desde {0}"),
)
