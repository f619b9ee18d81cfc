"""Read the entries of every account as of one moment, the accounts that only show while reading, and PA/RA (V09)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path
from typing import Any, Final

from lastro.api.client import Answer, Client, Refused
from lastro.api.endpoints import LANCAMENTOS, PAGE_LANCAMENTOS, TRANSFERENCIAS, Endpoint
from lastro.api.paging import parse_id
from lastro.errors import ApiRejected, ApiUnavailable
from lastro.extract.landing import PageFile, land_answers
from lastro.extract.listing import read_id, utc_now
from lastro.extract.passes import NoProgress, Passada, Progress
from lastro.extract.plan import MAX_TRANSFERS, Composto, Noticed, find_missing_pairs
from lastro.extract.rounds import Listing, Reader, prove, reading

_ROUND_PAGE: Final = 50
"""A short answer of a multiple of this many rows may be a server's own page size rather than the end."""
_TRANSFER_ATTEMPTS: Final = 4


@dataclass(frozen=True)
class LancamentosRead:
    """Entries of every account, as of one moment.

    Attributes:
        passadas: every attempt, the proved ones last; with `vencidos` also those of PA and RA.
        contas_encontradas: accounts read that were not asked for -> where they were seen.
        contas_recusadas: accounts seen whose listing the service refuses -> what it answered.
        compostos: composite entries, for `choose_composites`.
        anexos: ids of attachments.
        ids: conta_id -> ids of its rows; may be given as `conhecidos` to the next run.
        sem_par: ids of transfer legs whose other leg is in no listing.
        maior_pagina: most rows that one answer held: what the service is able to send.
    """

    passadas: tuple[Passada, ...]
    contas_encontradas: Mapping[int, str]
    contas_recusadas: Mapping[int, str]
    compostos: tuple[Composto, ...]
    anexos: frozenset[int]
    ids: Mapping[int, frozenset[int]]
    sem_par: tuple[int, ...]
    maior_pagina: int


class _Lancamentos:
    """The state of one reading of entries: its listings by account and what their rows point at."""

    def __init__(
        self,
        client: Client,
        endpoint: Endpoint,
        janela: tuple[date, date] | None,
        contas: Sequence[int],
        candidatas: Mapping[int, str],
        conhecidos: Mapping[int, Collection[int]],
        hoje: str,
    ) -> None:
        self._client, self._endpoint, self._hoje = client, endpoint, hoje
        self._janela = janela
        self._filtro = {} if janela is None else {"data_inicio": str(janela[0]), "data_fim": str(janela[1])}
        self.configuradas = tuple(dict.fromkeys(contas))
        self._conhecidos = conhecidos
        self._offered: dict[int, Listing] = {}
        self._origens: dict[int, str] = {}
        self._asked: set[int] = set()
        self.noticed: dict[int, Noticed] = {}
        self.transferencias: dict[int, Answer] = {}
        self.listings = [self._list(conta) for conta in self.configuradas]
        self._candidatas = {conta: origem for conta, origem in candidatas.items() if conta not in self.configuradas}

    def _list(self, conta: int) -> Listing:
        return Listing(
            "lancamentos" if self._janela is None else "lancamentos:janela",
            f"lancamentos-{conta}",
            self._endpoint,
            {"conta_id": conta, **self._filtro},
            conta_id=conta,
            conhecidas=set(self._conhecidos.get(conta, ())),
        )

    def observe(self, listing: Listing) -> Callable[[Any, int], None]:
        """Begin to notice the rows of one account afresh."""
        noticed = Noticed(self._hoje)
        assert listing.conta_id is not None  # noqa: S101 (entries are always listed by account)
        self.noticed[listing.conta_id] = noticed
        return noticed.note

    def discover(self) -> list[Listing]:
        """Offer the accounts that were seen and not offered yet."""
        self._look_at_rows()
        if not self._candidatas and self._janela is None:
            self._look_up_transfer()
        found = [self._list(conta) for conta in sorted(self._candidatas)]
        self._offered.update(zip(sorted(self._candidatas), found, strict=True))
        self._origens.update(self._candidatas)
        self._candidatas = {}
        return found

    @property
    def is_whole(self) -> bool:
        """Whether all entries are read, not a window of them."""
        return self._janela is None

    @property
    def encontradas(self) -> dict[int, str]:
        """Accounts read that were not asked for -> where they were seen."""
        return {c: self._origens[c] for c, listing in self._offered.items() if listing.recusada is None}

    @property
    def recusadas(self) -> dict[int, str]:
        """Accounts seen whose listing the service refuses -> what it answered."""
        return {
            c: f"HTTP {listing.recusada} ({self._origens[c]})"
            for c, listing in self._offered.items()
            if listing.recusada is not None
        }

    def _is_settled(self, conta: int) -> bool:
        return conta in self._offered or conta in self.configuradas

    def _look_at_rows(self) -> None:
        for noticed in self.noticed.values():
            for conta in noticed.contas:
                if not self._is_settled(conta):
                    self._candidatas.setdefault(conta, "lançamentos")

    def find_missing_pairs(self) -> list[int]:
        """Find the transfer legs whose other leg is in no listing."""
        lidas: set[int] = set().union(*(listing.tally.ids for listing in self.listings))
        pares = {leg: pair for noticed in self.noticed.values() for leg, pair in noticed.pares.items()}
        return find_missing_pairs(pares, lidas)

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
                    self._candidatas[conta] = "transferências"
            if self._candidatas:
                return

    def doubt_ids_in_two_accounts(self) -> None:
        """Doubt every account that shares an id with another: the row moved while they were being read."""
        owner: dict[int, Listing] = {}
        for listing in self.listings:
            for other in {id(owner[i]): owner[i] for i in listing.tally.ids & owner.keys()}.values():
                for one in (listing, other):
                    one.duvidas.append("uma linha veio em duas contas: mudou de conta durante a leitura")
            owner.update(dict.fromkeys(listing.tally.ids, listing))

    def doubt_missing_legs(self) -> None:
        """Doubt an account of which a transfer's own answer shows a leg that its listing lacks."""
        by_conta = {listing.conta_id: listing for listing in self.listings}
        for answer in self.transferencias.values():
            for record in answer.value if isinstance(answer.value, list) else ():
                if not isinstance(record, dict):
                    continue
                listing = by_conta.get(parse_id(record.get("conta_id")))
                leg = parse_id(record.get("id"))
                if listing is not None and leg is not None and leg not in listing.tally.ids:
                    listing.duvidas.append("falta a outra perna de uma transferência desta conta")


def read_lancamentos(
    client: Client,
    contas: Sequence[int],
    pasta: Path,
    *,
    candidatas: Mapping[int, str] | None = None,
    conhecidos: Mapping[int, Collection[int]] | None = None,
    vencidos: bool = False,
    janela: tuple[date, date] | None = None,
    hoje: date | None = None,
    pagina: int = PAGE_LANCAMENTOS,
    fuso: str = "America/Sao_Paulo",
    progress: Progress | None = None,
    agora: Callable[[], datetime] = utc_now,
) -> LancamentosRead:
    """Read the entries of every account as of one moment, proved (S13), into `lancamentos-<conta>` files.

    Accounts that are not configured but seen (`candidatas`, the `conta_id` of rows, the other leg of transfers) are
    read in the same round. The transfers looked up for that land in `transferencias`.

    Args:
        client: the company's service.
        contas: configured accounts.
        pasta: where the files go.
        candidatas: further account ids -> where they were seen (account list, charges).
        conhecidos: conta_id -> ids of its rows in the last complete run; saves rounds while entries are being changed.
        vencidos: read PA and RA within the same bracket of counts (files `vencidos-PA-<conta>`,
            `vencidos-RA-<conta>`), as a further witness; otherwise `read_vencidos` does it afterwards.
        janela: first and last caixa date to read (due date of open entries, payment date of settled ones), for a hot
            run; such listings are called `lancamentos:janela`, prove nothing about what lies outside, and no
            transfer is looked up for its other leg. None reads everything.
        hoje: the service's present date, where known: fewer overdue rows than the listing shows are then asked for once
            more, because an answer may come cut short.
        pagina: rows to ask for at once, at most 500.
        fuso: zone of the naive `modified`.
        progress: hears of pages, rows and waits.
        agora: the clock, UTC.

    Raises:
        UnprovedPass: when no round closed.
        ApiRejected: when a configured account does not exist, or the token is refused.
        ApiUnavailable, SchemaDrift, StorageError: from the reading.
    """
    progress = progress or NoProgress()
    endpoint = replace(LANCAMENTOS, page=pagina)
    state = _Lancamentos(
        client, endpoint, janela, contas, candidatas or {}, conhecidos or {}, hoje.isoformat() if hoje else ""
    )
    overdue: list[Passada] = []
    with reading(client, progress) as pool:
        reader = Reader(client, pasta, pool, progress, agora, fuso, state.observe)

        def witness(number: int) -> None:
            state.doubt_ids_in_two_accounts()
            if number == 1:  # what a second round shows again is how the service is, not a change
                state.doubt_missing_legs()
            if vencidos:
                overdue[:] = _witness_overdue(state, reader, number)

        try:
            prove(reader, state.listings, discover=state.discover, witness=witness)
        except Refused as refused:
            raise _name_account(refused, state.configuradas, client) from None
        land_answers(pasta, "transferencias", state.transferencias.values())
    return LancamentosRead(
        passadas=tuple([p for listing in state.listings for p in listing.passadas] + overdue),
        contas_encontradas=state.encontradas,
        contas_recusadas=state.recusadas,
        compostos=tuple(composto for noticed in state.noticed.values() for composto in noticed.list_compostos()),
        anexos=frozenset().union(*(noticed.anexos for noticed in state.noticed.values())),
        ids={listing.conta_id: frozenset(listing.tally.ids) for listing in state.listings if listing.conta_id},
        sem_par=tuple(state.find_missing_pairs()),
        maior_pagina=max((listing.tally.maior_pagina for listing in state.listings), default=0),
    )


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
        f"{LANCAMENTOS.path}: the service refuses (HTTP {refused.status}) the entries of conta_id {', '.join(bad)}. "
        "Correct or remove it in [[empresa.conta]] (LASTRO_CONTAS), or check base_url"
    )


def _witness_overdue(state: _Lancamentos, reader: Reader, number: int) -> list[Passada]:
    """Read PA and RA of every account; an overdue row that the account's listing lacks makes it doubtful."""
    capacity = max((listing.tally.maior_pagina for listing in state.listings), default=0)
    passadas = []
    for listing in state.listings:
        assert listing.conta_id is not None  # noqa: S101 (entries are always listed by account)
        expected = state.noticed[listing.conta_id].vencidos
        for tipo in ("PA", "RA"):
            passada, ids = _read_overdue(
                reader.client,
                listing.conta_id,
                tipo,
                reader.pasta,
                capacity=capacity,
                most=listing.tally.linhas if state.is_whole else None,
                expected=expected[tipo],
                agora=reader.agora,
            )
            passadas.append(replace(passada, passada=number))
            if ids - listing.tally.ids and number == 1 and state.is_whole:
                listing.duvidas.append(f"tipo={tipo} mostra linhas que a listagem não tem")
    return passadas


def read_vencidos(
    client: Client,
    contas: Sequence[int],
    pasta: Path,
    *,
    leitura: LancamentosRead | None = None,
    agora: Callable[[], datetime] = utc_now,
    progress: Progress | None = None,
) -> tuple[Passada, ...]:
    """Read `tipo=PA` and `tipo=RA` per account, full records, for V09 (S16).

    One request each, unless the answer may have been cut by the service's own page size.

    Args:
        client: the company's service.
        contas: accounts.
        pasta: where `vencidos-PA-<conta>` and `vencidos-RA-<conta>` go.
        leitura: the entries read before: shows how long an answer of this service can be.
        agora: the clock, UTC.
        progress: hears of waits.
    """
    with reading(client, progress or NoProgress()):
        capacity = leitura.maior_pagina if leitura else 0
        rows = leitura.ids if leitura else {}
        return tuple(
            _read_overdue(
                client,
                conta,
                tipo,
                pasta,
                capacity=capacity,
                most=len(rows[conta]) if conta in rows else None,
                expected=0,
                agora=agora,
            )[0]
            for conta in contas
            for tipo in ("PA", "RA")
        )


def _read_overdue(
    client: Client,
    conta: int,
    tipo: str,
    pasta: Path,
    *,
    capacity: int,
    most: int | None,
    expected: int,
    agora: Callable[[], datetime],
) -> tuple[Passada, set[int]]:
    """Read one overdue listing: to an answer shorter than the service is known to be able to send.

    Args:
        client: the company's service.
        conta: the account.
        tipo: `PA` or `RA`.
        pasta: where the file goes.
        capacity: most rows that the service has sent in one answer of the account's listing, 0 when unknown.
        most: rows of the account's listing, of which the overdue ones are a part; None when unknown.
        expected: rows that the account's listing shows as overdue: fewer may be an answer cut short.
        agora: the clock, UTC.
    """
    began, sent = agora(), client.requests
    ids: set[int] = set()
    received = rejected = repeated = pages = 0
    with PageFile(pasta, f"vencidos-{tipo}-{conta}") as file:
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
            fresh = {found for found in map(read_id, rows) if found is not None}
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
        passada=1,
        contagem_antes=None,
        paginas=pages,
        linhas_recebidas=received,
        ids_distintos=len(ids),
        repetidas=repeated,
        rejeitadas=rejected,
        contagem_depois=None,
        veredito="provada",
        prova="resposta única",
        motivo="",
        requisicoes=client.requests - sent,
        iniciada_em=began,
        terminada_em=agora(),
    )
    return passada, ids


def _list_contas(value: Any) -> list[int]:
    """List the accounts that the records of an array name."""
    records = value if isinstance(value, list) else ()
    contas = (parse_id(record.get("conta_id")) for record in records if isinstance(record, dict))
    return [conta for conta in contas if conta is not None]
