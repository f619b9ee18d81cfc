"""Read the entries of every account as of one moment, the accounts that only show while reading, and PA/RA (V09)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final

from lastro.api.client import Answer, Client, Refused
from lastro.api.endpoints import LANCAMENTOS, PAGE_LANCAMENTOS, TRANSFERENCIAS, Endpoint
from lastro.api.paging import parse_id
from lastro.errors import ApiRejected, ApiUnavailable
from lastro.extract.counts import read_id
from lastro.extract.landing import PageFile, land_answers
from lastro.extract.passes import Passada
from lastro.extract.plan import MAX_TRANSFERS, Composto, Noticed, find_missing_pairs
from lastro.extract.rounds import AccountListing, RoundReader, prove
from lastro.extract.source import Source

_ROUND_PAGE: Final = 50
"""A short answer of a multiple of this many rows may be a server's own page size rather than the end."""
_TRANSFER_ATTEMPTS: Final = 4


@dataclass(frozen=True)
class LancamentosRead:
    """Entries of every account, as of one moment.

    Attributes:
        passadas: every attempt, the proved ones last; with `with_overdue` also those of PA and RA.
        found_accounts: accounts read that were not asked for -> where they were seen.
        refused_accounts: accounts seen whose listing the service refuses -> what it answered.
        compostos: composite entries, for `choose_composites`.
        ids: conta_id -> ids of its rows; may be given as `known_ids` to the next run.
    """

    passadas: tuple[Passada, ...]
    found_accounts: Mapping[int, str]
    refused_accounts: Mapping[int, str]
    compostos: tuple[Composto, ...]
    ids: Mapping[int, frozenset[int]]


class _Lancamentos:
    """The state of one reading of entries: its listings by account and what their rows point at."""

    def __init__(
        self,
        client: Client,
        endpoint: Endpoint,
        window: tuple[date, date] | None,
        contas: Sequence[int],
        candidates: Mapping[int, str],
        known_ids: Mapping[int, Collection[int]],
        today: str,
    ) -> None:
        self._client, self._endpoint, self._today = client, endpoint, today
        self._window = window
        self._filters = {} if window is None else {"data_inicio": str(window[0]), "data_fim": str(window[1])}
        self.configured = tuple(dict.fromkeys(contas))
        self._known_ids = known_ids
        self._offered: dict[int, AccountListing] = {}
        self._origins: dict[int, str] = {}
        self._asked: set[int] = set()
        self.noticed: dict[int, Noticed] = {}
        self.transferencias: dict[int, Answer] = {}
        self.listings = [self._list(conta) for conta in self.configured]
        self._candidates = {conta: origin for conta, origin in candidates.items() if conta not in self.configured}

    def _list(self, conta: int) -> AccountListing:
        def observe() -> Callable[[Any, int], None]:
            """Begin to notice the rows of the account afresh."""
            noticed = self.noticed[conta] = Noticed(self._today)
            return noticed.note

        return AccountListing(
            "lancamentos" if self._window is None else "lancamentos:janela",
            f"lancamentos-{conta}",
            self._endpoint,
            {"conta_id": conta, **self._filters},
            observe,
            conta_id=conta,
            known_ids=set(self._known_ids.get(conta, ())),
        )

    def discover(self) -> list[AccountListing]:
        """Offer the accounts that were seen and not offered yet."""
        self._look_at_rows()
        if not self._candidates and self._window is None:
            self._look_up_transfer()
        listings = [self._list(conta) for conta in sorted(self._candidates)]
        self._offered.update(zip(sorted(self._candidates), listings, strict=True))
        self._origins.update(self._candidates)
        self._candidates = {}
        return listings

    @property
    def is_whole(self) -> bool:
        """Whether all entries are read, not a window of them."""
        return self._window is None

    @property
    def found(self) -> dict[int, str]:
        """Accounts read that were not asked for -> where they were seen."""
        return {c: self._origins[c] for c, listing in self._offered.items() if listing.refused is None}

    @property
    def refused(self) -> dict[int, str]:
        """Accounts seen whose listing the service refuses -> what it answered."""
        return {
            c: f"HTTP {listing.refused} ({self._origins[c]})"
            for c, listing in self._offered.items()
            if listing.refused is not None
        }

    def _is_settled(self, conta: int) -> bool:
        return conta in self._offered or conta in self.configured

    def _look_at_rows(self) -> None:
        for noticed in self.noticed.values():
            for conta in noticed.contas:
                if not self._is_settled(conta):
                    self._candidates.setdefault(conta, "lançamentos")

    def find_missing_pairs(self) -> list[int]:
        """Find the transfer legs whose other leg is in no listing."""
        read: set[int] = set().union(*(listing.round.brought.ids for listing in self.listings))
        pairs = {leg: pair for noticed in self.noticed.values() for leg, pair in noticed.pairs.items()}
        return find_missing_pairs(pairs, read)

    def _look_up_transfer(self) -> None:
        """Look up legs without their other leg until one leads to an account not read yet."""
        for leg in self.find_missing_pairs():
            if len(self._asked) >= MAX_TRANSFERS:
                return
            if leg in self._asked:
                continue
            self._asked.add(leg)
            try:
                answer = self._client.get_json(f"{TRANSFERENCIAS.path}/{leg}", probe=True, attempts=_TRANSFER_ATTEMPTS)
            except (Refused, ApiUnavailable):
                continue
            self.transferencias[leg] = answer
            for conta in _list_contas(answer.value):
                if not self._is_settled(conta):
                    self._candidates[conta] = "transferências"
            if self._candidates:
                return

    def doubt_ids_in_two_accounts(self) -> None:
        """Doubt every account that shares an id with another: the row moved while they were being read."""
        owner: dict[int, AccountListing] = {}
        for listing in self.listings:
            for other in {id(owner[i]): owner[i] for i in listing.round.brought.ids & owner.keys()}.values():
                for doubted in (listing, other):
                    doubted.round.doubts.append("uma linha veio em duas contas: mudou de conta durante a leitura")
            owner.update(dict.fromkeys(listing.round.brought.ids, listing))

    def doubt_missing_legs(self) -> None:
        """Doubt an account of which a transfer's own answer shows a leg that its listing lacks."""
        by_conta = {listing.conta_id: listing for listing in self.listings}
        for answer in self.transferencias.values():
            for record in answer.value if isinstance(answer.value, list) else ():
                if not isinstance(record, dict):
                    continue
                conta, leg = parse_id(record.get("conta_id")), parse_id(record.get("id"))
                listing = None if conta is None else by_conta.get(conta)
                if listing is not None and leg is not None and leg not in listing.round.brought.ids:
                    listing.round.doubts.append("falta a outra perna de uma transferência desta conta")


def read_lancamentos(
    source: Source,
    contas: Sequence[int],
    *,
    candidates: Mapping[int, str],
    known_ids: Mapping[int, Collection[int]],
    with_overdue: bool,
    window: tuple[date, date] | None,
    today: date,
    page_size: int = PAGE_LANCAMENTOS,
) -> LancamentosRead:
    """Read the entries of every account as of one moment, proved (S13), into `lancamentos-<conta>` files.

    Accounts that are not configured but seen (`candidates`, the `conta_id` of rows, the other leg of transfers) are
    read in the same round. The transfers looked up for that land in `transferencias`.

    Args:
        source: what is read, and where the files go.
        contas: configured accounts.
        candidates: further account ids -> where they were seen (account list, charges).
        known_ids: conta_id -> ids of its rows in the last complete run; saves rounds while entries are being changed.
        with_overdue: read PA and RA within the same bracket of counts (files `vencidos-PA-<conta>`,
            `vencidos-RA-<conta>`), for V09 (S16) and as a further witness.
        window: first and last caixa date to read (due date of open entries, payment date of settled ones), for a hot
            run; such listings are called `lancamentos:janela`, prove nothing about what lies outside, and no
            transfer is looked up for its other leg. None reads everything.
        today: the service's present date: fewer overdue rows than the listing shows by it are asked for once more,
            because an answer may come cut short.
        page_size: rows to ask for at once, at most 500.

    Raises:
        UnprovedPass: when no round closed.
        ApiRejected: when a configured account does not exist, or the token is refused.
        ApiUnavailable, SchemaDrift, StorageError: from the reading.
    """
    endpoint = replace(LANCAMENTOS, page=page_size)
    state = _Lancamentos(source.client, endpoint, window, contas, candidates, known_ids, today.isoformat())
    overdue: list[Passada] = []
    with source.reading() as pool:
        reader = RoundReader(source, pool)

        def witness(round_number: int) -> None:
            state.doubt_ids_in_two_accounts()
            if round_number == 1:  # what a second round shows again is how the service is, not a change
                state.doubt_missing_legs()
            if with_overdue:
                overdue[:] = _witness_overdue(state, reader, round_number)

        try:
            prove(reader, state.listings, discover=state.discover, witness=witness)
        except Refused as refused:
            raise _name_account(refused, state.configured, source.client) from None
        land_answers(source.folder, "transferencias", state.transferencias.values())
    read = LancamentosRead(
        passadas=tuple([p for listing in state.listings for p in listing.passadas] + overdue),
        found_accounts=state.found,
        refused_accounts=state.refused,
        compostos=tuple(composto for noticed in state.noticed.values() for composto in noticed.list_compostos()),
        ids={listing.conta_id: frozenset(listing.round.brought.ids) for listing in state.listings},
    )
    state.listings.clear()  # each knows who listed it: a circle, which would keep the ids of all rows
    return read


def _name_account(refused: Refused, contas: Iterable[int], client: Client) -> ApiRejected:
    """Say which configured account the service refuses."""
    bad = []
    for conta in contas:
        try:
            client.get_json(LANCAMENTOS.path, {"conta_id": conta, "limit": 1}, probe=True)
        except Refused:
            bad.append(str(conta))
        except ApiUnavailable:
            return refused
    if not bad:
        return refused
    return ApiRejected(
        f"{LANCAMENTOS.path}: o serviço recusa (HTTP {refused.status}) os lançamentos de conta_id {', '.join(bad)}. "
        "Corrija ou tire de [[empresa.conta]] (LASTRO_CONTAS), ou confira base_url"
    )


def _witness_overdue(state: _Lancamentos, reader: RoundReader, round_number: int) -> list[Passada]:
    """Read PA and RA of every account; an overdue row that the account's listing lacks makes it doubtful."""
    capacity = max((listing.round.brought.largest_page for listing in state.listings), default=0)
    wanted = [(listing, tipo) for listing in state.listings for tipo in ("PA", "RA")]

    def read(asked: tuple[AccountListing, str]) -> tuple[Passada, set[int]]:
        listing, tipo = asked
        return _read_overdue(
            reader.source,
            listing.conta_id,
            tipo,
            capacity=capacity,
            most=listing.round.brought.rows if state.is_whole else None,
            expected=state.noticed[listing.conta_id].overdue[tipo],
        )

    passadas = []
    for (listing, tipo), (passada, ids) in zip(wanted, reader.pool.map(read, wanted), strict=True):
        passadas.append(replace(passada, passada=round_number))
        if ids - listing.round.brought.ids and round_number == 1 and state.is_whole:
            listing.round.doubts.append(f"tipo={tipo} mostra linhas que a listagem não tem")
    return passadas


def _read_overdue(
    source: Source,
    conta: int,
    tipo: str,
    *,
    capacity: int,
    most: int | None,
    expected: int,
) -> tuple[Passada, set[int]]:
    """Read one overdue listing until an answer is shorter than the longest that the service has sent.

    Args:
        source: what is read, and where the file goes.
        tipo: `PA` or `RA`.
        capacity: most rows that the service has sent in one answer of the account's listing, 0 when unknown.
        most: rows of the account's listing, of which the overdue ones are a part; None when unknown.
        expected: rows that the account's listing shows as overdue: fewer may be an answer cut short.
    """
    client = source.client
    began, sent = source.clock(), client.requests_here
    ids: set[int] = set()
    received = rejected = repeated = pages = 0
    with PageFile(source.folder, f"vencidos-{tipo}-{conta}", conta) as file:
        while most != 0:  # of a listing that is proved empty nothing is overdue
            params: dict[str, str | int] = {
                "conta_id": conta,
                "tipo": tipo,
                "limit": PAGE_LANCAMENTOS,
                "start": received,
            }
            answer = client.get_json(LANCAMENTOS.path, params, shape="list")
            rows = answer.value
            if not rows:
                break
            fresh = {row_id for row_id in map(read_id, rows) if row_id is not None}
            if received and fresh and fresh <= ids:
                break  # the same page again: the service does not page this listing
            file.add(answer)
            rejected += sum(read_id(row) is None for row in rows)
            repeated += len(rows) - sum(read_id(row) is None for row in rows) - len(fresh - ids)
            ids |= fresh
            received += len(rows)
            pages += 1
            whole = len(rows) < capacity or (capacity == 0 and len(rows) % _ROUND_PAGE != 0)
            if (whole and received >= expected) or received == most:
                break
        file.commit()
    passada = Passada(
        lista=f"vencidos-{tipo}",
        conta_id=conta,
        paginas=pages,
        linhas_recebidas=received,
        ids_distintos=len(ids),
        repetidas=repeated,
        rejeitadas=rejected,
        veredito="provada",
        prova="resposta única",
        requisicoes=client.requests_here - sent,
        iniciada_em=began,
        terminada_em=source.clock(),
    )
    return passada, ids


def _list_contas(value: Any) -> list[int]:
    """List the accounts that the records of an array name."""
    records = value if isinstance(value, list) else ()
    contas = (parse_id(record.get("conta_id")) for record in records if isinstance(record, dict))
    return [conta for conta in contas if conta is not None]
