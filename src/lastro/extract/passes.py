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

A doubtful round is read again, at most `MAX_PASSES` in all, then the run fails (`IncompletePass`) and nothing is
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
from typing import Final, Literal

Ruling = Literal["provada", "mudou durante a leitura", "incompleta"]
Ground = Literal["contagem", "duas passadas idênticas", "resposta única"]

MAX_PASSES: Final = 5
SLACK_SECONDS: Final = 5
"""How far the clock that stamps `modified` may lag behind the one that stamps `Date`."""
FUTURE_HOURS: Final = 14
"""A `modified` further ahead than any time zone explains says nothing about this round."""


@dataclass(frozen=True, kw_only=True)
class Passada:
    """One row of `ops.passadas`: one attempt to read one listing. The fields are the columns.

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
        reparados: characters that are a guess, because they came as no UTF-8.
    """

    lista: str
    conta_id: int | None = None
    passada: int = 1
    contagem_antes: int | None = None
    paginas: int
    linhas_recebidas: int
    ids_distintos: int
    repetidas: int
    rejeitadas: int
    contagem_depois: int | None = None
    veredito: Ruling
    prova: Ground | None
    motivo: str = ""
    requisicoes: int
    iniciada_em: datetime
    terminada_em: datetime
    reparados: int = 0


class Progress:
    """What a reader tells whoever shows progress, and nothing comes of it here.

    `wait` may come from any thread, the others from the caller's.
    """

    def start(self, name: str, conta_id: int | None, total: int | None) -> None:
        """A listing of `total` rows (None: unknown) begins; or what a later stage does, which has none."""

    def advance(self, pages: int, rows: int) -> None:
        """So many more pages and rows have come."""

    def wait(self, seconds: float, why: str) -> None:
        """The next request is held back for so long, and why (pt-BR): request limits, or what the service answered."""

    def finish(self) -> None:
        """It ends."""

    def tell(self, text: str) -> None:
        """Something happened that a person should know (pt-BR), and the run goes on."""


SILENT: Final = Progress()
"""Shows nothing."""


@dataclass(frozen=True)
class Evidence:
    """What one attempt at one listing showed.

    Attributes:
        count_before, count_after: None where the service gives no readable count.
        rows: distinct rows: different ids plus elements without one.
        repeated: elements whose id had come before, planned overlap apart.
        unknown: rows not known from an earlier reading of the same listing.
        confirmed: those among them that the pages skipped and that were asked for one by one.
        recent: unknown rows whose `modified` is not older than the first count.
        has_clock: whether `modified` can be compared with the service's clock at all.
        overlapped: every page begins with the last row of the one before, and the last one shows the end.
        end: rows up to the end that the last page showed, None when it did not show one.
        breaks: pages that did not, at the first asking, continue the one before and come whole.
        page_repeated: a page brought only rows that had come before, also when asked for again.
        identical: the round before read exactly the same rows; None when there was none.
        doubts: further witnesses against it, in words.
    """

    count_before: int | None
    count_after: int | None
    rows: int
    repeated: int = 0
    unknown: int = 0
    confirmed: int = 0
    recent: int = 0
    has_clock: bool = True
    overlapped: bool = True
    end: int | None = None
    breaks: int = 0
    page_repeated: bool = False
    identical: bool | None = None
    doubts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """The judgement of an `Evidence`: `veredito`, `prova` and `motivo` of a `Passada`, in printed words."""

    ruling: Ruling
    ground: Ground | None
    reason: str

    @property
    def proved(self) -> bool:
        """Whether the listing is proved complete."""
        return self.ruling == "provada"


def judge_pass(evidence: Evidence, *, partial_overlap: bool = False) -> Verdict:  # noqa: C901 - the rules in their order
    """Judge one attempt at one listing by the rules of the module docstring (S13).

    Args:
        partial_overlap: accept a listing that has no `modified` at all although its pages could not all overlap within
            the request budget (charges beyond about a hundred pages).

    >>> judge_pass(Evidence(3, 3, 3)).ruling, judge_pass(Evidence(3, 3, 2)).ruling, judge_pass(Evidence(3, 4, 3)).ruling
    ('provada', 'incompleta', 'mudou durante a leitura')
    """
    e = evidence
    if e.page_repeated:
        return Verdict("incompleta", None, "o serviço repete uma página: ignora start ou serve cópia antiga")
    if e.repeated and e.unknown:
        return Verdict("mudou durante a leitura", None, f"{e.repeated} linha(s) vieram duas vezes")
    if e.count_before is None or e.count_after is None:
        if e.doubts or e.repeated:
            return Verdict("mudou durante a leitura", None, "; ".join(e.doubts) or "linhas vieram duas vezes")
        if e.identical:
            return Verdict("provada", "duas passadas idênticas", "")
        if e.identical is None:
            return Verdict("incompleta", None, "sem contagem: falta uma segunda passada idêntica")
        return Verdict("mudou durante a leitura", None, "sem contagem: duas passadas seguidas diferem")
    counts = f"contagem antes {e.count_before}, linhas lidas {e.rows}, contagem depois {e.count_after}"
    if e.count_before != e.count_after or e.end not in {None, e.count_before}:
        return Verdict("mudou durante a leitura", None, counts)
    if e.rows != e.count_before:
        return Verdict("incompleta" if e.rows < e.count_before else "mudou durante a leitura", None, counts)
    if e.doubts:
        return Verdict("mudou durante a leitura", None, "; ".join(e.doubts))
    if e.unknown == 0:
        confirmed = f"{e.confirmed} linha(s) puladas pelas páginas, confirmadas uma a uma" if e.confirmed else ""
        return Verdict("provada", "contagem", confirmed)
    if e.has_clock and e.recent:
        return Verdict("mudou durante a leitura", None, f"{e.recent} linha(s) criadas ou alteradas durante a leitura")
    if e.breaks:
        return Verdict("mudou durante a leitura", None, f"{e.breaks} página(s) não continuaram a anterior")
    if e.overlapped or e.has_clock or partial_overlap:
        return Verdict("provada", "contagem", "")
    return Verdict("incompleta", None, "sem data de alteração utilizável nem sobreposição: falta uma segunda passada")
