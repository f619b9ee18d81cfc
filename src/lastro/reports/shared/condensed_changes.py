"""What changed since the previous report, one sentence per series (R14): `mudancas_resumo`.

Belongs here: which changed linhas make one sentence, and its words. Does not belong here: what counts as a change
(`lastro.analysis.changes`) and how much of this the cover shows (`lastro.reports.cover.changes`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Final

from lastro.analysis.changed_fields import iter_records, number_or_none
from lastro.analysis.changes import (
    ESTORNADO,
    EXCLUIDO,
    LIQUIDADO,
    NOVO,
    OUTROS,
    TYPES,
    VENCEU_PAGAR,
    VENCEU_RECEBER,
    Comparison,
    find_late,
)
from lastro.grid.cells import Kind, Link, Value
from lastro.grid.pivot import build_section, list_rows
from lastro.grid.sections import Section
from lastro.grid.tables import Column, Table
from lastro.grid.words import count_text, format_date, month_label
from lastro.money import decimal_or_none, format_brl, to_decimal
from lastro.transform.position import as_date

if TYPE_CHECKING:
    from lastro.reports.shared.drill_down import Entries
    from lastro.transform.position import Position

NO_HISTORY: Final = "Disponível a partir da segunda execução"
"""What is said where no report came before."""
RESUMO: Final = "mudancas_resumo"
RECEBIDO, PAGO = "RECEBIDO", "PAGO"
TRANSFERENCIA: Final = "TRANSFERENCIA"
TOP: Final = 10
"""Series and entries that have a sentence of their own; the others share one per kind."""
COMMENT: Final = "R14: o que mudou desde o relatório anterior, uma série (ou um título) por frase"
PLURALS: Final = {
    NOVO: ("nova", "novas"),
    EXCLUIDO: ("excluída", "excluídas"),
    ESTORNADO: ("com baixa desfeita", "com baixa desfeita"),
    "VALOR": ("com outro valor", "com outro valor"),
    "VENCIMENTO": ("com outro vencimento", "com outro vencimento"),
}
"""What became of a part of a series, and of several; of any other type they are "alterada(s)"."""
REST: Final = {NOVO: ("novo", "novos"), EXCLUIDO: ("excluído", "excluídos"), OUTROS: ("alterado", "alterados")}


_READ: Final = ("tipo", "linha_id", "impacto_aberto_centavos", "em_b", "pago_b")
_SIDED: Final = (
    "titulo_id", "grupo_id", "descricao", "categoria_id", "valor_centavos", "data_vencimento", "transferencia",
)  # fmt: skip
"""What is read of a comparison: of R14's hundred columns a mass edit would make a long list."""


@dataclass(frozen=True)
class _Part:
    """One changed linha: its type, what it is of, and centavos before and after."""

    tipo: str
    linha_id: int
    titulo_id: int | None
    grupo_id: int | None
    texto: str
    antes: int
    depois: int
    venceu: date | None
    vence: date | None
    impacto: int
    existe: bool
    aberto: bool

    @property
    def due(self) -> date | None:
        return self.vence or self.venceu


@dataclass(frozen=True)
class _Sentence:
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


def condense_changes(position: Position, compared: Comparison | None) -> Table:
    """Build `mudancas_resumo`.

    Every linha that R14 lists stands in exactly one row: what was received and what was paid since (new entries that
    came paid too); each series, or título without one, of the `TOP` largest; what is left, by kind. The two rows of
    what fell due and is still open are the only ones of títulos that did not change (vencido efetivo, S8).

    Args:
        position: as of D.
        compared: the previous complete run held against it; without it the table is empty.

    Returns:
        In this order: series with something due inside the daily horizon, received and paid, newly overdue, series
        beyond the horizon, what is left.
    """
    sentences: list[_Sentence] = []
    if compared is not None:
        last = position.ultimo_dia
        settled, series, rest = _split(_read(position, compared), last)
        sentences = [*settled, *_newly_late(position, compared), *series, *rest]
    ordered = sorted(sentences, key=lambda sentence: (sentence.rank, -abs(sentence.valor or 0), sentence.frase))
    firsts = [sentence.first for sentence in ordered]
    return Table.of(
        RESUMO,
        (
            (Column("O que mudou", Kind.TEXT, width=48, key="frase"), [sentence.frase for sentence in ordered]),
            (Column("Valor", Kind.MONEY), [decimal_or_none(sentence.valor) for sentence in ordered]),
            (Column("Linhas", Kind.INTEGER), [sentence.linhas for sentence in ordered]),
            (Column("Impacto no aberto", Kind.MONEY), [to_decimal(sentence.impacto) for sentence in ordered]),
            (Column("De", Kind.DATE, key="inicio"), [min(sentence.days, default=None) for sentence in ordered]),
            (Column("Até", Kind.DATE, key="fim"), [max(sentence.days, default=None) for sentence in ordered]),
            (
                Column("Lançamento", Kind.INTEGER, width=12, key="linha_id"),
                [change.linha_id if change else None for change in firsts],
            ),
            (
                Column(
                    "Tipo",
                    Kind.TEXT,
                    "como mudancas.tipo, ou PAGO, RECEBIDO, VENCEU_PAGAR, VENCEU_RECEBER, TRANSFERENCIA",
                    shown=False,
                ),
                [sentence.tipo for sentence in ordered],
            ),
            (Column("Ordem", Kind.INTEGER, shown=False), range(1, len(ordered) + 1)),
            (
                Column("No horizonte", Kind.BOOLEAN, "a mudança atinge dias que o fluxo projetado mostra", shown=False),
                [sentence.near for sentence in ordered],
            ),
            (
                Column("Titulo id", Kind.INTEGER, shown=False),
                [change.titulo_id if change and change.existe else None for change in firsts],
            ),
            (Column("Grupo id", Kind.INTEGER, shown=False), [change.grupo_id if change else None for change in firsts]),
        ),
        COMMENT,
    )


def show_condensed(table: Table, entries: Entries) -> Section:
    """Print the sentences; the id of a single entry or series leads to its row of Lançamentos."""
    ids = list_rows(table, ("titulo_id", "linha_id"))
    links = [_find_link(entries, titulo, linha) or linha for titulo, linha in ids]
    notes = (
        "Recebido e Pago pelo valor da baixa, com os lançados já pagos; venceu: sem carência e sem transferências.",
    )
    return build_section(table, title="O que mudou, em frases", notes=notes, links={"linha_id": links})


def _find_link(entries: Entries, titulo: Value, linha: Value) -> Link | None:
    if linha is None or titulo is None:
        return None
    return entries.link_titulo(int(str(titulo)), int(str(linha)))


def _read(position: Position, compared: Comparison) -> Iterator[tuple[_Part, bool]]:
    """Give every changed linha, and whether it is a transfer."""
    sided = [f"{name}_{side}" for name in _SIDED for side in ("a", "b")]
    changed = compared.mudadas.loc[compared.mudadas["tipo"].notna(), [*_READ, *sided]]
    for row in iter_records(changed):
        side = "b" if row["em_b"] else "a"
        labels = (position if row["em_b"] else compared).rotulos
        yield (
            _Part(
                tipo=row["tipo"],
                linha_id=int(row["linha_id"]),
                titulo_id=number_or_none(row[f"titulo_id_{side}"]),
                grupo_id=number_or_none(row[f"grupo_id_{side}"]),
                texto=str(row[f"descricao_{side}"] or labels.categoria(row[f"categoria_id_{side}"])),
                antes=number_or_none(row["valor_centavos_a"]) or 0,
                depois=number_or_none(row["valor_centavos_b"]) or 0,
                venceu=as_date(row["data_vencimento_a"]),
                vence=as_date(row["data_vencimento_b"]),
                impacto=int(row["impacto_aberto_centavos"]),
                existe=bool(row["em_b"]),
                aberto=bool(row["em_b"] and not row["pago_b"]),
            ),
            bool(row[f"transferencia_{side}"]),
        )


def _split(
    changes: Iterator[tuple[_Part, bool]], last: date
) -> tuple[list[_Sentence], list[_Sentence], list[_Sentence]]:
    """Put each changed linha in one sentence: settled, of a series, or left over."""
    settled: dict[str, list[_Part]] = {}
    series: dict[tuple[str, int], list[_Part]] = {}
    moved: list[_Part] = []
    for part, transfer in changes:
        if transfer:
            moved.append(part)
        elif part.depois and (part.tipo == LIQUIDADO or (part.tipo == NOVO and not part.aberto)):
            settled.setdefault(RECEBIDO if part.depois > 0 else PAGO, []).append(part)
        elif part.grupo_id is not None:
            series.setdefault(("grupo", part.grupo_id), []).append(part)
        else:
            key = part.linha_id if part.titulo_id is None else part.titulo_id
            series.setdefault(("titulo", key), []).append(part)
    told = [_tell_series(parts, last) for parts in series.values()]
    told.sort(key=lambda pair: (pair[0].rank, -abs(pair[0].valor or 0), pair[0].frase))
    own = [pair for pair in told if pair[0].valor][:TOP]
    kept = {id(parts) for _, parts in own}
    left = [part for _, parts in told if id(parts) not in kept for part in parts]
    return (
        [_tell_settled(tipo, parts) for tipo, parts in settled.items()],
        [sentence for sentence, _ in own],
        [*_tell_rest(left), *_tell_transfers(moved)],
    )


def _tell_settled(tipo: str, parts: Sequence[_Part]) -> _Sentence:
    new = sum(part.tipo == NOVO for part in parts)
    whole = new == len(parts)
    nouns = ("lançamento novo", "lançamentos novos") if whole else ("lançamento", "lançamentos")
    text = f"{tipo.capitalize()}: {count_text(len(parts), *nouns)}"
    if new and not whole:
        text += f", {count_text(new, 'deles novo', 'deles novos')}"
    return _sum(1, tipo, text, parts, valor=sum(part.depois for part in parts))


def _sum(rank: int, tipo: str, text: str, parts: Sequence[_Part], *, valor: int | None) -> _Sentence:
    return _Sentence(rank, tipo, text, valor, len(parts), sum(part.impacto for part in parts))


def _tell_series(parts: list[_Part], last: date) -> tuple[_Sentence, list[_Part]]:
    """Write the sentence of a series or of one título: the change in open value, else the amount that moves."""
    valor: int | None = sum(part.impacto for part in parts)
    if not valor:
        valor = sum(part.depois for part in parts if part.tipo == "VENCIMENTO" and part.aberto)
    days = tuple(sorted(part.due for part in parts if part.due is not None))
    near = any(day <= last for day in days)
    # The carrier of what still exists leads to Lançamentos.
    first = min(parts, key=lambda part: (not part.existe, -abs(part.depois or part.antes), part.linha_id))
    kinds = [tipo for tipo in TYPES if any(part.tipo == tipo for part in parts)]
    text = f"{first.texto}: {_say(parts, kinds, days)}"
    impact = sum(part.impacto for part in parts)
    return _Sentence(0 if near else 3, kinds[0], text, valor, len(parts), impact, days, near, first), parts


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
    was, now = (sum(amounts) for amounts in ((part.antes for part in parts), (part.depois for part in parts)))
    due = None if first.due is None else format_date(first.due)
    if kind == NOVO:
        return "lançamento novo" + (f", vence em {due}" if due else "")
    if kind == EXCLUIDO:
        return "lançamento excluído" + (f", vencia em {due}" if due else "")
    if kind == ESTORNADO:
        return "baixa desfeita" + (f", venceu em {due}" if due else "")
    if kind == "VALOR":
        return f"valor de {format_brl(to_decimal(was))} para {format_brl(to_decimal(now))}"
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
            yield _sum(4, kind, text, parts, valor=sum(part.impacto for part in parts))


def _tell_transfers(moved: Sequence[_Part]) -> Iterator[_Sentence]:
    if moved:
        text = f"Transferências entre contas: {count_text(len(moved), 'lançamento', 'lançamentos')}"
        yield _sum(5, TRANSFERENCIA, text, moved, valor=None)


def _newly_late(position: Position, compared: Comparison) -> Iterator[_Sentence]:
    """Tell what fell due since and is still open, without what can be paid without charges (vencido efetivo)."""
    known, late = set(compared.vencidos["titulo_id"].tolist()), find_late(position)
    late = late[~late["titulo_id"].isin(known)]
    texts: Mapping[str, tuple[str, str]] = {
        "R": (VENCEU_RECEBER, "Venceu e não foi recebido"),
        "P": (VENCEU_PAGAR, "Venceu e não foi pago"),
    }
    for tipo, (name, words) in texts.items():
        chosen = late[late["tipo"] == tipo]
        if len(chosen):
            text = f"{words}: {count_text(len(chosen), 'título', 'títulos')}"
            yield _Sentence(2, name, text, int(chosen["valor_centavos"].sum()), len(chosen), 0)
