"""A notice in words: one message for all that is new, company by company, and all that is good again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from lastro.grid.words import count_text, format_moment
from lastro.operation.causes import Cause

MOST_SHOWN = 40
"""Causes that one message spells out; of those beyond it only the titles."""


@dataclass(frozen=True)
class Told:
    """A cause that a channel was told, as the record of the home has it.

    Attributes:
        key: what it is remembered by: whose, what, and its mark.
        dia: last day on which it was told.
        em_ordem: whether it was told since that it is good again.
        title: in a line.
        desde: since when it was known, UTC.
    """

    key: str
    dia: str
    em_ordem: bool
    title: str
    desde: datetime

    @property
    def empresa(self) -> str:
        """Whose."""
        return self.key.split("|")[0]

    @property
    def kind(self) -> str:
        """What."""
        return self.key.split("|")[1]


@dataclass(frozen=True)
class Notice:
    """One message.

    Attributes:
        assunto: its subject.
        texto: the message; both as they come: a channel makes of them what it can carry.
    """

    assunto: str
    texto: str


def compose(news: Sequence[Cause], good: Sequence[Told], fuso: str, now: datetime, host: str) -> Notice:
    """Write the message.

    Args:
        news: what is wrong and was not told today.
        good: what was told and is good again.
        fuso: zone in which moments are told.
        now: the clock, UTC.
        host: name of the machine that tells.
    """
    titles = [cause.title for cause in news] or [f"em ordem: {each.title}" for each in good]
    more = len(titles) - 1
    subject = f"[lastro] {titles[0]}" + (f" (e mais {more})" if more else "")
    blocks = [_write_cause(cause, fuso) for cause in news[:MOST_SHOWN]]
    if len(news) > MOST_SHOWN:
        blocks.append("E ainda:\n" + "\n".join(f"- {cause.title}" for cause in news[MOST_SHOWN:]))
    if good:
        lines = [f"- {each.title} (desde {format_moment(each.desde, fuso)})" for each in good]
        blocks.append("De novo em ordem:\n" + "\n".join(lines))
    blocks.append(
        f"Enviado por lastro em {host}, {format_moment(now, fuso)}. Cada causa é avisada uma vez por dia. "
        "Quadro de todas as empresas: lastro estado"
    )
    return Notice(subject[:200], "\n\n".join(blocks) + "\n")


def compose_page(page: Cause, fuso: str, now: datetime, host: str) -> Notice:
    """Write the message that carries the page of a company: as of when and how far to trust it, then its parts."""
    text = f"{page.hoje}\n\n{page.houve}\n\nEnviado por lastro em {host}, {format_moment(now, fuso)}.\n"
    return Notice(f"[lastro] {page.title}"[:200], text)


def compose_rehearsal(fuso: str, now: datetime, host: str) -> Notice:
    """Write the message of a rehearsal (`lastro doctor --testar-avisos`)."""
    text = (
        "Este é um ensaio: nada aconteceu. Quando algo falhar, ficar retido ou atrasar, o aviso chega por aqui, com o "
        f"que fazer.\n\nEnviado por lastro em {host}, {format_moment(now, fuso)}.\n"
    )
    return Notice("[lastro] ensaio de aviso", text)


def _write_cause(cause: Cause, fuso: str) -> str:
    lines = [cause.title, f"  O que houve: {cause.houve}"]
    if cause.desde is not None:
        lines.append(f"  Desde: {format_moment(cause.desde, fuso)}")
    if cause.de_novo is not None:
        lines.append(f"  Próxima tentativa, por si mesma: {format_moment(cause.de_novo, fuso)}")
    lines += [
        f"  Números de hoje: {cause.hoje}",
        f"  O que fazer: {cause.fazer}",
        f"  Mais: lastro manual {cause.tema!r}" if " " in cause.tema else f"  Mais: lastro manual {cause.tema}",
    ]
    return "\n".join(lines)


def describe_count(news: Sequence[Cause], good: Sequence[Told]) -> str:
    """Say how much a message told."""
    return f"{count_text(len(news), 'causa', 'causas')}, {len(good)} de novo em ordem"
