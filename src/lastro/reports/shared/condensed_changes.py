"""What changed since the previous report, one sentence per series (R14): `mudancas_resumo`.

Belongs here: which changed linhas make one sentence, and its words. Does not belong here: what counts as a change
(`lastro.analysis.changes`) and how much of this the cover shows (`lastro.reports.cover.changes`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Final, NamedTuple

import pandas as pd

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
from lastro.analysis.frames import records_of
from lastro.grid.prints import Columns, Print
from lastro.grid.sections import Section
from lastro.grid.table_rows import Leads
from lastro.grid.words import count_text, format_date, month_label
from lastro.money import format_centavos_brl
from lastro.reports.printing import Tables, print_section
from lastro.reports.shared.drill_down import find_entries
from lastro.transform.position import as_date

if TYPE_CHECKING:
    from lastro.reports.view import View
    from lastro.transform.position import Position

NO_HISTORY: Final = "Disponível a partir da segunda execução"
"""What is said where no report came before."""
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
    return {"linha_id": view.kept(find_entries).lead("titulo_id", pd.Series(columns["titulo_id"], dtype="Int64"))}


def _say_map(view: View) -> Iterator[str]:
    compared = view.facts.comparacao
    if compared is not None and compared.remapeadas:
        moved = count_text(compared.remapeadas, "linha conta", "linhas contam")
        yield f"O mapa da DRE mudou: {moved} de outro modo. O relatório anterior é comparado pelo mapa de agora."


def print_sentences(view: View, tables: Tables) -> Section:
    """Print the sentences, or that nothing came before."""
    section = print_section(SENTENCES, tables, view)
    return section if view.facts.comparacao else replace(section, empty=f"{NO_HISTORY}.")


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
