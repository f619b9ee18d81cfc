"""Lists that come whole: what they lose is held, what they say twice is shown, what they garble is counted."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from lastro.catalogue import Catalogue
from lastro.errors import DeletionsHeld
from lastro.run.computation import compute
from lastro.run.order import RunOrder
from lastro.run.stages import STAGES, run_stage
from lastro.settings import Settings
from lastro_sandbox import Running, create_app, golden_company, serve
from tests.golden import expected
from tests.integration.rewritten import Rewritten, with_body, with_rows
from tests.served import TOKEN, ask, copy_golden, open_session, run_served


def test_a_list_that_comes_empty_is_held_until_a_person_accepts_it(golden: tuple[Settings, Running]) -> None:
    settings, service = golden
    emptied = Rewritten(service.base_url, with_rows("/v1/categorias", lambda _rows: []))
    known = ask(settings.pasta(settings.empresas[0]) / "lastro.duckdb", "SELECT count(*) FROM core.categorias")[0][0]
    with pytest.raises(DeletionsHeld, match=rf"categorias: .* {known} de {known} linhas .*--aceitar-exclusoes 2"):
        run_served(settings, expected.D, transport=emptied)
    accepted = RunOrder(aceitar_exclusoes=2)
    with open_session(settings, expected.D, order=accepted, transport=emptied) as session:
        for stage in STAGES[:2]:
            run_stage(session, stage)
        assert session.execucao_id == 3
        assert session.warehouse.query("SELECT count(*) FROM raw.categorias") == [(0,)]


def test_accounts_that_come_empty_are_held_and_a_service_that_has_no_such_list_is_not(
    golden: tuple[Settings, Running],
) -> None:
    settings, service = golden

    def load(status: int, rows: list[dict[str, Any]]) -> None:
        def change(request: httpx.Request, response: httpx.Response) -> httpx.Response:
            if request.url.path != "/v1/contas":
                return response
            return httpx.Response(status, headers={"Date": response.headers["Date"]}, json=rows)

        with open_session(settings, expected.D, transport=Rewritten(service.base_url, change)) as session:
            for stage in STAGES[:2]:
                run_stage(session, stage)

    load(200, [{"id": conta, "descricao": f"Conta {conta}"} for conta in (101, 102)])
    with pytest.raises(DeletionsHeld, match=r"contas: .* 2 de 2 linhas .*--aceitar-exclusoes 3"):
        load(200, [])
    load(404, [])


def repeat(request: httpx.Request, response: httpx.Response) -> httpx.Response:
    """Say one customer again with another name, one with its fields in another order, and one as before."""

    def more(rows: list[Any]) -> list[Any]:
        return [*rows, {**rows[0], "nome": "Outro Nome"}, dict(reversed(rows[1].items())), rows[2]]

    return with_rows("/v1/clientes", more)(request, response)


def echo(request: httpx.Request, response: httpx.Response) -> httpx.Response:
    """Use the token as the name of a field."""
    if not request.url.path.startswith("/v1/") or response.status_code != 200:
        return with_body(response, json.dumps({"errors": {TOKEN: ["?"], f"{TOKEN}[0]": ["?"]}}).encode())
    body = response.json()
    for row in body if isinstance(body, list) else [body]:
        if isinstance(row, dict) and "id" in row:
            row[TOKEN] = 1
    return with_body(response, json.dumps(body).encode())


def garble(request: httpx.Request, response: httpx.Response) -> httpx.Response:
    """Send two Latin-1 bytes among UTF-8, and half of a surrogate pair."""
    if request.url.path != "/v1/fornecedores":
        return response
    rows = response.json()
    rows[0]["nome"] = "São João"
    body = json.dumps(rows, ensure_ascii=False).encode().replace("São João".encode(), b"S\xe3o Jo\xe3o \\ud83d")
    return with_body(response, body)


@dataclass(frozen=True)
class Odd:
    """What a run came to: its file, and its reports with the checks."""

    warehouse: Path
    catalogue: Catalogue


@pytest.fixture(scope="module")
def odd(first_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Odd:
    """The run that reads all of it at once, up to its reports."""
    with serve(create_app(golden_company(), token=TOKEN)) as service:
        settings = copy_golden(first_run, tmp_path_factory.mktemp("estranha"), service.base_url)

        def change(request: httpx.Request, response: httpx.Response) -> httpx.Response:
            for one in (repeat, echo, garble):
                response = one(request, response)
            return response

        with open_session(settings, expected.D, transport=Rewritten(service.base_url, change)) as session:
            for stage in STAGES[:3]:
                run_stage(session, stage)
            catalogue = compute(session).catalogue
    return Odd(settings.pasta(settings.empresas[0]) / "privado" / "lastro.duckdb", catalogue)


def test_an_id_that_comes_twice_differently_is_shown_and_the_last_is_taken(odd: Odd) -> None:
    ids = [row[0] for row in ask(odd.warehouse, "SELECT payload->>'id' FROM raw.clientes ORDER BY posicao")]
    (finding,) = [found for found in odd.catalogue.findings if found.regra == "Q35"]
    assert (finding.qtde, finding.ids, finding.gravidade) == (1, (int(ids[0]),), "alerta")
    assert ask(odd.warehouse, f"SELECT nome FROM core.pessoas WHERE pessoa_id = {ids[0]}") == [("Outro Nome",)]  # noqa: S608
    notes = ask(odd.warehouse, "SELECT lista, campo, situacao, registros FROM ops.esquema")
    assert ("clientes", "id", f"repetido com outro conteúdo, vale o último legível: {ids[0]}", 1) in notes
    state = "SELECT situacao FROM ops.verificacoes WHERE verificacao = 'Q35' AND execucao_id = 2"
    assert ask(odd.warehouse, state) == [("falhou",)]


def test_characters_that_came_as_no_utf8_are_counted_where_the_operator_looks(odd: Odd) -> None:
    proofs = "SELECT lista, reparados FROM ops.passadas WHERE execucao_id = 2 AND reparados > 0"
    assert ask(odd.warehouse, proofs) == [("fornecedores", 3)]
    notes = ask(odd.warehouse, "SELECT lista, campo, situacao, registros FROM ops.esquema WHERE campo = 'texto'")
    assert notes == [("fornecedores", "texto", "caracteres fora de UTF-8, supostos", 3)]
    (quality,) = [report for report in odd.catalogue.reports if report.code == "R15"]
    assert any(row[2] == notes[0][2] for table in quality.tables if table.name == "esquema" for row in table.rows)
    assert ask(odd.warehouse, "SELECT count(*) FROM core.pessoas WHERE nome LIKE 'São João%'") == [(1,)]


def test_a_short_token_echoed_as_the_name_of_a_field_is_stored_nowhere(odd: Odd) -> None:
    assert len(TOKEN) < 8
    assert ("clientes", "***") in ask(odd.warehouse, "SELECT lista, campo FROM ops.esquema")
    tables = ask(odd.warehouse, "SELECT schema_name || '.' || table_name FROM duckdb_tables() WHERE NOT internal")
    assert len(tables) > 50
    counts = (
        f"SELECT '{name}', count(*) FROM {name} t WHERE contains(to_json(t)::VARCHAR, '{TOKEN}')"  # noqa: S608
        for (name,) in tables
    )
    assert [row for row in ask(odd.warehouse, " UNION ALL ".join(counts)) if row[1]] == []


@pytest.mark.longo
def test_a_clock_that_differs_by_more_than_a_day_is_told(golden: tuple[Settings, Running]) -> None:
    settings, service = golden

    def age(_request: httpx.Request, response: httpx.Response) -> httpx.Response:
        response.headers["Date"] = "Mon, 16 Mar 2020 12:00:00 GMT"
        return response

    result = run_served(settings, expected.D, transport=Rewritten(service.base_url, age))
    (check,) = [check for check in result.verifications if check.id == "V36"]
    assert (check.situacao, check.severidade) == ("falhou", "alerta")
    seconds = ask(result.warehouse, "SELECT desvio_relogio FROM ops.execucoes WHERE execucao_id = 2")[0][0]
    assert seconds > 6 * 365 * 86_400
