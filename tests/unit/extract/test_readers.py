"""The readers against a small service in memory that does not change: what they land, prove and ask for."""

from __future__ import annotations

import gc
from datetime import date
from pathlib import Path
from typing import Any

import httpx
import pytest

from lastro.api.client import Client
from lastro.errors import ApiRejected, ApiUnavailable, IncompletePass, SchemaDrift, StorageError
from lastro.extract.counts import PassCount
from lastro.extract.passes import Progress
from lastro.extract.rounds import Listing, UnprovedPass
from lastro.extract.source import Source
from lastro.settings import Window
from tests.bare import read_cobrancas, read_lancamentos
from tests.unit.extract.fake_service import (
    COUNT_SHAPES,
    TOKEN,
    FakeService,
    landed_ids,
    landed_pages,
    make_charges,
    make_company,
    open_client,
    read_entries,
)

READABLE = ("zero", "list", "bare", "count")


@pytest.fixture
def service() -> FakeService:
    return make_company(3, {101: 1200, 102: 1000, 103: 0, 104: 40})


@pytest.mark.parametrize("shape", sorted(COUNT_SHAPES))
def test_reads_every_row_once_in_every_count_shape(service: FakeService, tmp_path: Path, shape: str) -> None:
    service.count_shape = shape
    read = read_entries(service, tmp_path, [101, 102, 103, 104])
    for conta in (101, 102, 103, 104):
        expected = sorted(row["id"] for row in service.entries.values() if row["conta_id"] == conta)
        assert sorted(landed_ids(tmp_path, f"lancamentos-{conta}")) == expected
    last = {p.conta_id: p for p in read.passadas}
    assert {p.veredito for p in last.values()} == {"provada"}
    assert {p.prova for p in last.values()} == ({"contagem"} if shape in READABLE else {"duas passadas idênticas"})


@pytest.mark.parametrize(("rows", "pages"), [(1, 1), (499, 1), (500, 1), (501, 2), (1000, 2), (1001, 3), (5000, 10)])
def test_a_quiet_account_costs_its_pages_two_counts_and_one_request_each_for_overdue(
    tmp_path: Path, rows: int, pages: int
) -> None:
    service = make_company(5, {101: rows})
    for number, row in enumerate(service.entries.values()):
        if number % 20:  # few open rows, so that PA and RA fit one page each
            row["data_pagamento"] = row["data_vencimento"]
    read_entries(service, tmp_path, [101], with_overdue=True)
    assert len(service.listings(101)) == pages + 4


def test_pages_by_account_name_it_and_those_of_the_whole_company_none(tmp_path: Path) -> None:
    service = make_company(5, {101: 700, 102: 3})
    make_charges(service, 2)
    for row in service.entries.values():
        row.update(data_vencimento="2026-03-01", data_pagamento=None, valor="-1.00")
    with open_client(service) as client:
        read_lancamentos(Source(client, tmp_path), [101, 102], with_overdue=True)
        read_cobrancas(Source(client, tmp_path))
    names = ("lancamentos-101", "lancamentos-102", "vencidos-PA-101", "vencidos-PA-102", "cobrancas")
    found = {name: {page.get("conta_listada") for page in landed_pages(tmp_path, name)} for name in names}
    assert found == {
        "lancamentos-101": {101},
        "lancamentos-102": {102},
        "vencidos-PA-101": {101},
        "vencidos-PA-102": {102},
        "cobrancas": {None},
    }
    for page in landed_pages(tmp_path, "lancamentos-101"):
        assert page.keys() - {"sobrepostas"} == {"no", "origem", "extraido_em", "conta_listada", "rows"}
        assert TOKEN not in repr(page)


def test_what_a_reading_knew_of_its_rows_goes_with_it(service: FakeService, tmp_path: Path) -> None:
    """Whatever holds itself stays until somebody looks for it: after a million entries, 200 MB of ids."""
    make_charges(service, 120)

    def list_known() -> dict[int, object]:
        return {id(one): one for one in gc.get_objects() if isinstance(one, Listing | PassCount | httpx.Response)}

    gc.collect()
    others = list_known()  # of other tests
    gc.disable()
    try:
        with open_client(service) as client:
            ids = read_lancamentos(Source(client, tmp_path), [101, 102], with_overdue=True).ids
            read_cobrancas(Source(client, tmp_path))
        left = [type(one).__name__ for name, one in list_known().items() if name not in others]
    finally:
        gc.enable()
    assert left == []
    assert len(ids[101]) == 1200


def test_what_is_asked_at_a_time_is_told_apart(tmp_path: Path) -> None:
    service = make_company(5, {101: 1200, 102: 700, 103: 40, 104: 0, 105: 9})
    with open_client(service) as client:
        read = read_lancamentos(Source(client, tmp_path), [101, 102, 103, 104, 105], with_overdue=True)
        assert sum(passada.requisicoes for passada in read.passadas) == client.requests == len(service.log)
    for conta in (101, 102, 103, 104, 105):
        own = sum(passada.requisicoes for passada in read.passadas if passada.conta_id == conta)
        assert own == len(service.listings(conta))


@pytest.mark.parametrize(("charges", "pages"), [(0, 0), (1, 1), (50, 1), (51, 2), (1000, 20), (1050, 21)])
def test_quiet_charges_cost_at_most_their_pages_and_four(tmp_path: Path, charges: int, pages: int) -> None:
    service = make_company(5, {})
    make_charges(service, charges)
    with open_client(service) as client:
        read = read_cobrancas(Source(client, tmp_path))
    listed = [params for path, params in service.log if "status" not in params]
    assert len(listed) <= pages + 4
    assert sorted(landed_ids(tmp_path, "cobrancas")) == sorted(service.charges)
    by_status = {p.lista: p.contagem_antes for p in read.by_status}
    pendentes = sum(row["status"] == "pendente" for row in service.charges.values())
    assert by_status["cobrancas:status=pendente"] == pendentes


@pytest.mark.parametrize("cap", [1, 7, 50, 100, 300, 499])
def test_a_server_that_sends_less_than_asked_only_costs_more_requests(tmp_path: Path, cap: int) -> None:
    service = make_company(5, {101: 3 * cap + 1 if cap < 100 else 1200}, cap=cap)
    if cap == 1:  # such a page cannot overlap: without the tie to its neighbour nothing is believed
        with pytest.raises(UnprovedPass):
            read_entries(service, tmp_path, [101])
        return
    read = read_entries(service, tmp_path, [101])
    assert [p.veredito for p in read.passadas] == ["provada"]
    assert sorted(landed_ids(tmp_path, "lancamentos-101")) == sorted(service.entries)


@pytest.mark.parametrize("shape", ["zero", "null"])
def test_a_server_that_ignores_start_is_told_and_never_asked_for_ever(tmp_path: Path, shape: str) -> None:
    service = make_company(5, {101: 1200}, ignore_start=True, count_shape=shape)
    with pytest.raises(UnprovedPass, match="repete uma página"):
        read_entries(service, tmp_path, [101])
    assert len(service.log) < 100


def test_a_server_whose_page_repeats_without_any_id_is_never_asked_for_ever(tmp_path: Path) -> None:
    service = FakeService(ignore_start=True, count_shape="null")
    service.entries = {
        n: {"conta_id": 101, "data_pagamento": None, "data_vencimento": "x", "id": None} for n in range(9)
    }
    for number, row in enumerate(service.entries.values()):
        row["data_vencimento"] = str(number)
    with pytest.raises(UnprovedPass):
        read_entries(service, tmp_path, [101])
    assert len(service.log) < 100


def test_a_count_that_never_agrees_is_told_after_three_equal_rounds(tmp_path: Path) -> None:
    service = make_company(5, {101: 40})
    service.before_request = lambda s, r: s.answer({"0": 41}) if "tipo_view" in r.url.params else None
    with pytest.raises(UnprovedPass, match="contagem antes 41, linhas lidas 40") as caught:
        read_entries(service, tmp_path, [101])
    assert [p.veredito for p in caught.value.passadas] == ["incompleta"] * 3


def test_elements_without_a_readable_id_are_counted_and_landed(tmp_path: Path) -> None:
    service = make_company(5, {101: 45})
    odd: list[Any] = [
        None,
        7,
        "x",
        [],
        {},
        {"id": 0},
        {"id": -1},
        {"id": "abc"},
        {"id": 1.5},
        {"id": True},
        {"id": None},
    ]

    def answer(service: FakeService, request: httpx.Request) -> httpx.Response | None:
        params = dict(request.url.params)
        if request.url.path != "/v1/lancamentos" or "tipo" in params:
            return None
        rows = [*service.entries.values(), *odd]
        return service.page(rows, params, int(params.get("limit", 50)))

    service.before_request = answer
    read = read_entries(service, tmp_path, [101], page_size=20)
    last = read.passadas[-1]
    assert (last.veredito, last.rejeitadas, last.ids_distintos) == ("provada", 11, 45)
    landed = [row for page in landed_pages(tmp_path, "lancamentos-101") for row in page["rows"]]
    assert len(landed) == 56
    assert [row for row in landed if not isinstance(row, dict)] == [None, 7, "x", []]


def test_a_listing_without_any_id_is_schema_drift(tmp_path: Path) -> None:
    service = make_company(5, {101: 60})
    for row in service.entries.values():
        row["codigo"] = row["id"]

    def rename(service: FakeService, request: httpx.Request) -> httpx.Response | None:
        if "start" not in request.url.params:
            return None
        rows = service.list_entries(dict(request.url.params)).json()
        return service.answer([{k: v for k, v in row.items() if k != "id"} for row in rows])

    service.before_request = rename
    with pytest.raises(SchemaDrift, match="id inteiro"):
        read_entries(service, tmp_path, [101])


def test_accounts_that_only_show_while_reading_are_read_too(tmp_path: Path) -> None:
    service = make_company(5, {101: 30, 102: 20, 103: 10, 104: 5})
    ours, theirs = (min(i for i, r in service.entries.items() if r["conta_id"] == conta) for conta in (101, 103))
    service.entries[ours]["lancamento_transferencia_id"] = theirs
    service.entries[theirs]["lancamento_transferencia_id"] = ours
    service.hidden.add(105)
    candidates = {102: "cobranças", 105: "lista de contas", 101: "x"}
    read = read_entries(service, tmp_path, [101], candidates=candidates)
    assert read.found_accounts == {102: "cobranças", 103: "transferências"}
    assert read.refused_accounts == {105: "HTTP 422 (lista de contas)"}
    assert sorted(landed_ids(tmp_path, "lancamentos-103")) == sorted(read.ids[103])
    assert {conta: len(ids) for conta, ids in read.ids.items()} == {101: 30, 102: 20, 103: 10}
    assert [row["id"] for page in landed_pages(tmp_path, "transferencias") for row in page["rows"]] == [ours, theirs]
    assert not (tmp_path / "lancamentos-105.jsonl.gz").exists()


def test_orphan_transfers_are_looked_up_twenty_times_at_most(tmp_path: Path) -> None:
    service = make_company(5, {101: 60})
    for row in service.entries.values():
        row["lancamento_transferencia_id"] = 10**6 + row["id"]
    read_entries(service, tmp_path, [101])
    assert sum(path.startswith("/v1/transferencias/") for path, _ in service.log) == 20


def test_a_configured_account_that_does_not_exist_is_named(tmp_path: Path) -> None:
    service = make_company(5, {101: 3}, hidden={999})
    with pytest.raises(ApiRejected, match=r"conta_id 999\. .*empresa\.conta") as caught:
        read_entries(service, tmp_path, [101, 999])
    assert "101" not in str(caught.value)


def test_a_count_that_is_refused_is_only_unavailable(tmp_path: Path) -> None:
    service = make_company(5, {101: 30})
    service.before_request = lambda s, r: s.answer({}, 422) if "tipo_view" in r.url.params else None
    read = read_entries(service, tmp_path, [101])
    assert read.passadas[-1].prova == "duas passadas idênticas"
    assert "contagem indisponível: HTTP 422" in read.passadas[-1].motivo


@pytest.mark.parametrize(("errors", "ground"), [(9, "contagem"), (10**6, "duas passadas idênticas")])
def test_a_count_that_was_readable_before_is_asked_for_as_patiently_as_a_page(
    tmp_path: Path, errors: int, ground: str
) -> None:
    service = make_company(5, {101: 30})
    asked: list[str] = []

    def fail(service: FakeService, request: httpx.Request) -> httpx.Response | None:
        if "tipo_view" in request.url.params:
            asked.append(request.url.path)
            if 2 <= len(asked) < 2 + errors:
                return service.answer({"errors": {"base": ["tente de novo"]}})
        return None

    service.before_request = fail
    read = read_entries(service, tmp_path, [101])
    assert read.passadas[-1].prova == ground
    assert len(asked) == 11  # the first count, then nine errors and the second count, or ten errors


@pytest.mark.parametrize("rows", [0, 3, 120])
def test_overdue_listings_are_read_whole(tmp_path: Path, rows: int) -> None:
    service = make_company(5, {101: rows}, cap=50)
    for row in service.entries.values():
        row.update(data_vencimento="2026-03-01", data_pagamento=None, valor="-1.00")
    read = read_entries(service, tmp_path, [101], with_overdue=True)
    assert sorted(landed_ids(tmp_path, "vencidos-PA-101")) == sorted(service.entries)
    assert landed_ids(tmp_path, "vencidos-RA-101") == []
    assert [(p.lista, p.ids_distintos) for p in read.passadas if p.lista != "lancamentos"] == [
        ("vencidos-PA", rows),
        ("vencidos-RA", 0),
    ]


def test_an_overdue_row_that_the_listing_lacks_costs_a_second_pass(tmp_path: Path) -> None:
    service = make_company(5, {101: 40})
    late = {**service.entries[min(service.entries)], "id": 9_999}

    def show(service: FakeService, request: httpx.Request) -> httpx.Response | None:
        params = dict(request.url.params)
        return service.page([late], params, 50) if params.get("tipo") == "PA" else None

    service.before_request = show
    read = read_entries(service, tmp_path, [101], with_overdue=True)
    first, second = (passada for passada in read.passadas if passada.lista == "lancamentos")
    assert first.motivo == "tipo=PA mostra linhas que a listagem não tem"
    assert (first.veredito, second.veredito) == ("mudou durante a leitura", "provada")


def test_an_overdue_answer_cut_short_is_completed_when_today_is_known(tmp_path: Path) -> None:
    service = make_company(5, {101: 90})
    for row in service.entries.values():
        row.update(data_vencimento="2026-03-01", data_pagamento=None, valor="-1.00")
    cut = [True]

    def shorten(service: FakeService, request: httpx.Request) -> httpx.Response | None:
        params = dict(request.url.params)
        if params.get("tipo") == "PA" and cut.pop() if cut else False:
            return service.list_entries({**params, "limit": "12"})
        return None

    service.before_request = shorten
    read_entries(service, tmp_path, [101], with_overdue=True, today=date(2026, 3, 16))
    assert sorted(landed_ids(tmp_path, "vencidos-PA-101")) == sorted(service.entries)


def test_progress_hears_of_every_listing_page_and_row(tmp_path: Path) -> None:
    heard: list[tuple[Any, ...]] = []

    class Recorder(Progress):
        def start(self, name: str, conta_id: int | None, total: int | None) -> None:
            heard.append(("start", name, conta_id, total))

        def advance(self, pages: int, rows: int) -> None:
            heard.append(("advance", pages, rows))

        def wait(self, seconds: float, why: str) -> None:
            heard.append(("wait", seconds, why))

        def finish(self) -> None:
            heard.append(("finish",))

    service = make_company(5, {101: 45})
    with open_client(service) as client:
        read_lancamentos(Source(client, tmp_path, progress=Recorder()), [101], page_size=20)
    assert heard[0] == ("start", "lancamentos", 101, 45)
    assert heard[-1] == ("finish",)
    assert sum(event[2] for event in heard if event[0] == "advance") == 45


def test_a_full_disk_is_told_and_leaves_the_earlier_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    service = make_company(5, {101: 45})
    read_entries(service, tmp_path, [101])
    before = (tmp_path / "lancamentos-101.jsonl.gz").read_bytes()

    def fail(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(StorageError, match=r"lancamentos-101.*No space left"):
        read_entries(service, tmp_path, [101])
    assert (tmp_path / "lancamentos-101.jsonl.gz").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    service = make_company(5, {101: 5})
    with pytest.raises(StorageError, match="Libere espaço"):
        read_entries(service, tmp_path / "file" / "paginas", [101])


def test_a_window_reads_what_falls_into_it_and_looks_nothing_up(tmp_path: Path) -> None:
    service = make_company(5, {101: 60})
    make_charges(service, 60)
    for row in service.entries.values():
        row["lancamento_transferencia_id"] = 10**6 + row["id"]
    with open_client(service) as client:
        window = (date(2026, 3, 1), date(2026, 4, 30))
        read = read_lancamentos(Source(client, tmp_path), [101], window=window)
        charges = read_cobrancas(Source(client, tmp_path), window=window)
    asked = service.listings(101)
    assert {(params["data_inicio"], params["data_fim"]) for params in asked} == {("2026-03-01", "2026-04-30")}
    assert [p.lista for p in (*read.passadas, *charges.passadas)] == ["lancamentos:janela", "cobrancas:janela"]
    assert not any(path.startswith("/v1/transferencias") for path, _ in service.log)
    assert charges.by_status == ()


def test_a_reading_that_failed_can_be_tried_again_with_the_same_client(tmp_path: Path) -> None:
    service = make_company(5, {101: 60})
    broken = [True]
    service.before_request = lambda s, _r: s.answer({}, 500) if broken[0] else None
    with open_client(service) as client:
        with pytest.raises(ApiUnavailable):
            read_lancamentos(Source(client, tmp_path), [101])
        broken[0] = False
        read = read_lancamentos(Source(client, tmp_path), [101])
    assert read.passadas[-1].veredito == "provada"


def test_waits_for_the_limits_end_when_the_reading_does(tmp_path: Path) -> None:
    service = make_company(5, {101: 400})
    service.before_request = lambda s, r: s.answer({}, 401) if r.url.params.get("start") == "19" else None
    with (
        Client("https://servico.test", TOKEN, limites=(Window(3, 600),), transport=service.transport()) as client,
        pytest.raises(ApiRejected),
    ):
        read_lancamentos(Source(client, tmp_path), [101], page_size=20)
    assert len(service.log) <= 3


def test_a_listing_without_count_and_without_end_is_ended_and_replaces_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lastro.extract.listing.MOST_UNCOUNTED", 3)
    service = make_company(5, {101: 10})
    service.count_shape = "total"

    def go_on(service: FakeService, request: httpx.Request) -> httpx.Response | None:
        params = dict(request.url.params)
        if request.url.path != "/v1/lancamentos" or params.get("tipo_view"):
            return None
        start, limit = int(params.get("start", 0)), int(params["limit"])
        return service.answer([{"id": start + place + 1, "conta_id": 101} for place in range(limit)])

    service.before_request = go_on
    (tmp_path / "lancamentos-101.jsonl.gz").write_bytes(b"of an earlier run")
    with pytest.raises(IncompletePass, match="não dá contagem, nem fim depois de 77 linhas"):
        read_entries(service, tmp_path, [101], page_size=20)
    assert (tmp_path / "lancamentos-101.jsonl.gz").read_bytes() == b"of an earlier run"
    assert [path.name for path in tmp_path.iterdir()] == ["lancamentos-101.jsonl.gz"]
