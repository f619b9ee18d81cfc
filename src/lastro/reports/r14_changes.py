"""R14 Mudanças: what moved since the previous report, and whether anyone touched a closed month.

Run B is the position as of D, run A the previous complete run as of its own day; on the first run there is none, and
all tables are empty. Does not belong here: what counts as a change (`lastro.analysis.changes`), which linha changed
(`lastro.warehouse.file.changes`), how much of this the cover shows.

Long because every linha that its tables list is told by one of its sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pandas as pd

from lastro.analysis.changes import (
    BRIDGE,
    ESTORNADO,
    EXCLUIDO,
    FIELDS,
    LIQUIDADO,
    NOVO,
    OUTROS,
    SITUACAO,
    TYPES,
    VENCEU_PAGAR,
    VENCEU_RECEBER,
    Comparison,
    find_late,
)
from lastro.analysis.frames import records_of
from lastro.grid.cells import Kind
from lastro.grid.prints import Columns, Print, RowLook, list_columns
from lastro.grid.sections import Section, Style
from lastro.grid.storage import store_texts
from lastro.grid.table_rows import Leads
from lastro.grid.tables import Table
from lastro.grid.words import count_text, format_date, month_label, write_value
from lastro.grid.workbook import Family
from lastro.money import format_centavos_brl
from lastro.reports.printing import Tables, print_section
from lastro.reports.shared.charge_detail import label_status
from lastro.reports.shared.drill_down import find_entries
from lastro.reports.spec import ReportSpec
from lastro.transform.position import as_date

if TYPE_CHECKING:
    from lastro.reports.view import View
    from lastro.transform.labels import Labels
    from lastro.transform.position import Position

NO_HISTORY: Final = "Disponível a partir do segundo dia lido"
"""What is said where no report of an earlier day came before: a recálculo or a second reading of a day is none."""
RESUMO: Final = "mudancas_resumo"
RECEBIDO, PAGO = "RECEBIDO", "PAGO"
TRANSFERENCIA: Final = "TRANSFERENCIA"
TOP: Final = 10
"""Series and entries that have a sentence of their own; the others share one per kind."""
PLURALS: Final = {
    NOVO: ("nova", "novas"),
    EXCLUIDO: ("excluída", "excluídas"),
    ESTORNADO: ("com baixa desfeita", "com baixa desfeita"),
    "VALOR": ("com outro valor", "com outro valor"),
    "VENCIMENTO": ("com outro vencimento", "com outro vencimento"),
}
"""What became of a part of a series, and of several; of any other type they are "alterada(s)"."""
SINGLE: Final = {
    NOVO: ("lançamento novo", "vence"), EXCLUIDO: ("lançamento excluído", "vencia"),
    ESTORNADO: ("baixa desfeita", "venceu"),
}  # fmt: skip
"""What became of one título, and what is said of its due day."""
REST: Final = {NOVO: ("novo", "novos"), EXCLUIDO: ("excluído", "excluídos"), OUTROS: ("alterado", "alterados")}
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


class _Part(NamedTuple):
    """One changed linha (`Comparison.mudadas`): centavos before and after, due days, and what it is called."""

    tipo: str
    linha_id: int
    titulo_id: int | None
    grupo_id: int | None
    valor_a: int
    valor_b: int
    venceu: date | None
    vence: date | None
    impacto_aberto: int
    aberto: bool
    transferencia: bool
    em_b: bool
    texto: str

    @property
    def due(self) -> date | None:
        return self.vence or self.venceu


class _Sentence(NamedTuple):
    """A row before it has its place; centavos. `rank` puts it among the others, larger amounts first."""

    rank: int
    tipo: str
    frase: str
    valor: int | None
    linhas: int
    impacto: int
    days: tuple[date, ...] = ()
    near: bool = False
    first: _Part | None = None

    @property
    def order(self) -> tuple[int, int, str]:
        return self.rank, -abs(self.valor or 0), self.frase


def list_sentences(view: View) -> Columns:
    """Tell every linha that R14 lists in exactly one row; without an earlier report there is none.

    What was received and what was paid since (new entries that came paid too); each series, or título without one, of
    the `TOP` largest; what is left, by kind. The two rows of what fell due and is still open are the only ones of
    títulos that did not change (vencido efetivo, S8). In this order: series with something due inside the daily
    horizon, received and paid, newly overdue, series beyond the horizon, what is left.
    """
    compared, told = view.facts.comparacao, list[_Sentence]()
    if compared is not None:
        told += _split(_read(view.position, compared), view.position.ultimo_dia)
        told += _newly_late(view.position, compared)
    told.sort(key=lambda sentence: sentence.order)
    firsts = [sentence.first for sentence in told]
    return {
        "frase": [sentence.frase for sentence in told],
        "valor": [sentence.valor for sentence in told],
        "linhas": [sentence.linhas for sentence in told],
        "impacto_no_aberto": [sentence.impacto for sentence in told],
        "inicio": [min(sentence.days, default=None) for sentence in told],
        "fim": [max(sentence.days, default=None) for sentence in told],
        "linha_id": [part.linha_id if part else None for part in firsts],
        "tipo": [sentence.tipo for sentence in told],
        "ordem": range(1, len(told) + 1),
        "no_horizonte": [sentence.near for sentence in told],
        "titulo_id": [part.titulo_id if part and part.em_b else None for part in firsts],
        "grupo_id": [part.grupo_id if part else None for part in firsts],
    }


def _link_sentences(view: View) -> Mapping[str, Leads]:
    """Lead from the id of a single entry or series to its row of Lançamentos."""
    columns = view.once(list_sentences)
    return {"linha_id": view.books.once(find_entries).lead("titulo_id", pd.Series(columns["titulo_id"], dtype="Int64"))}


def _say_map(view: View) -> Iterator[str]:
    compared = view.facts.comparacao
    if compared is not None and compared.remapeadas:
        moved = count_text(compared.remapeadas, "linha conta", "linhas contam")
        yield f"O mapa da DRE mudou: {moved} de outro modo. O relatório anterior é comparado pelo mapa de agora."


def print_sentences(view: View, tables: Tables) -> Section:
    """Print the sentences, or that nothing came before."""
    section = print_section(SENTENCES, tables, view)
    return section if view.facts.comparacao else replace(section, empty=f"{NO_HISTORY}.")


def _read(position: Position, compared: Comparison) -> Iterator[_Part]:
    """Give every changed linha; what went as it was."""
    changed = compared.mudadas.query("lugar == 1").sort_values(["chave", "linha_id"])
    changed = changed.assign(**{key: changed[key].map(as_date) for key in ("venceu", "vence")})
    labels = {True: position.rotulos, False: compared.rotulos}
    for *own, descricao, categoria_id in records_of(changed, *_Part._fields[:-1], "descricao", "categoria_id"):
        yield _Part._make([*own, descricao or labels[own[-1]].categoria(categoria_id)])


def _split(changes: Iterable[_Part], last: date) -> Iterator[_Sentence]:
    """Put each changed linha in one sentence: settled, of a series, or left over."""
    settled: dict[str, list[_Part]] = {}
    series: dict[tuple[str, int], list[_Part]] = {}
    moved: list[_Part] = []
    for part in changes:
        if part.transferencia:
            moved.append(part)
        elif part.valor_b and (part.tipo == LIQUIDADO or (part.tipo == NOVO and not part.aberto)):
            settled.setdefault(RECEBIDO if part.valor_b > 0 else PAGO, []).append(part)
        elif part.grupo_id is not None:
            series.setdefault(("grupo", part.grupo_id), []).append(part)
        else:
            key = part.linha_id if part.titulo_id is None else part.titulo_id
            series.setdefault(("titulo", key), []).append(part)
    yield from (_tell_settled(tipo, parts) for tipo, parts in settled.items())
    told = [(_tell_series(parts, last), parts) for parts in series.values()]
    told.sort(key=lambda pair: pair[0].order)
    largest = [pair for pair in told if pair[0].valor][:TOP]
    yield from (sentence for sentence, _ in largest)
    yield from _tell_rest([part for pair in told if pair not in largest for part in pair[1]])
    yield from _tell_transfers(moved)


def _tell_settled(tipo: str, parts: Sequence[_Part]) -> _Sentence:
    new = sum(part.tipo == NOVO for part in parts)
    whole = new == len(parts)
    nouns = ("lançamento novo", "lançamentos novos") if whole else ("lançamento", "lançamentos")
    text = f"{tipo.capitalize()}: {count_text(len(parts), *nouns)}"
    if new and not whole:
        text += f", {count_text(new, 'deles novo', 'deles novos')}"
    return _sum(1, tipo, text, parts, valor=sum(part.valor_b for part in parts))


def _sum(rank: int, tipo: str, text: str, parts: Sequence[_Part], *, valor: int | None) -> _Sentence:
    return _Sentence(rank, tipo, text, valor, len(parts), sum(part.impacto_aberto for part in parts))


def _tell_series(parts: list[_Part], last: date) -> _Sentence:
    """Write the sentence of a series or of one título: the change in open value, else the amount that moves."""
    valor: int | None = sum(part.impacto_aberto for part in parts)
    if not valor:
        valor = sum(part.valor_b for part in parts if part.tipo == "VENCIMENTO" and part.aberto)
    days = tuple(sorted(part.due for part in parts if part.due is not None))
    near = any(day <= last for day in days)
    # The carrier of what still exists leads to Lançamentos.
    first = min(parts, key=lambda part: (not part.em_b, -abs(part.valor_b or part.valor_a), part.linha_id))
    kinds = [tipo for tipo in TYPES if any(part.tipo == tipo for part in parts)]
    text = f"{first.texto}: {_say(parts, kinds, days)}"
    impact = sum(part.impacto_aberto for part in parts)
    return _Sentence(0 if near else 3, kinds[0], text, valor, len(parts), impact, days, near, first)


def _say(parts: Sequence[_Part], kinds: Sequence[str], days: Sequence[date]) -> str:
    titulos = {part.titulo_id for part in parts}
    if len(titulos) == 1 and len(kinds) == 1:
        return _say_one(parts, kinds[0])
    counts = {kind: len({part.titulo_id for part in parts if part.tipo == kind}) for kind in kinds}
    words = ", ".join(
        f"{count_text(count, 'parcela', 'parcelas')} {PLURALS.get(kind, ('alterada', 'alteradas'))[count > 1]}"
        for kind, count in counts.items()
    )
    if not days:
        return words
    first, last = month_label(days[0]), month_label(days[-1])
    return f"{words}, {first}" if first == last else f"{words}, {first} a {last}"


def _say_one(parts: Sequence[_Part], kind: str) -> str:
    """Tell what became of one título."""
    first = parts[0]
    was, now = (sum(amounts) for amounts in ((part.valor_a for part in parts), (part.valor_b for part in parts)))
    if kind in SINGLE:
        said, when = SINGLE[kind]
        return said if first.due is None else f"{said}, {when} em {format_date(first.due)}"
    if kind == "VALOR":
        return f"valor de {format_centavos_brl(was)} para {format_centavos_brl(now)}"
    if kind == "VENCIMENTO" and first.venceu is not None and first.vence is not None:
        return f"vencimento de {format_date(first.venceu)} para {format_date(first.vence)}"
    return "dados alterados"


def _tell_rest(left: Sequence[_Part]) -> Iterator[_Sentence]:
    by_kind: dict[str, list[_Part]] = {kind: [] for kind in REST}
    for part in left:
        by_kind[part.tipo if part.tipo in REST else OUTROS].append(part)
    for kind, parts in by_kind.items():
        if parts:
            singular, plural = REST[kind]
            text = f"Demais: {count_text(len(parts), f'lançamento {singular}', f'lançamentos {plural}')}"
            yield _sum(4, kind, text, parts, valor=sum(part.impacto_aberto for part in parts))


def _tell_transfers(moved: Sequence[_Part]) -> Iterator[_Sentence]:
    if moved:
        text = f"Transferências entre contas: {count_text(len(moved), 'lançamento', 'lançamentos')}"
        yield _sum(5, TRANSFERENCIA, text, moved, valor=None)


def _newly_late(position: Position, compared: Comparison) -> Iterator[_Sentence]:
    """Tell what fell due since and is still open, without what can be paid without charges (vencido efetivo)."""
    known, late = compared.vencidos["titulo_id"], find_late(position)
    late = late[~late["titulo_id"].isin(known)]
    for tipo, name, words in (("R", VENCEU_RECEBER, "recebido"), ("P", VENCEU_PAGAR, "pago")):
        chosen = late[late["tipo"] == tipo]
        if len(chosen):
            text = f"Venceu e não foi {words}: {count_text(len(chosen), 'título', 'títulos')}"
            yield _Sentence(2, name, text, int(chosen["valor_centavos"].sum()), len(chosen), 0)


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
    return {"linha_id": view.books.once(find_entries).lead("linha_id", there)}


def print_explaining(view: View, tables: Tables) -> Section | None:
    """Print the linhas below the months; where no month changed, neither."""
    return print_section(EXPLAINING, tables, view) if tables[MONTHS.name].rows else None


def _since(view: View, text: str) -> str:
    """Say since when, where there is an earlier report."""
    compared = view.facts.comparacao
    return "" if compared is None else text.format(format_date(compared.data_base), format_date(compared.fechado_ate))


SENTENCES: Final = Print(
    RESUMO,
    "R14: o que mudou desde o relatório anterior, uma série (ou um título) por frase",
    list_sentences,
    keys=("ordem",),
    about={"tipo": "como mudancas.tipo, ou PAGO, RECEBIDO, VENCEU_PAGAR, VENCEU_RECEBER, TRANSFERENCIA"},
    headers={"frase": "O que mudou", "inicio": "De", "fim": "Até", "titulo_id": "Titulo id"},
    widths={"frase": 48, "linha_id": 12},
    hidden=("tipo", "ordem", "no_horizonte"),
    shown=("linha_id",),
    title="O que mudou, em frases",
    links=_link_sentences,
    notes=(
        "Recebido e Pago pelo valor da baixa, com os lançados já pagos; venceu: sem carência e sem transferências.",
        _say_map,
    ),
)
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
