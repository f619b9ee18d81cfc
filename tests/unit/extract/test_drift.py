"""Entries created, deleted, paid and moved between accounts while they are being read.

A pass that says `provada` must hold every row that lived through the reading, none twice, as the books stood at one
moment of it. Whether `modified` is stamped must make no difference.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from itertools import product
from pathlib import Path

import httpx
import pytest

from lastro.extract.rounds import UnprovedPass
from lastro.extract.source import Source
from tests.bare import read_cobrancas, read_lancamentos
from tests.marks import thinned
from tests.unit.extract.fake_service import (
    FakeService,
    landed_pages,
    make_company,
    open_client,
    read_entries,
)

pytestmark = pytest.mark.medio

SCHEDULES = 25
PAGE = 20


class Books:
    """Changes a service's books at random requests, and remembers what they were after each."""

    def __init__(
        self, service: FakeService, rng: random.Random, contas: list[int], changes: int, requests: int
    ) -> None:
        self.rng, self.contas = rng, contas
        self.at = Counter(rng.randrange(1, max(2, requests)) for _ in range(changes))
        self.request = 0
        self.states: list[dict[int, int]] = []
        service.before_request = self.change

    def change(self, service: FakeService, _request: httpx.Request) -> None:
        self.request += 1
        for _ in range(self.at[self.request]):
            kind, ids = self.rng.randrange(4), list(service.entries)
            if kind == 0 or not ids:
                service.insert(self.rng, self.rng.choice(self.contas))
            elif kind == 1:
                service.delete(self.rng.choice(ids))
            elif kind == 2:
                service.pay(self.rng, self.rng.choice(ids))
            else:
                service.move(self.rng.choice(ids), self.rng.choice(self.contas))
        self.states.append({row_id: row["conta_id"] for row_id, row in service.entries.items()})


def read_landed_accounts(folder: Path, contas: list[int]) -> list[tuple[int, int]]:
    return [
        (row["id"], conta)
        for conta in contas
        for page in landed_pages(folder, f"lancamentos-{conta}")
        for row in page["rows"]
    ]


@pytest.mark.parametrize(
    ("changes", "stamps", "shape"),
    thinned(product((1, 4), (True, False), ("zero", "total")), default=((4, True, "zero"), (1, False, "total"))),
)
def test_no_row_is_lost_or_doubled_in_a_proved_pass(tmp_path: Path, changes: int, stamps: bool, shape: str) -> None:
    verdicts: Counter[str] = Counter()
    for seed in range(SCHEDULES):
        rng = random.Random(seed)  # noqa: S311 (test data)
        contas = [101, 102, 103][: rng.choice((1, 2, 3))]
        sizes = {conta: rng.choice((0, 7, PAGE, 2 * PAGE, rng.randrange(30, 160))) for conta in contas}
        service = make_company(seed, sizes, stamps=stamps, count_shape=shape)
        requests = sum(-(-size // PAGE) + 4 for size in sizes.values())
        books = Books(service, rng, contas, changes, requests)
        folder = tmp_path / str(seed)
        try:
            read_entries(service, folder, contas, with_overdue=True, page_size=PAGE)
        except UnprovedPass:
            verdicts["não se provou"] += 1
            continue
        verdicts["proved"] += 1
        got = read_landed_accounts(folder, contas)
        assert len(got) == len(dict(got)), f"seed {seed}: a row came twice"
        lived = set.intersection(*(set(state) for state in books.states))
        assert lived <= dict(got).keys(), f"seed {seed}: a row is lost"
        assert dict(got) in books.states, f"seed {seed}: this mixture of accounts never existed"
    assert verdicts["proved"] >= SCHEDULES * 3 // 4


def _cash_order(service: FakeService, conta: int) -> list[int]:
    rows = [row for row in service.entries.values() if row["conta_id"] == conta]
    return [row["id"] for row in sorted(rows, key=lambda r: (r["data_pagamento"] or r["data_vencimento"], r["id"]))]


@pytest.mark.parametrize("stamps", [True, False])
@pytest.mark.parametrize("rows", [35, 40])  # room for an overlap in two pages of 20, and none
def test_a_deletion_made_up_by_a_new_entry_fools_the_counts_only(tmp_path: Path, rows: int, stamps: bool) -> None:
    service = make_company(4, {101: rows}, stamps=stamps)
    order = _cash_order(service, 101)

    def swap(books: FakeService, request: httpx.Request) -> None:
        if int(request.url.params.get("start", 0)) > 0 and order[0] in books.entries:
            books.delete(order[0])  # in the first page, already read: the first row of the second slips into it
            new = books.insert(random.Random(0), 101)  # noqa: S311 (test data)
            books.entries[new].update(data_vencimento="2029-01-01", data_pagamento=None)

    service.before_request = swap
    read = read_entries(service, tmp_path, [101], page_size=PAGE)
    got = {row_id for row_id, _ in read_landed_accounts(tmp_path, [101])}
    assert set(order[1:]) <= got
    assert [p.veredito for p in read.passadas] == ["mudou durante a leitura", "provada"]
    assert read.passadas[0].contagem_antes == read.passadas[0].contagem_depois


def test_changes_that_cancel_out_at_every_page_boundary_show_by_their_stamps(tmp_path: Path) -> None:
    service = make_company(6, {101: 35})
    order = _cash_order(service, 101)

    def conspire(books: FakeService, request: httpx.Request) -> None:
        if int(request.url.params.get("start", 0)) > 0 and order[0] in books.entries:
            books.delete(order[0])
            books.entries[order[30]].update(data_pagamento="2020-01-01", modified=books.stamp())  # jumps ahead, unread
            new = books.insert(random.Random(0), 101)  # noqa: S311 (test data)
            books.entries[new].update(data_vencimento="2029-01-01", data_pagamento=None)

    service.before_request = conspire
    read = read_entries(service, tmp_path, [101], page_size=PAGE)
    assert (read.passadas[0].contagem_antes, read.passadas[0].ids_distintos) == (35, 35)
    assert read.passadas[0].motivo == "1 linha(s) criadas ou alteradas durante a leitura"
    assert set(order[1:]) <= {row_id for row_id, _ in read_landed_accounts(tmp_path, [101])}


def test_a_move_made_up_on_both_sides_shows_as_one_row_in_two_accounts(tmp_path: Path) -> None:
    service = make_company(5, {101: 10, 102: 10}, stamps=False)
    first, second = _cash_order(service, 101), _cash_order(service, 102)

    def swap(books: FakeService, request: httpx.Request) -> None:
        params = request.url.params
        if params.get("conta_id") == "102" and "start" in params and second[3] in books.entries:
            books.entries[first[3]]["conta_id"] = 102
            books.delete(second[3])
            books.insert(random.Random(0), 101)  # noqa: S311 (test data)

    service.before_request = swap
    read = read_entries(service, tmp_path, [101, 102], page_size=PAGE)
    assert {p.motivo for p in read.passadas if p.passada == 1} == {
        "uma linha veio em duas contas: mudou de conta durante a leitura"
    }
    assert sorted(row_id for row_id, _ in read_landed_accounts(tmp_path, [101, 102])) == sorted(service.entries)


@pytest.mark.parametrize("days", [8, 40])
def test_ties_ordered_anew_for_every_request_are_sorted_out_row_by_row(tmp_path: Path, days: int) -> None:
    for seed in range(5):
        service = make_company(seed, {101: 150, 102: 60}, tie_rng=random.Random(seed))  # noqa: S311 (test data)
        for number, row in enumerate(service.entries.values()):
            row["data_pagamento"] = f"2026-01-{number % days % 28 + 1:02d}"
        folder = tmp_path / str(seed)
        try:
            read = read_entries(service, folder, [101, 102], page_size=PAGE)
        except UnprovedPass:
            continue
        assert {row_id for row_id, _ in read_landed_accounts(folder, [101, 102])} == set(service.entries)
        assert read.passadas[-1].veredito == "provada"


def test_changes_that_never_stop_are_told_and_not_believed(tmp_path: Path) -> None:
    service = make_company(1, {101: 150})
    rng = random.Random(1)  # noqa: S311 (test data)

    def churn(books: FakeService, _request: httpx.Request) -> None:
        books.delete(rng.choice(list(books.entries)))
        books.insert(rng, 101)

    service.before_request = churn
    with pytest.raises(UnprovedPass, match="conta_id 101") as caught:
        read_entries(service, tmp_path, [101], page_size=PAGE)
    assert [p.passada for p in caught.value.passadas] == [1, 2, 3, 4, 5]
    assert {p.veredito for p in caught.value.passadas} <= {"mudou durante a leitura", "incompleta"}
    assert {p.prova for p in caught.value.passadas} == {None}


def test_a_payment_that_moves_no_row_costs_a_second_pass_only_for_rows_not_known(tmp_path: Path) -> None:
    service = make_company(2, {101: 90})
    rows = sorted(
        service.entries.values(), key=lambda row: (row["data_pagamento"] or row["data_vencimento"], row["id"])
    )

    def edit(books: FakeService, _request: httpx.Request) -> None:
        if len(books.log) == 2:
            rows[40]["descricao"], rows[40]["modified"] = "corrigido", books.stamp()

    service.before_request = edit
    first = read_entries(service, tmp_path, [101], page_size=PAGE)
    assert [p.veredito for p in first.passadas] == ["mudou durante a leitura", "provada"]
    service.log.clear()
    second = read_entries(service, tmp_path, [101], page_size=PAGE, known_ids=first.ids)
    assert [p.veredito for p in second.passadas] == ["provada"]


def test_a_row_that_moves_into_an_account_already_read_is_not_lost(tmp_path: Path) -> None:
    service = make_company(3, {101: 30, 102: 30}, stamps=False)
    moved = max(i for i, row in service.entries.items() if row["conta_id"] == 102)

    def move(books: FakeService, request: httpx.Request) -> None:
        if request.url.params.get("conta_id") == "102" and "start" in request.url.params:
            books.entries[moved]["conta_id"] = 101

    service.before_request = move
    read = read_entries(service, tmp_path, [101, 102], page_size=PAGE)
    assert max(p.passada for p in read.passadas) == 2
    assert (moved, 101) in read_landed_accounts(tmp_path, [101, 102])


def test_charges_that_change_while_they_are_read(tmp_path: Path) -> None:
    for seed in range(SCHEDULES):
        rng = random.Random(seed)  # noqa: S311 (test data)
        service = FakeService()
        for number in range(rng.randrange(260)):
            service.charges[number + 1] = {
                "id": number + 1,
                "conta_id": 101,
                "data_vencimento": f"2026-{rng.randrange(1, 13):02d}-{rng.randrange(1, 29):02d}",
                "status": "pendente",
            }
        states: list[set[int]] = []
        at = Counter(rng.randrange(1, 9) for _ in range(rng.randrange(1, 5)))

        def change(
            books: FakeService,
            _request: httpx.Request,
            rng: random.Random = rng,
            at: Counter[int] = at,
            states: list[set[int]] = states,
        ) -> None:
            for _ in range(at[len(states) + 1]):
                if books.charges and rng.random() < 0.5:
                    del books.charges[rng.choice(list(books.charges))]
                else:
                    new = max(books.charges, default=0) + 1
                    books.charges[new] = {
                        "id": new,
                        "conta_id": 101,
                        "data_vencimento": f"2026-{rng.randrange(1, 13):02d}-01",
                        "status": "pendente",
                    }
            states.append(set(books.charges))

        service.before_request = change
        folder = tmp_path / str(seed)
        with open_client(service) as client:
            read_cobrancas(Source(client, folder))
        got = [row["id"] for page in landed_pages(folder, "cobrancas") for row in page["rows"]]
        assert len(got) == len(set(got))
        assert set.intersection(*states) <= set(got), f"seed {seed}"


def test_what_is_landed_does_not_depend_on_timing(tmp_path: Path) -> None:
    texts = []
    for name in ("a", "b"):
        service = make_company(8, {101: 400})
        with open_client(service, now=lambda: 1_773_000_000.0) as client:
            read_lancamentos(Source(client, tmp_path / name), [101], page_size=PAGE)
        texts.append((tmp_path / name / "lancamentos-101.jsonl.gz").read_bytes())
    assert texts[0] == texts[1]
    assert json.loads(json.dumps(landed_pages(tmp_path / "a", "lancamentos-101")))[0]["no"] == 1
