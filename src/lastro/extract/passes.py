"""When is a listing proved complete? The certificate, the evidence and the verdict; pure.

Why the proof is right
----------------------
The service pages by offset over lists that shift while they are read, so a row can be skipped (something before it
left) or come twice (something before it came in) without any error. The document offers no snapshot, no cursor and no
"changed since". What it offers is `tipo_view=count`. One *round* therefore is: count every listing, read the pages of
every listing by rows received, count every listing again.

*Lemma.* Let T be the time of the first counts, S(a) the distinct rows read from listing a, n(a) its count at T. If
no row of S(a) came into a after T, and |S(a)| = n(a), then S(a) is exactly what a held at T: it is a subset of that
(every row read was there at T) and of the same size. Nothing is assumed about order, ties, deletions, or which page a
row was on. When it holds for every account of the round, the union is the company at the one moment T, so a row that
moves between accounts while they are being read is in exactly one of them.

That no row came in after T is shown by
  (a) every row having been seen in a before: in an earlier round of this run or in the last complete run; or, for the
      rows that were not, by (b) and (c) together:
  (b) their `modified` is older than T by the service's own clock (`Date`), less `SLACK_SECONDS`: a row that was
      created, moved or edited since is not. (Left out where `modified` is absent or not of this world.)
  (c) the pages are one unbroken chain: each begins with the last row of the one before, and the last one, asked beyond
      the end, shows an end at n(a). What leaves or enters the part already read shifts the next page and breaks it.
Further witnesses, each of which makes a round doubtful: a second count that differs, a repeated id, an id in two
accounts, an overdue row (PA/RA) or the other leg of a transfer that its account's listing lacks.

A doubtful round is read again, at most `MAX_PASSADAS` in all, then the run fails (`IncompletePass`) and nothing is
replaced; from the second round on, (a) holds for nearly every row. All accounts are read again, not only the doubtful
one: of two accounts read at different moments a row could have moved from the later into the earlier, and be in
neither.

A service that orders ties anew for every request skips and repeats rows without any change of the books. From the
second round on, a row that an earlier round saw and this one skipped is asked for by its id; if it is there and in the
same account, it was there at T as well (it was before, and is after), and counts as read.

Requests of a quiet account: ceil(N/500) pages, two counts, PA and RA. The chain needs room for one row per page; where
the fewest pages have none (N = 1,000), the request of the second count is spent on one page more, which is read last
of all and, reaching beyond the end, is a count itself.

Without a readable count two successive rounds with identical ids and contents are required. A row that lived through
both and is in neither was jumped in each: something before it left. What left in the first was read there and is
missing or changed in the second (the rounds differ), or it was that very row, moved twice.

What remains: with stamps that say nothing *and* several changes that cancel out at a page boundary, in both counts and
in the size of the listing, within one round, a row can be missed. Charges carry no stamps, and beyond about 7,000 of
them their budget (two pages more than the fewest) does not reach for a chain without gaps: there the counts decide.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, Protocol

Veredito = Literal["provada", "mudou durante a leitura", "incompleta"]
Prova = Literal["contagem", "duas passadas idênticas", "resposta única"]

MAX_PASSADAS: Final = 5
SLACK_SECONDS: Final = 5
"""How far the clock that stamps `modified` may lag behind the one that stamps `Date`."""
FUTURE_HOURS: Final = 14
"""A `modified` further ahead than any time zone explains says nothing about this round."""


@dataclass(frozen=True)
class Passada:
    """One row of `ops.passadas`: one attempt to read one listing.

    `linhas_recebidas` = `ids_distintos` + `repetidas` + `rejeitadas`, less what planned overlaps repeat; in a pass
    `provada` by count `contagem_antes` = `ids_distintos` + `rejeitadas` = `contagem_depois`, and `repetidas` = 0 unless
    the service orders ties anew for every request.

    Attributes:
        lista: name of the listing.
        conta_id: the account whose listing it is, None where there is no such thing.
        passada: number of the attempt, from 1.
        contagem_antes, contagem_depois: the service's counts, None where it gives none.
        paginas: pages landed.
        linhas_recebidas: elements received.
        ids_distintos: different record ids among them.
        repetidas: elements whose id had come before.
        rejeitadas: elements that are no object with a positive integer id; the loader may reject more.
        veredito: what the evidence says.
        prova: on which ground a pass is `provada`; None otherwise.
        motivo: why it is not, or what is worth knowing; Portuguese, empty when there is nothing to say.
        requisicoes: requests sent for it, retries included.
        iniciada_em, terminada_em: UTC.
    """

    lista: str
    conta_id: int | None
    passada: int
    contagem_antes: int | None
    paginas: int
    linhas_recebidas: int
    ids_distintos: int
    repetidas: int
    rejeitadas: int
    contagem_depois: int | None
    veredito: Veredito
    prova: Prova | None
    motivo: str
    requisicoes: int
    iniciada_em: datetime
    terminada_em: datetime


class Progress(Protocol):
    """What a reader tells whoever shows progress; `wait` may come from any thread, the others from the caller's."""

    def start(self, lista: str, conta_id: int | None, total: int | None) -> None:
        """A listing of `total` rows (None: unknown) begins."""

    def advance(self, paginas: int, linhas: int) -> None:
        """So many more pages and rows have come."""

    def wait(self, seconds: float) -> None:
        """The request limits hold the next request back for so long."""

    def finish(self) -> None:
        """The listing ends."""


class NoProgress:
    """Show nothing."""

    def start(self, lista: str, conta_id: int | None, total: int | None) -> None:
        """Ignore."""

    def advance(self, paginas: int, linhas: int) -> None:
        """Ignore."""

    def wait(self, seconds: float) -> None:
        """Ignore."""

    def finish(self) -> None:
        """Ignore."""


@dataclass(frozen=True)
class Evidence:
    """What one attempt at one listing showed.

    Attributes:
        contagem_antes, contagem_depois: None where the service gives no readable count.
        linhas: distinct rows: different ids plus elements without one.
        repetidas: elements whose id had come before, planned overlap apart.
        paginas: pages read.
        desconhecidas: rows not known from an earlier reading of the same listing.
        confirmadas: rows among `linhas` that the pages skipped and that were asked for one by one.
        recentes: those among them whose `modified` is not older than the first count.
        relogio: whether `modified` can be compared with the service's clock at all.
        sobreposicao: every page begins with the last row of the one before, and the last one shows the end.
        fim: rows up to the end that the last page showed, None when it did not show one.
        quebras: pages that did not, at the first asking, continue the one before and come whole.
        pagina_repetida: a page brought only rows that had come before, also when asked for again.
        identica: the round before read exactly the same rows; None when there was none.
        duvidas: further witnesses against it, in words.
    """

    contagem_antes: int | None
    contagem_depois: int | None
    linhas: int
    repetidas: int = 0
    paginas: int = 1
    desconhecidas: int = 0
    confirmadas: int = 0
    recentes: int = 0
    relogio: bool = True
    sobreposicao: bool = True
    fim: int | None = None
    quebras: int = 0
    pagina_repetida: bool = False
    identica: bool | None = None
    duvidas: tuple[str, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """The judgement of an `Evidence`; `motivo` in Portuguese, because it is printed."""

    veredito: Veredito
    prova: Prova | None
    motivo: str

    @property
    def proved(self) -> bool:
        """Whether the listing is proved complete."""
        return self.veredito == "provada"


def judge(evidence: Evidence, *, partial_overlap: bool = False) -> Verdict:
    """Judge one attempt at one listing by the rules of the module docstring (S13).

    Args:
        evidence: what it showed.
        partial_overlap: accept a listing that has no `modified` at all although its pages could not all overlap within
            the request budget (charges beyond about a hundred pages).

    >>> judge(Evidence(3, 3, 3)).veredito, judge(Evidence(3, 3, 2)).veredito, judge(Evidence(3, 4, 3)).veredito
    ('provada', 'incompleta', 'mudou durante a leitura')
    """
    e = evidence
    if e.pagina_repetida:
        return Verdict("incompleta", None, "o serviço repete uma página: ignora start ou serve cópia antiga")
    if e.repetidas and e.desconhecidas:
        return Verdict("mudou durante a leitura", None, f"{e.repetidas} linha(s) vieram duas vezes")
    if e.contagem_antes is None or e.contagem_depois is None:
        if e.duvidas or e.repetidas:
            return Verdict("mudou durante a leitura", None, "; ".join(e.duvidas) or "linhas vieram duas vezes")
        if e.identica:
            return Verdict("provada", "duas passadas idênticas", "")
        if e.identica is None:
            return Verdict("incompleta", None, "sem contagem: falta uma segunda passada idêntica")
        return Verdict("mudou durante a leitura", None, "sem contagem: duas passadas seguidas diferem")
    counts = f"contagem antes {e.contagem_antes}, linhas lidas {e.linhas}, contagem depois {e.contagem_depois}"
    if e.contagem_antes != e.contagem_depois or e.fim not in {None, e.contagem_antes}:
        return Verdict("mudou durante a leitura", None, counts)
    if e.linhas != e.contagem_antes:
        return Verdict("incompleta" if e.linhas < e.contagem_antes else "mudou durante a leitura", None, counts)
    if e.duvidas:
        return Verdict("mudou durante a leitura", None, "; ".join(e.duvidas))
    if e.desconhecidas == 0:
        confirmed = f"{e.confirmadas} linha(s) puladas pelas páginas, confirmadas uma a uma" if e.confirmadas else ""
        return Verdict("provada", "contagem", confirmed)
    if e.relogio and e.recentes:
        return Verdict("mudou durante a leitura", None, f"{e.recentes} linha(s) criadas ou alteradas durante a leitura")
    if e.quebras:
        return Verdict("mudou durante a leitura", None, f"{e.quebras} página(s) não continuaram a anterior")
    if e.sobreposicao or e.relogio or partial_overlap:
        return Verdict("provada", "contagem", "")
    return Verdict("incompleta", None, "sem data de alteração utilizável nem sobreposição: falta uma segunda passada")
