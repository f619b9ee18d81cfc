"""Books of a user's own export: what the service answered is served again, and what can't be is told with its place."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner

from lastro_sandbox import create_app, make_company, serve
from lastro_sandbox.cli import sandbox
from lastro_sandbox.decisions import CompositeShape, Dialect
from lastro_sandbox.exported import ExportError, read_export
from tests.command import started

DAY = date(2026, 3, 16)
LISTS = ("categorias", "clientes", "fornecedores", "classificacoes")


def fetch(client: httpx.Client, path: str, **query: Any) -> list[Any]:
    """Read a whole listing, page by page."""
    found: list[Any] = []
    while page := client.get(path, params={**query, "start": len(found), "limit": 500}).json():
        found += page
    return found


def export(folder: Path, client: httpx.Client, accounts: tuple[int, ...]) -> dict[str, Any]:
    """Write what a user would: every list, the entries of each account in a file of its own."""
    lists: dict[str, Any] = {name: client.get(f"/v1/{name}?considerar_inativos=true").json() for name in LISTS}
    lists |= {f"lancamentos-{id_}": fetch(client, "/v1/lancamentos", conta_id=id_) for id_ in accounts}
    lists["cobrancas"] = fetch(client, "/v1/cobrancas", data_inicio="1990-01-01")
    for name, records in lists.items():
        (folder / f"{name}.json").write_text(json.dumps(records, ensure_ascii=False), encoding="utf-8")
    return lists


@pytest.mark.parametrize("dialect", ["documento", "observado"])
@pytest.mark.parametrize("shape", ["A", "B", "C", "D"])
def test_what_was_exported_is_served_as_it_was(tmp_path: Path, dialect: Dialect, shape: CompositeShape) -> None:
    token = {"access_token": "sandbox"}
    with (
        serve(create_app(make_company(3, 500, DAY, shape, dialect), dialeto=dialect)) as running,
        httpx.Client(base_url=running.base_url, params=token) as client,
    ):
        before = export(tmp_path, client, (101, 102, 103))
    books = read_export(tmp_path, DAY)
    assert books.forma_composto == shape
    again = tmp_path / "outra"
    again.mkdir()
    with (
        serve(create_app(books, dialeto=dialect)) as running,
        httpx.Client(base_url=running.base_url, params=token) as client,
    ):
        after = export(again, client, (101, 102, 103))
    hidden = {"cobranca_hash", "link_publico"} if dialect == "observado" else set()
    for name in before:
        assert [without(row, hidden) for row in after[name]] == [without(row, hidden) for row in before[name]], name


def without(row: dict[str, Any], names: set[str]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in names}


def write(folder: Path, name: str, value: Any) -> None:
    (folder / name).write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())


ENTRY = {"id": 1, "conta_id": 7, "valor": "10.00", "data_vencimento": "2026-03-01", "descricao": "x"}


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("lancamentos.json", [{**ENTRY, "valor": "10.005"}], r"lancamentos\.json\[0\]: valor is no amount"),
        ("lancamentos.json", [ENTRY, {**ENTRY, "id": "a"}], r"lancamentos\.json\[1\]: id is no id"),
        ("lancamentos.json", [{**ENTRY, "data_vencimento": "01/03/2026"}], "data_vencimento is no date"),
        ("lancamentos.json", [{**ENTRY, "tags": [1, "x"]}], "tags is no list of ids"),
        ("lancamentos.json", [{**ENTRY, "infinito": "talvez"}], "infinito is neither"),
        ("lancamentos.json", [{**ENTRY, "itens_adicionais": [{"id": 2}]}], "itens_adicionais: valor is missing"),
        ("lancamentos.json", ["x"], "is no record"),
        ("lancamentos.json", {"errors": {}}, "is no JSON array"),
        ("lancamentos.json", b"[{", "can't be read as JSON"),
        ("lancamentos.json", b'[{"descricao": "\xe7"}]', "UTF-8"),
        ("lancamento.json", [ENTRY], r"lancamento\.json: no list of this name"),
        ("categorias.json", [{"id": 1, "descricao": 5}], r"categorias\.json\[0\]: descricao is no text"),
        ("contas.txt", [], r"holds no lancamentos\*\.json with"),
    ],
)
def test_what_can_not_be_served_is_told_with_its_place(tmp_path: Path, name: str, value: Any, says: str) -> None:
    write(tmp_path, name, value)
    with pytest.raises(ExportError, match=says):
        read_export(tmp_path, DAY)


def test_the_least_that_is_needed_is_entries(tmp_path: Path) -> None:
    write(tmp_path, "lancamentos.json", [ENTRY, {**ENTRY, "id": 2, "lancamento_transferencia_id": 99}])
    books = read_export(tmp_path, DAY)
    assert [(account.id, account.descricao) for account in books.contas.values()] == [(7, "Conta 7")]
    assert books.lancamentos[2].lancamento_transferencia_id is None
    assert books.new_id("lancamentos") == 3


def test_the_command_serves_an_export_and_keeps_it(tmp_path: Path) -> None:
    folder = tmp_path / "minha"
    folder.mkdir()
    write(folder, "lancamentos-1.json", [ENTRY])
    state = str(tmp_path / "livros.db")
    for _ in range(2):
        with started("--dados", str(folder), "--estado", state) as (lines, address):
            query = {"access_token": "sandbox", "conta_id": "7"}
            assert [row["id"] for row in httpx.get(f"{address}/v1/lancamentos", params=query).json()] == [1]
            assert lines[0].startswith("minha: 1 lançamentos")
    result = CliRunner().invoke(sandbox, ["--porta", "0", "--dados", str(folder), "--semente", "2"])
    assert (result.exit_code, "--semente" in result.output) == (2, True)
    write(folder, "lancamentos-2.json", [{"id": 5}])
    result = CliRunner().invoke(sandbox, ["--porta", "0", "--dados", str(folder)])
    assert (result.exit_code, "lancamentos-2.json[0]" in result.output) == (2, True)
